// Annotations: shardings that a user gives from outside of the program, such as on a command line
// or in a file, as text. docs/annotations.md is the user's page.
//
//   %arg0=data,-                    dimension 0 over axis data, dimension 1 not split
//   %arg{1-18}=-,model              eighteen values
//   *.query_weight=fsdp,model       by a name in attributes or source locations
//   result 0=[data*model, ?]        a result; ? leaves a dimension to propagation
//   @layer %arg0=data:p1,model:(1)2 of function @layer; a priority; a sub-axis
//   %arg1=PartitionSpec('data', None)
//   %arg1=<@mesh, [{"data"}, {}], replicated={"model"}>
//
// An annotation names axes as text: which mesh they are of, and which values are meant, is known
// only where it is applied (ops/apply_annotations.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/sharding/mesh_text.hpp"
#include "shardprop/sharding/scanner.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// An axis as it was written; a `size` of 0 means the whole axis.
struct AnnotatedAxis {
  std::string name;
  std::int64_t pre_size = 0;
  std::int64_t size = 0;
  Place place;
};

struct AnnotatedDim {
  std::vector<AnnotatedAxis> axes;
  bool open = false;
  std::int32_t priority = kNoPriority;
};

struct Annotation {
  std::string func;        // without '@'; empty: the entry function
  bool of_result = false;  // of the function, else a value
  std::string pattern;     // name or glob; of results also their numbers
  std::string mesh;        // without '@'; empty: the default mesh
  std::vector<AnnotatedDim> dims;
  bool pads = false;     // dimensions that are not listed are closed and not split
  std::string sdy_text;  // `<@mesh, [...]>`, then there are no `dims`
  Place target;          // of the pattern
  Place sharding;        // of what is after '='
};

namespace detail {

inline constexpr std::string_view kAnnotationForm =
    "write NAME=SHARDING: '%arg0=data,-', 'result 0=[data*model, ?]' or "
    "'%arg0=PartitionSpec(\"data\", None)'";

class AnnotationParser {
 public:
  // `line` counts from 1.
  AnnotationParser(std::string_view text, std::string_view file, std::uint32_t line)
      : text_(text), in_(text, "annotation.syntax", kAnnotationForm), file_(file), line_(line) {}

  // Errors go to `errors`.
  bool run(Annotation& out, Diagnostics& errors) {
    const bool read = target(out) && sharding(out) && in_.expect_end();
    for (Diagnostic& d : in_.errors()) {
      d.place = place(d.place.column - 1);
      errors.push_back(std::move(d));
    }
    return read && in_.errors().empty();
  }

 private:
  Place place(std::size_t offset) const {
    Place at;
    at.file = file_;
    at.line = line_;
    at.column = static_cast<std::uint32_t>(offset + 1);
    return at;
  }

  // Up to the '=', which stands in no braces: `@layer result 0`.
  bool target(Annotation& out) {
    std::size_t begin = in_.offset();
    const std::size_t equals = find_equals(begin);
    if (equals == std::string_view::npos) {
      in_.skip_to(text_.size());
      return in_.fail("'=' and a sharding");
    }
    std::string_view words = text_.substr(begin, equals - begin);
    const auto skip_blanks = [&] {
      const std::size_t blanks = std::min(words.find_first_not_of(" \t"), words.size());
      words.remove_prefix(blanks);
      begin += blanks;
    };
    if (words.starts_with('@')) {
      const std::size_t end = std::min(words.find_first_of(" \t"), words.size());
      out.func = std::string(words.substr(1, end - 1));
      words.remove_prefix(end);
      begin += end;
      skip_blanks();
    }
    constexpr std::string_view kResult = "result";
    if (words.starts_with(kResult) && words.size() > kResult.size() &&
        is_blank(words[kResult.size()])) {
      out.of_result = true;
      words.remove_prefix(kResult.size());
      begin += kResult.size();
      skip_blanks();
    }
    while (!words.empty() && is_blank(words.back())) words.remove_suffix(1);
    out.pattern = std::string(words);
    out.target = place(begin);
    in_.skip_to(words.empty() ? begin : equals);
    if (words.empty()) return in_.fail("the name of a value or 'result' and its number");
    return in_.expect("=");
  }

  std::size_t find_equals(std::size_t from) const {
    std::size_t depth = 0;
    for (std::size_t i = from; i < text_.size(); ++i) {
      if (text_[i] == '{') ++depth;
      if (text_[i] == '}' && depth > 0) --depth;
      if (text_[i] == '=' && depth == 0) return i;
    }
    return std::string_view::npos;
  }

  bool sharding(Annotation& out) {
    out.sharding = place(in_.offset());
    if (in_.next_is("<") || in_.next_is("#sdy.sharding")) {
      out.sdy_text = std::string(text_.substr(in_.offset()));
      while (is_blank(out.sdy_text.back())) out.sdy_text.pop_back();
      in_.skip_to(text_.size());
      return true;
    }
    if (in_.accept("@") && (out.mesh = in_.word()).empty()) return in_.fail("the name of a mesh");
    if (in_.accept_word("PartitionSpec") || in_.accept_word("P") ||
        in_.accept_word("jax.sharding.PartitionSpec"))
      return partition_spec(out);
    const bool bracket = in_.accept("[");
    if (bracket && in_.accept("]")) return true;
    do {
      if (!dim(out.dims.emplace_back())) return false;
    } while (in_.accept(","));
    return !bracket || in_.expect("]");
  }

  // --- one dimension: `-`, `?`, `data*model:(1)2?:p1`, `{"data", ?}p1` ---

