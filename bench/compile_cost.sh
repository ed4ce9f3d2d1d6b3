#!/usr/bin/env bash
# What including the library costs a source file: seconds of compilation at -O0, and what is left of
# them without the standard headers that the library uses; preprocessed lines; and the bytes of
# object code (text and data). CPU time, the least of three runs, of one where all is compiled.
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

# source_of NAME: where the source file with the #include lines from standard input goes.
source_of() {
  cat >"$FOLDER/$1.cpp"
}

# standard_headers NAME: #include lines for the standard headers that source NAME reaches.
standard_headers() {
  local own
  own=$("$compiler" "${OPTIONS[@]}" -MM "$FOLDER/$1.cpp" | tr -s '[:space:]' '\n' |
    grep -o 'include/shardprop/.*')
  # shellcheck disable=SC2086 # one word a header
  grep -hoE '^#include <[^>]*>' $own | sort -u
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
  standard_headers "$2" | source_of "$2_standard"
  all=$(seconds "$2" "$3")
  bare=$(seconds "$2_standard" "$3")
  printf '%-34s %8.2f %8.2f %8.2f %9d %9d %9d\n' "$1" "$all" "$bare" \
    "$(awk "BEGIN { print $all - $bare }")" "$(lines "$2")" "$(lines "$2_standard")" \
    "$(object_bytes "$2")"
}

source_of umbrella <<<'#include "shardprop/shardprop.hpp"'
source_of compiled <<<'#define SHARDPROP_COMPILED
#include "shardprop/shardprop.hpp"'
source_of module <<<'#include "shardprop/ir/module.hpp"'
source_of definitions <<<'#include "shardprop/pipeline/compiled_definitions.hpp"'

printf 'compile cost with %s at -O0; "std": only the standard headers that are used\n' \
  "$("$compiler" --version | head -n 1)"
printf '%-34s %8s %8s %8s %9s %9s %9s\n' 'a file that includes' s 's std' 's over' lines 'lines std' \
  'object B'
row shardprop.hpp umbrella 3
row 'shardprop.hpp, SHARDPROP_COMPILED' compiled 3
row ir/module.hpp module 3
row pipeline/compiled_definitions.hpp definitions 1
