// The shardings that a command line gives: --mesh, --shard and --shard-file, and how a program is
// read to be propagated: with these, and with the shardings that it carries in strings.
#pragma once

#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/cli/arguments.hpp"
#include "examples/cli/diagnostics.hpp"
#include "examples/cli/input.hpp"
#include "fmt/core.h"
#include "shardprop/ops/apply_annotations.hpp"
#include "shardprop/passes/import/import_gspmd_shardings.hpp"
#include "shardprop/passes/import/import_round_trip_shardings.hpp"
#include "shardprop/sharding/annotation_text.hpp"

namespace shardprop::cli {

inline constexpr std::array kShardingOptions = {
    Option{"--mesh", "AXES",
           "a mesh: data=4,model=2, or name:data=4 where there are several; may repeat"},
    Option{"--shard", "NAME=SHARDING",
           "shard a value: '%arg0=data,-' or 'result 0=[data*model, ?]'; may repeat"},
    Option{"--shard-file", "FILE", "the same from a file, one a line; '#' begins a comment"},
};

inline constexpr std::string_view kShardingDetails =
    "A sharding has an entry for each dimension: axes joined by '*', '-' where it is not split, "
    "'?'\n"
    "where propagation may decide ('data?': by data, and further). 'data:p1' has a priority,\n"
    "'model:(1)2' is a part of an axis. P('data', None) and <@mesh, [{\"data\"}, {}]> do as well.\n"
    "NAME may be a pattern: '%arg{1-18}', '*.query_weight'; '@f %x' is of another function than "
    "main.";

// What the command line says, read but not applied.
struct GivenShardings {
  std::vector<Mesh> meshes;
  std::vector<Annotation> annotations;
  std::string shard_lines;  // a line for each --shard
  std::vector<std::pair<std::string, TextSource>> files;

  bool empty() const { return meshes.empty() && annotations.empty(); }
  // Texts for diagnostics, after those of the program.
  SourceTexts texts(const Input& input) const {
    SourceTexts all = input.texts();
    all.push_back({"--shard", shard_lines});
    for (const auto& [path, source] : files) all.push_back({path, source.text});
    return all;
  }
};

// Reads the options; prints what is wrong and gives an exit code then, else 0.
inline int read_shardings(const Arguments& arguments, GivenShardings& out) {
  for (const std::string& text : arguments.all("--mesh")) {
    Result<Mesh> mesh = parse_short_mesh(text, "--mesh");
    if (!mesh) {
      print_diagnostics(mesh.errors(), {{"--mesh", text}});
      return kBadUsage;
    }
    out.meshes.push_back(*std::move(mesh));
  }
  const auto add = [&](std::string_view text, const std::string& file) {
    Result<std::vector<Annotation>> read = parse_annotations(text, file);
    if (read) {
      out.annotations.insert(out.annotations.end(), std::make_move_iterator(read->begin()),
                             std::make_move_iterator(read->end()));
    } else {
      print_diagnostics(read.errors(), {{file, text}});
    }
    return read.ok();
  };
  for (const std::string& path : arguments.all("--shard-file")) {
    Result<TextSource> source = open_input(path);
    if (!source) {
      print_diagnostics(source.errors());
      return kBadInput;
    }
    out.files.emplace_back(path, *std::move(source));
    if (!add(out.files.back().second.text, path)) return kBadInput;
  }
  for (const std::string& text : arguments.all("--shard")) out.shard_lines += text + "\n";
  return add(out.shard_lines, "--shard") ? kOk : kBadUsage;
}

// Adds meshes and shardings to the program; false after errors, which are printed.
inline bool apply_shardings(Input& input, const GivenShardings& given) {
  MeshId first;
  for (const Mesh& mesh : given.meshes) {
    Place place;
    place.file = "--mesh";
    const Result<MeshId> id = add_mesh(input.m, mesh, place);
    if (!id) {
      print_diagnostics(id.errors());
      return false;
    }
    if (!first.valid()) first = *id;
  }
  const Result<AnnotationReport> applied = apply_annotations(input.m, given.annotations, first);
  print_diagnostics(applied ? applied->warnings : applied.errors(), given.texts(input));
  return applied.ok();
}

// Takes shardings out of the strings of GSPMD in a program that has no mesh of its own.
inline void import_gspmd(Input& input, bool has_own_mesh) {
  if (!has_gspmd_shardings(input.m)) return;
  if (has_own_mesh) {
    const Diagnostic ignored = {
        "gspmd.ignored",
        "the strings of mhlo.sharding are left aside, since the program has a mesh",
        "run --passes=import-gspmd-shardings reads them over that mesh",
        {},
        Severity::kWarning};
    return print_diagnostics({ignored}, input.texts());
  }
  const GspmdImport imported = import_gspmd_shardings(input.m);
  if (imported.imported > 0) {
    fmt::print(stderr, "note: {} GSPMD shardings were read over the mesh {}\n", imported.imported,
               to_string(input.m.meshes[default_mesh(input.m)]));
  }
  print_diagnostics(imported.warnings, input.texts());
}

// The program of the first operand, verified, with all shardings that it and the command line give.
// Gives an exit code, 0 where all is well.
inline int load_to_propagate(const Arguments& arguments, const OpTable& ops,
                             std::optional<Input>& out) {
  GivenShardings given;
  if (const int code = read_shardings(arguments, given); code != kOk) return code;
  out = load(arguments.positional[0], ops);
  if (!out) return kBadInput;
  if (has_only_round_trip_shardings(out->m)) {
    if (const Result<bool> imported = import_round_trip_shardings(out->m); !imported) {
      print_diagnostics(imported.errors(), out->texts());
      return kBadInput;
    }
  }
  const bool has_own_mesh = default_mesh(out->m).valid();
  for (const Mesh& mesh : given.meshes) {
    if (!out->m.meshes.find(mesh.name).valid()) out->m.meshes.add(mesh);
  }
  import_gspmd(*out, has_own_mesh);
  return apply_shardings(*out, given) ? kOk : kBadInput;
}

}  // namespace shardprop::cli
