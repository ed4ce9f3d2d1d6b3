#include "bench/heap.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/resource.h>
#endif

namespace {

std::size_t live = 0;
std::size_t peak = 0;

// The size is stored before the block, in a slot that keeps the block aligned.
constexpr std::size_t kSlot = alignof(std::max_align_t);

void* allocate(std::size_t size) {
  void* const slot = std::malloc(size + kSlot);
  if (!slot) std::abort();
  *static_cast<std::size_t*>(slot) = size;
  live += size;
  peak = std::max(peak, live);
  return static_cast<char*>(slot) + kSlot;
}

void release(void* block) noexcept {
  if (!block) return;
  char* const slot = static_cast<char*>(block) - kSlot;
  live -= *reinterpret_cast<std::size_t*>(slot);
  std::free(slot);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }

namespace shardprop::bench {

std::size_t heap_bytes() { return live; }
std::size_t heap_peak() { return peak; }
void reset_heap_peak() { peak = live; }

std::size_t peak_resident_bytes() {
#if defined(__unix__) || defined(__APPLE__)
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#if defined(__APPLE__)
  return static_cast<std::size_t>(usage.ru_maxrss);
#else
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
#endif
#else
  return 0;
#endif
}

}  // namespace shardprop::bench
