// MLIR text of StableHLO programs with sdy, in and out: see text/reader.hpp, text/writer.hpp and
// docs/text.md.
#pragma once

#include "shardprop/io/text/reader.hpp"
#include "shardprop/io/text/writer.hpp"
