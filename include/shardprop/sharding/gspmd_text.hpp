// Shardings as GSPMD and HLO write them, in strings such as those of `mhlo.sharding`: a tensor is
// cut into tiles, and devices are listed by number; there are no axes.
//
//   {replicated}   {maximal device=3}   {manual}
//   {devices=[2,1,4]<=[8] last_tile_dim_replicate}   2 x 1 tiles of 4 devices each
//   {devices=[1,4]<=[2,2]T(1,0)}                     the devices 0 2 1 3
//   {devices=[2,2]0,2,1,3}                           a list
//   {{replicated}, {devices=[2]<=[2]}}               of a tuple
//
// What becomes of it here are digits: the devices are numbers 0 to n-1, each tile dimension is a
// list of digits of that number, and a mesh of named axes is one way to split the number into
// digits (see `find_digits`).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/sharding/scanner.hpp"
#include "shardprop/sharding/verify_mesh.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

enum class GspmdKind : std::uint8_t { kReplicated, kMaximal, kManual, kTiled };

struct GspmdSharding {
  GspmdKind kind = GspmdKind::kReplicated;
  std::int64_t device = 0;          // of kMaximal
  std::vector<std::int64_t> tiles;  // one number a dimension, then one for each subgroup
  std::size_t subgroups = 0;        // how many of `tiles` are no dimensions, at the end
  bool manual_subgroup = false;     // some subgroup is not replicated
  // The devices, tile by tile: those listed, or 0, 1, ... as an array of shape `reshape` that is
  // transposed.
  std::vector<std::int64_t> devices;
  std::vector<std::int64_t> reshape;
  std::vector<std::int64_t> transpose;  // none: in order

  std::size_t rank() const { return tiles.size() - subgroups; }
  std::int64_t device_count() const {
    std::int64_t count = 1;
    for (std::int64_t tile : tiles) count *= tile;
    return count;
  }
};

namespace detail {

inline constexpr std::int64_t kMaxListedDevices = 1 << 20;

class GspmdParser {
 public:
  explicit GspmdParser(std::string_view text)
      : in_(text, "gspmd.syntax",
            "write {replicated}, {maximal device=0} or {devices=[2,1]<=[2]}") {}

  Result<std::vector<GspmdSharding>> run() {
    std::vector<GspmdSharding> out;
    bool read = in_.expect("{");
    if (read && in_.next_is("{")) {
      do {
        read = in_.expect("{") && one(out.emplace_back()) && in_.expect("}");
      } while (read && in_.accept(","));
    } else {
      read = read && one(out.emplace_back());
    }
    if (!read || !in_.expect("}") || !in_.expect_end()) return std::move(in_.errors());
    return out;
  }

 private:
  bool one(GspmdSharding& out) {
    if (in_.accept_word("replicated")) return metadata();
    if (in_.accept_word("manual")) {
      out.kind = GspmdKind::kManual;
      return metadata();
    }
    if (in_.accept_word("maximal")) {
      out.kind = GspmdKind::kMaximal;
      return in_.expect("device") && in_.expect("=") && device(out.device) && metadata();
    }
    out.kind = GspmdKind::kTiled;
    return in_.expect("devices") && in_.expect("=") && list(out.tiles) && device_order(out) &&
           subgroups(out) && metadata() && check(out);
  }

  bool list(std::vector<std::int64_t>& out, std::string_view open = "[",
            std::string_view close = "]") {
    if (!in_.expect(open)) return false;
    do {
      if (!in_.integer(out.emplace_back())) return false;
    } while (in_.accept(","));
    return in_.expect(close);
  }

  bool device_order(GspmdSharding& out) {
    if (in_.accept("<=")) {
      return list(out.reshape) && (!in_.accept("T") || list(out.transpose, "(", ")"));
    }
    do {
      if (!device(out.devices.emplace_back())) return false;
    } while (in_.accept(","));
    return true;
  }

  bool device(std::int64_t& number) {
    if (!in_.integer(number)) return false;
    return (number >= 0 && number < kMaxDevices) || in_.fail("device numbers from 0 on");
  }

  bool subgroups(GspmdSharding& out) {
    if (in_.accept_word("last_tile_dim_replicate")) {
      out.subgroups = 1;
    } else if (in_.accept_word("last_tile_dims")) {
      if (!in_.expect("=") || !in_.expect("{")) return false;
      do {
        ++out.subgroups;
        const std::string_view kind = in_.word();
        if (kind.empty()) return in_.fail("a kind of subgroup, such as replicated");
        out.manual_subgroup = out.manual_subgroup || kind != "replicated";
      } while (in_.accept(","));
      if (!in_.expect("}")) return false;
    }
    return out.subgroups <= out.tiles.size() || in_.fail("no more subgroups than tile dimensions");
  }

  // `metadata={...}` says where the sharding came from.
  bool metadata() {
    if (!in_.accept_word("metadata")) return true;
    if (!in_.expect("=") || !in_.expect("{")) return false;
    std::string ignored;
    for (std::size_t depth = 1; depth > 0;) {
      if (in_.at_end()) return in_.fail("'}'");
      if (in_.next_is("\"")) {
        if (!in_.string(ignored)) return false;
      } else if (in_.accept("{")) {
        ++depth;
      } else if (in_.accept("}")) {
        --depth;
      } else {
        in_.skip_to(in_.offset() + 1);
      }
    }
    return true;
  }

