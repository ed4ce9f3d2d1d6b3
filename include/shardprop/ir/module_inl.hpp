// Definitions of module.hpp: all tables are values.
#pragma once

#include "shardprop/ir/module.hpp"

namespace shardprop {

SHARDPROP_INLINE Module::Module() = default;
SHARDPROP_INLINE Module::Module(const Module&) = default;
SHARDPROP_INLINE Module::Module(Module&&) noexcept = default;
SHARDPROP_INLINE Module& Module::operator=(const Module&) = default;
SHARDPROP_INLINE Module& Module::operator=(Module&&) noexcept = default;
SHARDPROP_INLINE Module::~Module() = default;

}  // namespace shardprop
