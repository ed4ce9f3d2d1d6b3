#include "bench/measured_part.hpp"

// A translation unit of its own is what keeps it from being inlined.
extern "C" bool measured_part(const shardprop::bench::Workload& work,
                              shardprop::bench::WorkInput& input,
                              const shardprop::bench::WorkContext& context) {
  return work.run(input, context);
}
