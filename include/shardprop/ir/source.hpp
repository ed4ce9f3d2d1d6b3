// Texts that a module was read from and still needs: large constants stay where they were read, as
// a slice of such a text, and are never copied.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace shardprop {

// `text` lives as long as `owner`; without an owner whoever gave the text keeps it alive.
struct ModuleSource {
  std::shared_ptr<const void> owner;
  std::string_view text;
};

// `length` bytes of `Module::sources[source]`, from `offset` on.
struct SourceSlice {
  std::uint32_t source = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  friend bool operator==(const SourceSlice&, const SourceSlice&) = default;
};

}  // namespace shardprop
