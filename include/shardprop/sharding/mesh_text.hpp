// The text form of a mesh: `<["data"=4, "model"=8]>`, `<["a"=2], device_ids=[1, 0]>`, maximal `<[],
// device_ids=[3]>`, empty `<[]>`. The name of the mesh is not part of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "shardprop/sharding/mesh.hpp"
#include "shardprop/sharding/scanner.hpp"
#include "shardprop/sharding/verify_mesh.hpp"
#include "shardprop/support/result.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

inline std::string to_string(const Mesh& mesh) {
  const auto axis_text = [](const MeshAxis& axis) {
    return fmt::format("{}={}", detail::quoted(axis.name), axis.size);
  };
  std::string out = "<[" + comma_list(mesh.axes, axis_text) + ']';
  if (!mesh.device_ids.empty()) {
    const auto id_text = [](std::int64_t id) { return std::to_string(id); };
    out += ", device_ids=[" + comma_list(mesh.device_ids, id_text) + ']';
  }
  return out + '>';
}

namespace detail {

inline bool scan_mesh_axes(TextScanner& in, Mesh& mesh) {
  if (!in.expect("[")) return false;
  if (in.accept("]")) return true;
  do {
    MeshAxis axis;
    if (!in.string(axis.name) || !in.expect("=") || !in.integer(axis.size)) return false;
    mesh.axes.push_back(std::move(axis));
  } while (in.accept(","));
  return in.expect("]");
}

inline bool scan_device_ids(TextScanner& in, Mesh& mesh) {
  if (!in.accept_word("device_ids")) return in.fail("'device_ids'");
  if (!in.expect("=") || !in.expect("[")) return false;
  do {
    std::int64_t id = 0;
    if (!in.integer(id)) return false;
    mesh.device_ids.push_back(id);
  } while (in.accept(","));
  return in.expect("]");
}

// Reads a mesh; false after a syntax error. What is wrong with its meaning is among the scanner's
// errors.
inline bool scan_mesh(TextScanner& in, Mesh& mesh) {
  const std::size_t start = in.offset();
  if (!in.expect("<") || !scan_mesh_axes(in, mesh)) return false;
  if (in.accept(",") && !scan_device_ids(in, mesh)) return false;
  if (!in.expect(">")) return false;
  normalize(mesh);
  verify_mesh(mesh, in.place(start), in.errors());
  return true;
}

}  // namespace detail

// Reads the text form, also with `mesh` or `#sdy.mesh` in front. The mesh is verified and has no
// name; default device ids are dropped. Errors: `mesh.syntax` and those of `verify_mesh`, with line
// and column.
inline Result<Mesh> parse_mesh(std::string_view text) {
  detail::TextScanner in(text, "mesh.syntax", R"(write a mesh as <["data"=4, "model"=8]>)");
  Mesh mesh;
  if (!in.accept("#sdy.mesh")) in.accept_word("mesh");
  const bool read = detail::scan_mesh(in, mesh) && in.expect_end();
  if (!read || !in.errors().empty()) return std::move(in.errors());
  return mesh;
}

}  // namespace shardprop
