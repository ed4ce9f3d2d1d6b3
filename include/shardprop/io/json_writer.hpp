// Writes a module as JSON, in the JSON graph of docs/json.md: objects with a fixed order of fields
// and defaults left out, one operation per line. The same module gives the same bytes. O(size of
// the text); what repeats is copied, not formatted again.
//
// Values without a name, or whose name an earlier value of the function has, are given one; the
// module does not change.
#pragma once

#include <cstddef>
#include <string>

#include "shardprop/io/json/options.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// The document, ending with a line break.
SHARDPROP_INLINE std::string write_json(const Module& m, const WriteOptions& options = {});

// Writes the document to a file and gives its size in bytes. A regular file is replaced as a whole
// or, where that fails, left as it was. Error: `json.file`.
SHARDPROP_INLINE Result<std::size_t> write_json_file(const Module& m, const std::string& path,
                                                     const WriteOptions& options = {});

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/io/json_writer_inl.hpp"
#endif
