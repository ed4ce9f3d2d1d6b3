// What a tensor sharding must hold to: one case a code, and random shardings against the model.
#include "shardprop/sharding/verify_sharding.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/sharding/sharding_text.hpp"
#include "tests/catch.hpp"
#include "tests/sharding/axis_model.hpp"
#include "tests/sharding/codes.hpp"
#include "tests/sharding/random_sharding.hpp"

namespace shardprop {
namespace {

using namespace test;

struct Outcome {
  bool valid;
  Codes codes;
};

// Verifies a sharding that is given as text on mesh <["a"=12, "b"=8, "c"=2]> or a maximal one.
Outcome outcome(std::string_view text, ShardedShape value) {
  MeshTable meshes;
  Mesh mesh = make_mesh({12, 8, 2});
  meshes.add(mesh);
  meshes.add(Mesh{"maximal", {}, {3}});
  const Result<TensorSharding> s = parse_sharding(text, meshes);
  REQUIRE(s.ok());
  Diagnostics out;
  Place place;
  place.value = "%0";
  const bool valid = verify_sharding(*s, meshes, value, place, out);
  for (const Diagnostic& d : out) CHECK(d.place.value == "%0");
  CHECK(valid == !has_errors(out));
  return {valid, codes(out)};
}

Codes matrix(std::string_view text) {
  const std::int64_t shape[] = {24, 16};
  return outcome(text, {true, shape}).codes;
}

}  // namespace

TEST_CASE("sharding verification: valid shardings", "[sharding]") {
  CHECK(matrix(R"(<@mesh, [{"a", "c"}, {"b", ?}p1]>)").empty());
  CHECK(matrix(R"(<@mesh, [{"b":(4)2, "b":(1)2}, {"b":(2)2}], replicated={"a":(1)2, "a":(6)2}>)")
            .empty());
  CHECK(matrix("<@mesh, [{?}p0, {?}p3]>").empty());
  CHECK(matrix(R"(<@mesh, [{"c"}p0, {}], unreduced=max{"a", "b"}>)").empty());
}

TEST_CASE("sharding verification: each code", "[sharding]") {
  CHECK(matrix(R"(<@mesh, [{"a"}]>)") == Codes{"sharding.rank_mismatch"});
  CHECK(matrix(R"(<@mesh, [{"a", "a"}, {}]>)") == Codes{"sharding.duplicate_axis"});
  CHECK(matrix(R"(<@mesh, [{"a"}, {}], replicated={"a"}>)") == Codes{"sharding.duplicate_axis"});
  CHECK(matrix(R"(<@mesh, [{"b":(1)2}, {}], unreduced={"b":(1)2}>)") ==
        Codes{"sharding.duplicate_axis"});
  CHECK(matrix(R"(<@mesh, [{"b":(1)2, "b":(2)2}, {}]>)") == Codes{"sharding.mergeable_sub_axes"});
  CHECK(matrix(R"(<@mesh, [{}, {}], replicated={"b":(1)2, "b":(2)4}>)") ==
        Codes{"sharding.mergeable_sub_axes"});
  CHECK(matrix(R"(<@mesh, [{"b"}, {"b":(2)2}]>)") == Codes{"sharding.full_and_sub_axis"});
  CHECK(matrix(R"(<@mesh, [{"b":(1)4}, {"b":(2)4}]>)") == Codes{"sharding.overlapping_sub_axes"});
  CHECK(matrix(R"(<@mesh, [{"b":(1)4}, {"b":(1)2}]>)") == Codes{"sharding.overlapping_sub_axes"});
  CHECK(matrix(R"(<@mesh, [{}, {}], replicated={"b", "a"}>)") == Codes{"sharding.unsorted_axes"});
  CHECK(matrix(R"(<@mesh, [{}, {}], unreduced={"b":(4)2, "b":(1)2}>)") ==
        Codes{"sharding.unsorted_axes"});
  CHECK(matrix("<@mesh, [{}p1, {}]>") == Codes{"sharding.idle_priority"});
  CHECK(matrix("<@mesh, [{}p0, {}]>") == Codes{"sharding.idle_priority"});
}

TEST_CASE("sharding verification: maximal meshes and values that are not tensors", "[sharding]") {
  CHECK(matrix("<@maximal, []>").empty());
  CHECK(matrix("<@maximal, [{}, {}]>") == Codes{"sharding.maximal_with_axes"});
  const ShardedShape token{false, {}};
  CHECK(outcome("<@mesh, []>", token).codes.empty());
  CHECK(outcome("<@maximal, []>", token).codes.empty());
  CHECK(outcome("<@mesh, [{}]>", token).codes == Codes{"sharding.not_a_tensor"});
  CHECK(outcome(R"(<@mesh, [], replicated={"a"}>)", token).codes == Codes{"sharding.not_a_tensor"});
  CHECK(outcome(R"(<@mesh, [], unreduced={"a"}>)", token).codes == Codes{"sharding.not_a_tensor"});
}

TEST_CASE("sharding verification: axes of a manual computation around", "[sharding]") {
  const std::int64_t shape[] = {24};
  const std::string_view manual[] = {"c", "b", "elsewhere"};
  CHECK(outcome(R"(<@mesh, [{"a"}]>)", {true, shape, manual}).codes.empty());
  CHECK(outcome(R"(<@mesh, [{"b":(1)2}]>)", {true, shape, manual}).codes ==
        Codes{"sharding.manual_axis"});
  CHECK(
      outcome(R"(<@mesh, [{}], replicated={"b"}, unreduced={"c"}>)", {true, shape, manual}).codes ==
      Codes{"sharding.manual_axis", "sharding.manual_axis"});
}

TEST_CASE("sharding verification: divisibility only where it is asked for", "[sharding]") {
  const std::int64_t shape[] = {9, -1};
  const std::string_view text = R"(<@mesh, [{"a"}, {"b"}]>)";
  CHECK(outcome(text, {true, shape}).codes.empty());
  CHECK(outcome(text, {true, shape, {}, true}).codes == Codes{"sharding.not_divisible"});
}

TEST_CASE("sharding verification: parts that no one split has are a warning", "[sharding]") {
  const std::int64_t shape[] = {24};
  const Outcome gap = outcome(R"(<@mesh, [{"a":(1)2, "a":(3)2}]>)", {true, shape});
  CHECK(gap.valid);
  CHECK(gap.codes == Codes{"sharding.incompatible_sub_axes"});
}

TEST_CASE("sharding verification: shardings that no text can make", "[sharding]") {
  MeshTable meshes;
  const MeshId id = meshes.add(make_mesh({8, 2}));
  const std::int64_t shape[] = {16};
  const auto verify = [&](const TensorSharding& s) {
    Diagnostics out;
    CHECK_FALSE(verify_sharding(s, meshes, {true, shape}, {}, out));
    return codes(out);
  };
  TensorSharding s = closed_sharding(id, 1);
  s.mesh = MeshId();
  CHECK(verify(s) == Codes{"sharding.unknown_mesh"});
  const auto with = [&](AxisRef axis) {
    TensorSharding one = closed_sharding(id, 1);
    one.dims[0].axes.push_back(axis);
    return one;
  };
  CHECK(verify(with(AxisRef{2, 1, 1, 2})) == Codes{"sharding.unknown_axis"});
  CHECK(verify(with(AxisRef{0, 1, 1, 4})) == Codes{"sharding.axis_size"});
  CHECK(verify(with(sub_axis(0, 0, 2))) == Codes{"sharding.sub_axis_pre_size"});
  CHECK(verify(with(sub_axis(0, 2, 1))) == Codes{"sharding.sub_axis_size"});
  CHECK(verify(with(sub_axis(0, 2, 3))) == Codes{"sharding.sub_axis_not_dividing"});
  CHECK(verify(with(sub_axis(0, 1, 8))) == Codes{"sharding.sub_axis_is_full"});
  TensorSharding negative = open_sharding(id, 1);
  negative.dims[0].priority = -2;
  CHECK(verify(negative) == Codes{"sharding.priority"});
}

TEST_CASE("sharding verification: all errors are reported", "[sharding]") {
  CHECK(matrix(R"(<@mesh, [{"a", "a"}p1, {}p2], replicated={"c", "b", "b":(1)2}>)") ==
        Codes{"sharding.duplicate_axis", "sharding.idle_priority", "sharding.unsorted_axes",
              "sharding.full_and_sub_axis"});
}

TEST_CASE("sharding verification: exactly what has no overlap is accepted", "[sharding]") {
  Random random(4);
  int accepted = 0;
  int refused = 0;
  for (const Mesh& mesh : small_meshes()) {
    MeshTable meshes;
    const MeshId id = meshes.add(mesh);
    const std::vector<AxisRef> refs = all_refs(mesh);
    const std::int64_t shape[] = {16, 16};
    for (int i = 0; i < 300; ++i) {
      TensorSharding s = open_sharding(id, 2);
      AxisList* const lists[] = {&s.dims[0].axes, &s.dims[1].axes, &s.replicated, &s.unreduced};
      std::set<std::int64_t> used;
      bool expected = true;
      for (AxisList* list : lists) {
        for (std::size_t n = pick(random, 5) / 2; n > 0; --n) {
          const AxisRef next = refs[pick(random, refs.size())];
          for (std::int64_t at : covered(next)) expected = used.insert(at).second && expected;
          if (!list->empty()) {
            const AxisRef last = list->back();
            const bool consecutive =
                last.axis == next.axis && last.next_pre_size() == next.pre_size;
            const bool sorted = *covered(last).begin() < *covered(next).begin();
            if (consecutive && mesh.axes[next.axis].size > 1) expected = false;
            if (list != lists[0] && list != lists[1] && !sorted) expected = false;
          }
          list->push_back(next);
        }
      }
      Diagnostics out;
      const bool valid = verify_sharding(s, meshes, {true, shape}, {}, out);
      INFO(to_string(s, meshes) << " on " << to_string(mesh) << "\n" << to_string(out));
      REQUIRE(valid == expected);
      (valid ? accepted : refused) += 1;
    }
  }
  CHECK(accepted > 1000);
  CHECK(refused > 1000);
}

}  // namespace shardprop
