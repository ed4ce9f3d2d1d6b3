// Basic blocks that were run: a count that is the same on each run, as that of instructions is, for
// graphs for which valgrind takes too long. What the C library does (memory, copies) is not in it.
#pragma once

#include <cstdint>

namespace shardprop::bench {

// The blocks that the program has run so far; 0 in a program that does not count them, which only
// shardprop_bench_blocks does.
std::uint64_t blocks_run();

}  // namespace shardprop::bench
