// The table of meshes finds by name and content what going through all rows would find.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shardprop/sharding/mesh.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::mesh_table_cases {
namespace {

// The same table without an index.
struct PlainTable {
  std::vector<Mesh> rows;

  std::size_t content(std::size_t id) const {
    std::size_t first = 0;
    while (!rows[first].same_content(rows[id])) ++first;
    return first;
  }
  std::size_t add(const Mesh& mesh) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (mesh.name.empty() && rows[i].name.empty() && rows[i].same_content(mesh)) return i;
    }
    rows.push_back(mesh);
    return rows.size() - 1;
  }
  MeshId find(const std::string& name) const {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!name.empty() && rows[i].name == name) return MeshId(i);
    }
    return MeshId();
  }
};

struct Numbers {
  std::uint64_t state = 5;
  std::size_t below(std::size_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::size_t>((state >> 33) % n);
  }
};

void check_same(const MeshTable& table, const PlainTable& plain,
                const std::vector<std::string>& names) {
  REQUIRE(table.size() == plain.rows.size());
  for (MeshId id : table.ids()) CHECK(table.content(id).index == plain.content(id.index));
  for (const std::string& name : names) CHECK(table.find(name) == plain.find(name));
}

}  // namespace

TEST_CASE("mesh table: what is added and renamed is found as in a plain list", "[sharding]") {
  const std::vector<std::string> names = {"", "", "a", "b", "c"};
  Numbers random;
  for (int round = 0; round < 40; ++round) {
    MeshTable table;
    PlainTable plain;
    for (int step = 0; step < 30; ++step) {
      const std::string& name = names[random.below(names.size())];
      if (plain.rows.empty() || random.below(3) != 0) {
        const Mesh mesh{name, {{"x", static_cast<std::int64_t>(random.below(3) + 1)}}, {}};
        CHECK(table.add(mesh).index == plain.add(mesh));
      } else {
        const std::size_t id = random.below(plain.rows.size());
        table.rename(MeshId(id), name);
        plain.rows[id].name = name;
      }
      check_same(table, plain, names);
    }
  }
}

}  // namespace shardprop::test::mesh_table_cases
