// Compiled with -fno-exceptions -fno-rtti and without nlohmann/json: the core needs none of them.
#include "shardprop/shardprop.hpp"

#ifdef __cpp_exceptions
#error "this file is meant to be compiled with -fno-exceptions"
#endif
#ifdef __cpp_rtti
#error "this file is meant to be compiled with -fno-rtti"
#endif
#ifdef NLOHMANN_JSON_VERSION_MAJOR
#error "the umbrella header includes nlohmann/json"
#endif

bool text_round_trip();  // of text.cpp

int main() { return text_round_trip() ? 0 : 1; }
