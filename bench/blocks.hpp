// The number of basic blocks that were run. Like the number of instructions it is the same on each
// run, and it serves graphs for which valgrind takes too long. Blocks of the C library (memory,
// copies) are not counted.
#pragma once

#include <cstdint>

namespace shardprop::bench {

// The blocks that the program has run so far. Only shardprop_bench_blocks counts them; in any other
// program it is 0.
std::uint64_t blocks_run();

}  // namespace shardprop::bench
