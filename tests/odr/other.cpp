// The second of two translation units that include every header.
#include "every_header.hpp"

int major_version_seen_by_other();

int major_version_seen_by_other() { return SHARDPROP_VERSION_MAJOR; }
