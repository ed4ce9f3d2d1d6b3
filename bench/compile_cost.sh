#!/usr/bin/env bash
# What it costs a source file to include the library: seconds of compilation at -O0, and how many of
# them the library adds to the headers of the standard library and of {fmt} that it uses;
# preprocessed lines; bytes of object code (text and data). Seconds are CPU time, the least of three
# runs. The file that compiles every function of the library is compiled once.
#
# usage: bench/compile_cost.sh [COMPILER] [COMPILER-OPTION...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

compiler=${1:-${CXX:-c++}}
if (($#)); then shift; fi
readonly OPTIONS=(-std=c++20 -O0 -Iinclude "$@")
FOLDER=$(mktemp -d)
readonly FOLDER
trap 'rm -rf "$FOLDER"' EXIT

# source_of NAME: writes source NAME from standard input.
source_of() {
  cat >"$FOLDER/$1.cpp"
}

# foreign_headers NAME: #include lines for the headers of the standard library and of {fmt} that
# source NAME reaches.
foreign_headers() {
  local own
  own=$("$compiler" "${OPTIONS[@]}" -MM "$FOLDER/$1.cpp" | tr -s '[:space:]' '\n' |
    grep -o 'include/shardprop/.*')
  # shellcheck disable=SC2086 # one word a header
  grep -hoE '^#include (<[^>]*>|"fmt/[^"]*")' $own | sort -u
}

# seconds NAME RUNS: CPU seconds, user and system, that compiling source NAME takes.
seconds() {
  for _ in $(seq "$2"); do
    { TIMEFORMAT='%U %S' && time "$compiler" "${OPTIONS[@]}" -c "$FOLDER/$1.cpp" \
      -o "$FOLDER/$1.o"; } 2>&1 | awk 'END { print $1 + $2 }'
  done | sort -n | head -n 1
}

lines() {
  "$compiler" "${OPTIONS[@]}" -E -P "$FOLDER/$1.cpp" | wc -l
}

object_bytes() {
  size "$FOLDER/$1.o" | awk 'NR == 2 { print $1 + $2 }'
}

# row TITLE NAME RUNS
row() {
  local all bare
  foreign_headers "$2" | source_of "$2_foreign"
  all=$(seconds "$2" "$3")
  bare=$(seconds "$2_foreign" "$3")
  printf '%-34s %8.2f %8.2f %8.2f %9d %9d %9d\n' "$1" "$all" "$bare" \
    "$(awk "BEGIN { print $all - $bare }")" "$(lines "$2")" "$(lines "$2_foreign")" \
    "$(object_bytes "$2")"
}

source_of umbrella <<<'#include "shardprop/shardprop.hpp"'
source_of compiled <<<'#define SHARDPROP_COMPILED
#include "shardprop/shardprop.hpp"'
source_of module <<<'#include "shardprop/ir/module.hpp"'
source_of definitions <<<'#include "shardprop/pipeline/compiled_definitions.hpp"'

printf 'compile cost with %s at -O0\nforeign: only the headers of the standard library and {fmt}\n' \
  "$("$compiler" --version | head -n 1)"
printf '%-34s %8s %8s %8s %9s %9s %9s\n' 'a file that includes' s foreign added lines foreign \
  'object B'
row shardprop.hpp umbrella 3
row 'shardprop.hpp, SHARDPROP_COMPILED' compiled 3
row ir/module.hpp module 3
row pipeline/compiled_definitions.hpp definitions 1
