// Heap use of the whole program, counted by the global operator new and delete of heap.cpp.
#pragma once

#include <cstddef>

namespace shardprop::bench {

// The bytes that are allocated now, and the most since the last `reset_heap_peak`.
std::size_t heap_bytes();
std::size_t heap_peak();
void reset_heap_peak();

// The most memory that the process had resident, in bytes; 0 if the system does not report it.
std::size_t peak_resident_bytes();

}  // namespace shardprop::bench
