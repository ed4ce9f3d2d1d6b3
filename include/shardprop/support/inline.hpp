// The two ways of using the library, with the same headers:
// - header-only, CMake target shardprop::shardprop: all functions are inline;
// - compiled, target shardprop::compiled: it defines SHARDPROP_COMPILED, so that an entry header X.hpp
//   declares only. The target's library has the definitions, from X_inl.hpp.
//
// Only X.hpp and the sources of the library include X_inl.hpp. The other headers are the same in both.
#pragma once

#ifdef SHARDPROP_COMPILED
#define SHARDPROP_INLINE
#else
#define SHARDPROP_INLINE inline
#endif
