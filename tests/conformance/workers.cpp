#include "tests/conformance/workers.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace shardprop::conformance {

namespace {

// What all processes see: the next task to take, and for each worker the one it is at (plus 1; 0:
// none).
struct Shared {
  static constexpr std::size_t kMaxWorkers = 256;
  std::atomic<std::uint32_t> next = 0;
  std::atomic<std::uint32_t> current[kMaxWorkers] = {};
};

struct Worker {
  pid_t process = -1;
  int pipe = -1;
  int errors = -1;  // a file without a name that takes what the worker writes to stderr
  std::string received;
};

// A file that is gone once it is closed; -1 when there can be none.
int open_unnamed_file() {
  std::FILE* stream = std::tmpfile();
  if (!stream) return -1;
  const int file = dup(fileno(stream));
  std::fclose(stream);
  return file;
}

// The beginning of `file`, where an assertion and a sanitizer say what went wrong.
std::string head_of(int file) {
  char text[2000];
  const ssize_t count = pread(file, text, sizeof(text), 0);
  return count > 0 ? std::string(text, static_cast<std::size_t>(count)) : std::string();
}

[[noreturn]] void fail(const char* what) {
  fmt::print(stderr, "{}: {}\n", what, std::strerror(errno));
  std::exit(2);
}

void write_all(int pipe, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(pipe, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) _exit(3);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

class Pool {
 public:
  Pool(const std::vector<std::size_t>& tasks, const std::function<std::string(std::size_t)>& run,
       const PoolOptions& options)
      : tasks_(tasks), run_(run), options_(options), results_(tasks.size()) {
    void* memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("mmap");
    shared_ = new (memory) Shared;
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { munmap(shared_, sizeof(Shared)); }

  std::vector<TaskResult> run() {
    const std::size_t wanted = std::min({options_.workers, tasks_.size(), Shared::kMaxWorkers});
    workers_.resize(wanted);
    for (std::size_t i = 0; i < wanted; ++i) start(i);
    while (alive_ > 0) wait_for_output();
    return std::move(results_);
  }

 private:
  void start(std::size_t number) {
    int ends[2];
    if (pipe(ends) != 0) fail("pipe");
    const int errors = open_unnamed_file();
    std::fflush(nullptr);
    const pid_t process = fork();
    if (process < 0) fail("fork");
    if (process == 0) {
      close(ends[0]);
      if (errors >= 0) dup2(errors, STDERR_FILENO);
      work(number, ends[1], errors);
    }
    close(ends[1]);
    workers_[number] = {process, ends[0], errors, {}};
    ++alive_;
  }

  [[noreturn]] void work(std::size_t number, int pipe, int errors) {
    for (std::uint32_t at; (at = shared_->next.fetch_add(1)) < tasks_.size();) {
      shared_->current[number] = at + 1;
      // What a task says is kept only while it runs.
      if (errors >= 0 && ftruncate(errors, 0) == 0) lseek(errors, 0, SEEK_SET);
      alarm(options_.seconds_per_task);
      const std::string output = run_(tasks_[at]);
      alarm(0);
      const std::uint64_t header[2] = {at, output.size()};
      write_all(pipe, {reinterpret_cast<const char*>(header), sizeof(header)});
      write_all(pipe, output);
      shared_->current[number] = 0;
    }
    std::fflush(nullptr);
    _exit(0);
  }

  void wait_for_output() {
    std::vector<pollfd> polled;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (workers_[i].pipe < 0) continue;
      polled.push_back({workers_[i].pipe, POLLIN, 0});
      numbers.push_back(i);
    }
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) fail("poll");
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].revents != 0) receive(numbers[i]);
    }
  }

  void receive(std::size_t number) {
    char buffer[1 << 16];
    Worker& worker = workers_[number];
    const ssize_t count = read(worker.pipe, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
      bury(number);
      return;
    }
    worker.received.append(buffer, static_cast<std::size_t>(count));
    std::uint64_t header[2];
    std::size_t at = 0;
    while (worker.received.size() - at >= sizeof(header)) {
      std::memcpy(header, worker.received.data() + at, sizeof(header));
      if (worker.received.size() - at - sizeof(header) < header[1]) break;
      results_[header[0]].output = worker.received.substr(at + sizeof(header), header[1]);
      at += sizeof(header) + header[1];
    }
    worker.received.erase(0, at);
  }

  // A worker that ended within a task died of it: the task gets the reason, and a new worker goes
  // on.
  void bury(std::size_t number) {
    Worker& worker = workers_[number];
    int status = 0;
    close(worker.pipe);
    worker.pipe = -1;
    while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
    }
    --alive_;
    const std::uint32_t task = shared_->current[number].exchange(0);
    if (task != 0) {
      const std::string said = head_of(worker.errors);
      results_[task - 1].death = cause(status) + (said.empty() ? "" : "\n" + said);
    }
    close(worker.errors);
    if (task != 0) start(number);
  }

  std::string cause(int status) const {
    if (!WIFSIGNALED(status))
      return fmt::format("the process ended with status {}", WEXITSTATUS(status));
    if (WTERMSIG(status) == SIGALRM)
      return fmt::format("not done after {} seconds", options_.seconds_per_task);
    return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }

  const std::vector<std::size_t>& tasks_;
  const std::function<std::string(std::size_t)>& run_;
  PoolOptions options_;
  std::vector<TaskResult> results_;
  std::vector<Worker> workers_;
  Shared* shared_ = nullptr;
  std::size_t alive_ = 0;
};

}  // namespace

std::vector<TaskResult> run_in_workers(const std::vector<std::size_t>& tasks,
                                       const std::function<std::string(std::size_t)>& run,
                                       const PoolOptions& options) {
  return Pool(tasks, run, options).run();
}

}  // namespace shardprop::conformance
