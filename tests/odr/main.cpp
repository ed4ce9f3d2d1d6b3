// One of two translation units that include every header. That they link is the test.
#include "every_header.hpp"

int major_version_seen_by_other();

int main() { return major_version_seen_by_other() == SHARDPROP_VERSION_MAJOR ? 0 : 1; }
