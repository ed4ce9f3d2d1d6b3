// Says on a terminal what goes on when it lasts over a second.
#pragma once

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "fmt/core.h"

namespace shardprop::cli {

class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)) {
    if (isatty(STDERR_FILENO)) thread_ = std::thread([this] { show(); });
  }
  ~Progress() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void show() {
    std::unique_lock lock(mutex_);
    for (int seconds = 1;
         !changed_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; }); ++seconds) {
      fmt::print(stderr, "\r{} ... {} s", what_, seconds);
      std::fflush(stderr);
      shown_ = true;
    }
    if (shown_) fmt::print(stderr, "\r\033[K");
  }

  std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  bool shown_ = false;
  std::thread thread_;
};

}  // namespace shardprop::cli
