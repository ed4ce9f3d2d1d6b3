// Runs numbered tasks in worker processes, so that a task that crashes or never ends takes only
// itself down. Needs POSIX.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace shardprop::conformance {

struct TaskResult {
  std::string output;  // what the task returned, when it did
  std::string death;   // why its process ended before it returned, and what it said on
                       // stderr; empty when it did not
};

struct PoolOptions {
  std::size_t workers = 1;
  unsigned seconds_per_task = 120;  // 0: no limit
};

// Calls `run(task)` once for each of `tasks`, in this order as workers come free, and returns the
// results in the same order. Each worker is a fork of this process: `run` sees the memory as it is
// now, and only its return value comes back.
std::vector<TaskResult> run_in_workers(const std::vector<std::size_t>& tasks,
                                       const std::function<std::string(std::size_t)>& run,
                                       const PoolOptions& options);

}  // namespace shardprop::conformance
