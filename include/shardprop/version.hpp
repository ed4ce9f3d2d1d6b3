// The version of the library. CMakeLists.txt reads these three lines, so the version is written
// nowhere else.
#pragma once

#define SHARDPROP_VERSION_MAJOR 0
#define SHARDPROP_VERSION_MINOR 1
#define SHARDPROP_VERSION_PATCH 0
