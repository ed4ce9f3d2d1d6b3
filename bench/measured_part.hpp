// The function around each part that is measured. It has a plain name and is never inlined, for
// callgrind's --toggle-collect=measured_part.
#pragma once

#include "bench/workloads.hpp"

extern "C" bool measured_part(const shardprop::bench::Workload& work,
                              shardprop::bench::WorkInput& input,
                              const shardprop::bench::WorkContext& context);
