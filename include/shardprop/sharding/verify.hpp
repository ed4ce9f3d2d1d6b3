// All well-formedness checks of this room: meshes, tensor shardings, sharding rules. Each appends
// every error it finds.
#pragma once

#include "shardprop/sharding/verify_mesh.hpp"      // IWYU pragma: export
#include "shardprop/sharding/verify_rule.hpp"      // IWYU pragma: export
#include "shardprop/sharding/verify_sharding.hpp"  // IWYU pragma: export
