// Reads a module from JSON. The format is the JSON graph of docs/json.md.
//
// The document is converted while it is parsed, without a tree of it in memory: O(its size), and
// beside the module an index of the value names of one function and normally the JSON of one
// operation. A module is given only if nothing is wrong; otherwise every error that could be found
// in one run, with its JSON pointer, or line and column where it is not JSON.
#pragma once

#include <string>
#include <string_view>

#include "shardprop/io/json/options.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// Reads one document. The codes of errors are listed in docs/json.md.
SHARDPROP_INLINE Result<Module> read_json(std::string_view text, const ReadOptions& options = {});

// Reads the document in a file. Besides the errors of `read_json` there is `json.file`.
SHARDPROP_INLINE Result<Module> read_json_file(const std::string& path,
                                               const ReadOptions& options = {});

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/io/json_reader_inl.hpp"
#endif
