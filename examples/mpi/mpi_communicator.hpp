// The communicator of `RankRun` on MPI. Each wait has a time limit: a process that waits longer says
// what for and ends, and mpirun then ends all others.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/run/machine/run_on_rank.hpp"

namespace shardprop::mpi {

namespace detail {

// What a process says when it has waited for too long; for a signal handler, which can do no more
// than write it.
inline std::array<char, 512> late_message{};

inline void on_time_limit(int) {
  static_cast<void>(write(STDERR_FILENO, late_message.data(), std::strlen(late_message.data())));
  _exit(1);
}

// Ends the process if it is not destroyed in time.
class TimeLimit {
 public:
  explicit TimeLimit(unsigned seconds) { alarm(seconds); }
  ~TimeLimit() { alarm(0); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
};

// What elements are reduced as; MPI_DATATYPE_NULL where MPI has no such type.
inline MPI_Datatype mpi_type(Element element, FastReduction reduction) {
  const bool is_order = reduction == FastReduction::kMax || reduction == FastReduction::kMin;
  switch (element) {
    case Element::kI8:
      return MPI_INT8_T;
    case Element::kI16:
      return MPI_INT16_T;
    case Element::kI32:
      return MPI_INT32_T;
    case Element::kI64:
      return MPI_INT64_T;
    case Element::kUi8:
      return MPI_UINT8_T;
    case Element::kUi16:
      return MPI_UINT16_T;
    case Element::kUi32:
      return MPI_UINT32_T;
    case Element::kUi64:
      return MPI_UINT64_T;
    case Element::kExact:  // wraps around, and has the order of signed numbers
      return is_order ? MPI_INT64_T : MPI_UINT64_T;
    case Element::kF32:
      return MPI_FLOAT;
    case Element::kF64:
      return MPI_DOUBLE;
    default:
      return MPI_DATATYPE_NULL;
  }
}

}  // namespace detail

class Communicator {
 public:
  // `seconds`: how long to wait for other processes.
  explicit Communicator(unsigned seconds) : seconds_(seconds) {
    std::signal(SIGALRM, detail::on_time_limit);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  std::size_t rank() const { return static_cast<std::size_t>(rank_); }
  std::size_t size() const { return static_cast<std::size_t>(size_); }

  // Made once for equal groups.
  std::size_t split(const std::vector<ProcessGroup>& groups) {
    const auto [at, is_new] = channels_.try_emplace(groups, comms_.size());
    if (!is_new) return at->second;
    int color = MPI_UNDEFINED;
    int key = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t k = 0; k < groups[g].size(); ++k) {
        if (groups[g][k] != rank()) continue;
        color = static_cast<int>(g);
        key = static_cast<int>(k);
      }
    }
    wait_at("the start of the program");
    const detail::TimeLimit limit(seconds_);
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &comms_.emplace_back(MPI_COMM_NULL));
    return at->second;
  }

  std::vector<std::byte> gather(std::size_t channel, std::span<const std::byte> bytes) {
    int count = 0;
    MPI_Comm_size(comms_[channel], &count);
    std::vector<std::byte> all(bytes.size() * static_cast<std::size_t>(count));
    // Counts of MPI are of type int: what is larger goes as blocks of a size that divides it.
    const std::size_t block = bytes.size() <= INT_MAX ? 1 : block_of(bytes.size());
    MPI_Datatype type = MPI_BYTE;
    MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    const int blocks = static_cast<int>(bytes.size() / block);
    {
      const detail::TimeLimit limit(seconds_);
      MPI_Allgather(bytes.data(), blocks, type, all.data(), blocks, type, comms_[channel]);
    }
    MPI_Type_free(&type);
    return all;
  }

  bool reduce(std::size_t channel, FastReduction reduction, Tensor& tensor) {
    const MPI_Datatype type = detail::mpi_type(tensor.element(), reduction);
    if (type == MPI_DATATYPE_NULL || tensor.count() > INT_MAX) return false;
    constexpr auto op_of = [](FastReduction of) {
      return of == FastReduction::kSum       ? MPI_SUM
             : of == FastReduction::kProduct ? MPI_PROD
             : of == FastReduction::kMax     ? MPI_MAX
                                             : MPI_MIN;
    };
    const detail::TimeLimit limit(seconds_);
    MPI_Allreduce(MPI_IN_PLACE, tensor.write(), static_cast<int>(tensor.count()), type,
                  op_of(reduction), comms_[channel]);
    return true;
  }

  void wait_at(const std::string& what) {
    std::snprintf(detail::late_message.data(), detail::late_message.size(),
                  "error: process %d waits for others for more than %u seconds, at %s\n", rank_,
                  seconds_, what.c_str());
  }

 private:
  // The least divisor for which the number of blocks is an int; elements are powers of 2.
  static std::size_t block_of(std::size_t bytes) {
    std::size_t block = 1;
    while (bytes / block > INT_MAX || bytes % block != 0) ++block;
    return block;
  }

  unsigned seconds_;
  int rank_ = 0;
  int size_ = 1;
  std::map<std::vector<ProcessGroup>, std::size_t> channels_;
  std::vector<MPI_Comm> comms_;
};

// MPI from its start to its end. A process that does not get to `finish` ends all others.
class Session {
 public:
  Session(int& argc, char**& argv) { MPI_Init(&argc, &argv); }
  ~Session() { is_finished_ ? MPI_Finalize() : MPI_Abort(MPI_COMM_WORLD, 1); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  void finish() { is_finished_ = true; }

 private:
  bool is_finished_ = false;
};

}  // namespace shardprop::mpi