  bool dim(AnnotatedDim& out) {
    if (in_.next_is("{")) return braced_dim(out);
    if (in_.accept("-")) return true;
    while (!in_.next_is("?")) {
      if (!axis(out.axes)) return false;
      if (!in_.accept("*")) break;
    }
    out.open = in_.accept("?");
    in_.accept(":");
    return priority(out);
  }

  bool braced_dim(AnnotatedDim& out) {
    in_.accept("{");
    while (!in_.accept("}")) {
      if (out.open) return in_.fail("'}' after '?'");
      if (!(out.open = in_.accept("?")) && !axis(out.axes)) return false;
      if (!in_.accept(",") && !in_.next_is("}")) return in_.fail("',' or '}'");
    }
    return priority(out);
  }

  // `p1`, where there is one.
  bool priority(AnnotatedDim& out) {
    const std::size_t at = in_.offset();
    const std::string_view word = in_.peek_word();
    std::int64_t number = 0;
    if (word.empty()) return true;
    if (word[0] != 'p' || !parse_integer(word.substr(1), number))
      return in_.fail("',' or a priority such as p1");
    in_.word();
    if (auto checked = checked_priority(number)) {
      out.priority = *checked;
    } else {
      in_.report(checked.errors().front(), at);
    }
    return true;
  }

  bool axis(std::vector<AnnotatedAxis>& out) {
    AnnotatedAxis axis;
    axis.place = place(in_.offset());
    if (!name(axis.name)) return false;
    // `data:p1` has a priority, `data:(1)2` is a part of the axis.
    if (in_.next_is(":(")) {
      in_.accept(":");
      if (!in_.expect("(") || !in_.integer(axis.pre_size) || !in_.expect(")") ||
          !in_.integer(axis.size)) {
        return false;
      }
      if (axis.size == 0) return in_.fail("a sub-axis of a size above 1");
    }
    out.push_back(std::move(axis));
    return true;
  }

  // A word, or any text in double or single quotes.
  bool name(std::string& out) {
    if (in_.next_is("\"")) return in_.string(out);
    if (in_.next_is("'")) {
      const std::size_t begin = in_.offset() + 1;
      const std::size_t end = text_.find('\'', begin);
      if (end == std::string_view::npos) return in_.fail("a closing quote");
      out = std::string(text_.substr(begin, end - begin));
      in_.skip_to(end + 1);
      return true;
    }
    out = std::string(in_.word());
    return !out.empty() || in_.fail("an axis, '-' for a dimension that is not split, or '?'");
  }

  // --- JAX's spelling: `('data', None, ('fsdp', 'model'), P.UNCONSTRAINED)` ---

  bool partition_spec(Annotation& out) {
    out.pads = true;
    if (!in_.expect("(")) return false;
    while (!in_.accept(")")) {
      if (!spec_entry(out.dims.emplace_back())) return false;
      if (!in_.accept(",") && !in_.next_is(")")) return in_.fail("',' or ')'");
    }
    return true;
  }

  bool spec_entry(AnnotatedDim& out) {
    if (in_.accept_word("None")) return true;
    const std::string_view word = in_.peek_word();
    if (word == "UNCONSTRAINED" || word.ends_with(".UNCONSTRAINED")) {
      in_.word();
      return out.open = true;
    }
    if (!in_.accept("(")) return axis(out.axes);
    while (!in_.accept(")")) {
      if (!axis(out.axes)) return false;
      if (!in_.accept(",") && !in_.next_is(")")) return in_.fail("',' or ')'");
    }
    return true;
  }

  std::string_view text_;
  TextScanner in_;
  std::string_view file_;
  std::uint32_t line_;
};

// A line without its comment: a '#' at its beginning or after a blank, but not `#sdy.`.
inline std::string_view without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool begins = i == 0 || is_blank(line[i - 1]);
    if (line[i] == '#' && begins && !line.substr(i).starts_with("#sdy.")) return line.substr(0, i);
  }
  return line;
}

}  // namespace detail

// Reads one annotation a line; blank lines and comments (`# ...`) are passed. `file` is what places
// of errors call the text. Errors, with line and column: `annotation.syntax`, `sharding.priority`.
inline Result<std::vector<Annotation>> parse_annotations(std::string_view text,
                                                         std::string_view file = {}) {
  std::vector<Annotation> all;
  Diagnostics errors;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = detail::without_comment(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Annotation annotation;
    if (detail::AnnotationParser(line, file, number).run(annotation, errors))
      all.push_back(std::move(annotation));
  }
  if (!errors.empty()) return errors;
  return all;
}

// Reads `data=4,model=2`, also with a name in front, `pod:data=4`; without one the mesh is called
// `mesh`. Errors, with line and column in `file`: `mesh.syntax` and those of `verify_mesh`.
inline Result<Mesh> parse_short_mesh(std::string_view text, std::string_view file = {}) {
  detail::TextScanner in(text, "mesh.syntax", "write a mesh as data=4,model=2 or name:data=4");
  Mesh mesh;
  mesh.name = "mesh";
  bool read = true;
  for (bool more = true; read && more; more = read && in.accept(",")) {
    MeshAxis axis;
    axis.name = std::string(in.word());
    if (mesh.axes.empty() && in.accept(":")) {
      mesh.name = std::exchange(axis.name, std::string(in.word()));
      if (mesh.name.empty()) read = in.fail("the name of a mesh");
    }
    read = read && (!axis.name.empty() || in.fail("the name of an axis")) && in.expect("=") &&
           in.integer(axis.size);
    mesh.axes.push_back(std::move(axis));
  }
  if (read && in.expect_end()) verify_mesh(mesh, in.place(0), in.errors());
  for (Diagnostic& d : in.errors()) d.place.file = file;
  if (!in.errors().empty()) return std::move(in.errors());
  return mesh;
}

}  // namespace shardprop
