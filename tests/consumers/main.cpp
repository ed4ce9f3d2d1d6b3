// What someone else's program sees: the umbrella header, by way of a CMake target alone.
#include <shardprop/shardprop.hpp>

#include <cstdio>

int main() {
  std::printf("shardprop %d.%d.%d\n", SHARDPROP_VERSION_MAJOR, SHARDPROP_VERSION_MINOR,
              SHARDPROP_VERSION_PATCH);
  return 0;
}