  // The numbers must make sense together.
  bool check(const GspmdSharding& s) {
    std::int64_t count = 1;
    for (std::int64_t tile : s.tiles) {
      if (tile < 1 || tile > kMaxDevices / count)
        return in_.fail("tile sizes above 0, not too many");
      count *= tile;
    }
    if (!s.devices.empty()) {
      if (count > kMaxListedDevices || static_cast<std::size_t>(count) != s.devices.size())
        return in_.fail(fmt::format("{} devices", count));
      return true;
    }
    std::int64_t product = 1;
    for (std::int64_t size : s.reshape) {
      if (size < 1 || size > kMaxDevices / product) return in_.fail("sizes above 0");
      product *= size;
    }
    if (product != count) return in_.fail(fmt::format("{} devices after '<='", count));
    std::vector<std::int64_t> order = s.transpose;
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order.size() != s.reshape.size() || order[i] != static_cast<std::int64_t>(i))
        return in_.fail("a permutation of the dimensions after 'T'");
    }
    return true;
  }

  TextScanner in_;
};

}  // namespace detail

// Reads one sharding, or those of a tuple. Error: `gspmd.syntax`.
inline Result<std::vector<GspmdSharding>> parse_gspmd_sharding(std::string_view text) {
  return detail::GspmdParser(text).run();
}

// The part of a device's number that is `number / stride % size`.
struct DeviceDigit {
  std::int64_t stride = 1;
  std::int64_t size = 1;
  friend bool operator==(const DeviceDigit&, const DeviceDigit&) = default;
};
using DeviceDigits = std::vector<DeviceDigit>;  // major to minor

namespace detail {

// Puts `digit` in front, joined with the first one where it is the next more major part.
inline void put_major_digit(DeviceDigits& digits, DeviceDigit digit) {
  if (digit.size == 1) return;
  if (!digits.empty() && digit.stride == digits.front().stride * digits.front().size) {
    digits.front().size *= digit.size;
  } else {
    digits.insert(digits.begin(), digit);
  }
}

// The digits of a transposed array of devices, spread over the tile dimensions from the last on. No
// answer where a tile dimension ends inside of a digit at no divisor of it.
inline std::optional<std::vector<DeviceDigits>> digits_of_iota(const GspmdSharding& s) {
  DeviceDigits all;  // major to minor, of the transposed array
  for (std::size_t i = s.reshape.size(); i-- > 0;) {
    const std::size_t from = s.transpose.empty() ? i : static_cast<std::size_t>(s.transpose[i]);
    DeviceDigit digit{1, s.reshape[from]};
    for (std::size_t k = from + 1; k < s.reshape.size(); ++k) digit.stride *= s.reshape[k];
    put_major_digit(all, digit);
  }
  std::vector<DeviceDigits> out(s.tiles.size());
  for (std::size_t t = s.tiles.size(); t-- > 0;) {
    for (std::int64_t need = s.tiles[t]; need > 1;) {
      DeviceDigit& last = all.back();
      const std::int64_t part = std::min(need, last.size);
      if (need % part != 0 || last.size % part != 0) return std::nullopt;
      put_major_digit(out[t], {last.stride, part});
      need /= part;
      last.stride *= part;
      last.size /= part;
      if (last.size == 1 && all.size() > 1) all.pop_back();
    }
  }
  return out;
}

// The digits of one tile dimension of a list: `devices[i * step]` for i in 0..size-1.
inline std::optional<DeviceDigits> digits_of_steps(const std::vector<std::int64_t>& devices,
                                                   std::int64_t step, std::int64_t size) {
  const auto at = [&](std::int64_t i) {
    return devices[static_cast<std::size_t>(i * step)] - devices[0];
  };
  DeviceDigits out;
  for (std::int64_t done = 1; done < size;) {
    const std::int64_t stride = at(done);
    std::int64_t part = 2;
    while (done * part < size && at(done * part) == stride * part) ++part;
    while (size % (done * part) != 0) --part;
    if (stride < 1 || part < 2) return std::nullopt;
    put_major_digit(out, {stride, part});
    done *= part;
  }
  return out;
}

inline std::int64_t number_of(const DeviceDigits& digits, std::int64_t index) {
  std::int64_t number = 0;
  for (std::size_t i = digits.size(); i-- > 0;) {
    number += index % digits[i].size * digits[i].stride;
    index /= digits[i].size;
  }
  return number;
}

inline std::optional<std::vector<DeviceDigits>> digits_of_list(const GspmdSharding& s) {
  std::vector<DeviceDigits> out(s.tiles.size());
  std::int64_t step = 1;
  for (std::size_t t = s.tiles.size(); t-- > 0;) {
    const std::optional<DeviceDigits> digits = digits_of_steps(s.devices, step, s.tiles[t]);
    if (!digits) return std::nullopt;
    out[t] = *digits;
    step *= s.tiles[t];
  }
  for (std::int64_t i = 0; i < step; ++i) {
    std::int64_t number = 0;
    std::int64_t rest = i;
    for (std::size_t t = s.tiles.size(); t-- > 0; rest /= std::max<std::int64_t>(s.tiles[t], 1))
      number += number_of(out[t], rest % s.tiles[t]);
    if (number != s.devices[static_cast<std::size_t>(i)]) return std::nullopt;
  }
  return out;
}

}  // namespace detail

// For each tile dimension of a tiled sharding, subgroups too, the digits that it is cut by; none
// where the devices are in no order of that kind.
//
// Worked example: devices=[1,4]<=[2,2]T(1,0) lists 0 2 1 3. Dimension 1 is cut by the minor digit
// (stride 1, size 2), then by the major one (stride 2, size 2).
inline std::optional<std::vector<DeviceDigits>> find_digits(const GspmdSharding& s) {
  return s.devices.empty() ? detail::digits_of_iota(s) : detail::digits_of_list(s);
}

}  // namespace shardprop
