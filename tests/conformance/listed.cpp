#include "tests/conformance/listed.hpp"

#include <fmt/core.h>

#include <fstream>
#include <set>
#include <sstream>
#include <utility>

namespace shardprop::conformance {

std::string mark_listed(const std::string& file, const std::vector<Case>& cases,
                        const std::vector<std::size_t>& selected,
                        std::vector<CaseResult>& results) {
  std::ifstream in(file);
  if (!in) return fmt::format("cannot read {}\n", file);
  std::set<std::pair<std::string, std::string>> listed;
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string reason;
    std::string group;
    std::string name;
    if (!(words >> reason >> group >> name)) {
      out += fmt::format("{}: cannot read '{}'\n", file, line);
      continue;
    }
    listed.emplace(group, name);
  }
  std::set<std::pair<std::string, std::string>> agreeing;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const Case& c = cases[selected[i]];
    if (!listed.contains({c.group, c.name})) continue;
    if (results[i].outcome == Outcome::kDiffers) results[i].outcome = Outcome::kListed;
    if (results[i].outcome == Outcome::kAgrees) agreeing.emplace(c.group, c.name);
  }
  // Several cases may have one name.
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const Case& c = cases[selected[i]];
    if (results[i].outcome == Outcome::kListed) agreeing.erase({c.group, c.name});
  }
  for (const auto& [group, name] : agreeing)
    out += fmt::format("{}: {} {} agrees: take its line out\n", file, group, name);
  return out;
}

}  // namespace shardprop::conformance
