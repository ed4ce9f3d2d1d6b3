#include "bench/blocks.hpp"

namespace {

std::uint64_t count = 0;

}  // namespace

#ifdef SHARDPROP_COUNT_BLOCKS
// g++ -fsanitize-coverage=trace-pc calls this function in each block.
extern "C" __attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc() { ++count; }
#endif

std::uint64_t shardprop::bench::blocks_run() { return count; }
