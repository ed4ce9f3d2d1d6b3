#!/usr/bin/env bash
# What it costs to compile a file that uses the library: CPU seconds, how many of them the library
# adds to the headers of the standard library and of {fmt} that the file reaches, the most memory that
# the compiler takes, preprocessed lines, and bytes of object code. The file is the README's example,
# header-only and against the compiled library; beside it, files that only include headers. Seconds
# are the least of RUNS runs (3).
#
# It needs python3. usage: bench/compile_cost.sh [COMPILER] [COMPILER-OPTION...]     (default options: -O2)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

compiler=${1:-${CXX:-c++}}
if (($#)); then shift; fi
if ((!$#)); then set -- -O2; fi
readonly OPTIONS=(-std=c++20 -Iinclude "$@")
readonly RUNS=${RUNS:-3}
FOLDER=$(mktemp -d)
readonly FOLDER
trap 'rm -rf "$FOLDER"' EXIT

# source_of NAME: writes source NAME from standard input.
source_of() {
  cat >"$FOLDER/$1.cpp"
}

# foreign_headers NAME [OPTION...]: #include lines for the headers of the standard library and of
# {fmt} that source NAME reaches.
foreign_headers() {
  local name=$1 own
  shift
  own=$("$compiler" "${OPTIONS[@]}" "$@" -MM "$FOLDER/$name.cpp" | tr -s '[:space:]' '\n' |
    grep -o 'include/shardprop/.*')
  # shellcheck disable=SC2086 # one word a header
  grep -hoE '^#include (<[^>]*>|"fmt/[^"]*")' $own "$FOLDER/$name.cpp" | sort -u
}

# cost NAME [OPTION...]: CPU seconds, user and system, and megabytes that compiling source NAME takes.
cost() {
  local name=$1
  shift
  for _ in $(seq "$RUNS"); do
    python3 - "$compiler" "${OPTIONS[@]}" "$@" -c "$FOLDER/$name.cpp" -o "$FOLDER/$name.o" <<'EOF'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{used.ru_utime + used.ru_stime:.2f} {used.ru_maxrss // 1024}")
EOF
  done | sort -n | head -n 1
}

# row TITLE NAME [OPTION...]
row() {
  local title=$1 name=$2 all bare memory lines
  shift 2
  foreign_headers "$name" "$@" | source_of "${name}_foreign"
  read -r all memory < <(cost "$name" "$@")
  read -r bare _ < <(cost "${name}_foreign" "$@")
  lines=$("$compiler" "${OPTIONS[@]}" "$@" -E -P "$FOLDER/$name.cpp" | wc -l)
  printf '%-38s %8s %8s %8s %8s %9d %9d\n' "$title" "$all" "$bare" \
    "$(awk "BEGIN { printf \"%.2f\", $all - $bare }")" "$memory" "$lines" \
    "$(size "$FOLDER/$name.o" | awk 'NR == 2 { print $1 + $2 }')"
}

sed -n '/^```cpp$/,/^```$/{/^```/d;p}' README.md | source_of readme
source_of umbrella <<<'#include "shardprop/shardprop.hpp"'
source_of module <<<'#include "shardprop/ir/module.hpp"'

printf 'compile cost with %s, options %s\nforeign: only the headers of the standard library and {fmt}\n' \
  "$("$compiler" --version | head -n 1)" "$*"
printf '%-38s %8s %8s %8s %8s %9s %9s\n' 'a file' s foreign added MB lines 'object B'
row 'README, shardprop::compiled' readme -DSHARDPROP_COMPILED
row 'README, header-only' readme
row 'only shardprop.hpp, compiled' umbrella -DSHARDPROP_COMPILED
row 'only shardprop.hpp, header-only' umbrella
row 'only ir/module.hpp, header-only' module
