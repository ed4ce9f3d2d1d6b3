#include "bench/measured_part.hpp"

// It is in a translation unit of its own so that it is not inlined.
extern "C" bool measured_part(const shardprop::bench::Workload& work,
                              shardprop::bench::WorkInput& input,
                              const shardprop::bench::WorkContext& context) {
  return work.run(input, context);
}
