#!/usr/bin/env python3
"""Plants faults in the evaluator and the machine, and tells which ones the tests do not notice.

usage: tests/run/mutants/mutants.py [NUMBER...]

The faults are in mutants.txt: an expression of a header and what takes its place. All are planted
in one copy of the headers, each behind a number that is given when the program runs, so that the
tests of room run are compiled once: a minute in all. Ends with 1 if a fault is not noticed.
Needs g++, {fmt}, nlohmann/json and Catch2 2. Not part of CI.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
SECONDS = 60
# Those of room run that take no more than a second or two.
TESTS = ('collectives', 'elementwise_run', 'machine', 'placement', 'process', 'tensor_ops_run',
         'uneven_run')
SWITCH = '''#pragma once
#include <cstdlib>
#include <type_traits>
namespace shardprop {
inline int wanted_mutant() {
  static const char* const number = std::getenv("MUTANT");
  static const int wanted = number ? std::atoi(number) : 0;
  return wanted;
}
constexpr bool mutant(int number) {
  return !std::is_constant_evaluated() && number == wanted_mutant();
}
}  // namespace shardprop
'''


class Mutant:
    def __init__(self, file, line):
        self.file, self.line = file, line
        found, self.new = line.split(' => ')
        parts = found.split('`')
        self.before, self.old, self.after = parts if len(parts) == 3 else ('', found, '')

    def place(self, text):
        """Where the expression begins in the text of its file."""
        found = self.before + self.old + self.after
        if text.count(found) != 1:
            sys.exit(f'{self.file}: {text.count(found)} times there: {found}')
        return text.index(found) + len(self.before)


def read_mutants():
    mutants, file = [], None
    for line in (HERE / 'mutants.txt').read_text().splitlines():
        if line.startswith('file '):
            file = line[5:]
        elif line and not line.startswith('#'):
            mutants.append(Mutant(file, line))
    return mutants


def plant(headers, mutants):
    (headers / 'shardprop/mutant.hpp').write_text(SWITCH)
    for file in {mutant.file for mutant in mutants}:
        path = headers / 'shardprop' / file
        text = path.read_text()
        places = [(mutant.place(text), number, mutant)
                  for number, mutant in enumerate(mutants, 1) if mutant.file == file]
        # From the end on, so that the places before stay what they are.
        for at, number, mutant in sorted(places, reverse=True):
            both = f'(::shardprop::mutant({number}) ? ({mutant.new}) : ({mutant.old}))'
            text = text[:at] + both + text[at + len(mutant.old):]
        path.write_text(text.replace('#pragma once', '#pragma once\n#include "shardprop/mutant.hpp"', 1))


def build(folder):
    """One program of the tests."""
    tests = [f'tests/run/{name}_test.cpp' for name in TESTS]
    unit = folder / 'tests.cpp'
    unit.write_text('#define CATCH_CONFIG_MAIN\n#include "tests/catch.hpp"\n' +
                    ''.join(f'#include "{test}"\n' for test in tests))
    program = folder / 'tests'
    subprocess.run(['g++', '-std=c++20', '-O0', f'-I{folder}/include', f'-I{PROJECT}',
                    f'-DSHARDPROP_SOURCE_DIR="{PROJECT}"', '-DSHARDPROP_SHARED=""', unit,
                    '-lfmt', '-o', program], check=True)
    return program


def is_noticed(program, number):
    try:
        run = subprocess.run([program, '--abort'], cwd=PROJECT, capture_output=True, timeout=SECONDS,
                             env={**os.environ, 'MUTANT': str(number)})
    except subprocess.TimeoutExpired:
        return True
    return run.returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('numbers', nargs='*', type=int, help='only these')
    args = parser.parse_args()
    mutants = read_mutants()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copytree(PROJECT / 'include', folder / 'include')
        plant(folder / 'include', mutants)
        program = build(folder)
        if is_noticed(program, 0):
            sys.exit('the tests fail without a fault')
        numbers = args.numbers or range(1, len(mutants) + 1)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            noticed = list(pool.map(lambda n: is_noticed(program, n), numbers))
    for number, good in zip(numbers, noticed):
        if not good:
            print(f'not noticed: {number}: {mutants[number - 1].file}: {mutants[number - 1].line}')
    print(f'{sum(noticed)} of {len(noticed)} faults are noticed')
    sys.exit(0 if all(noticed) else 1)


if __name__ == '__main__':
    main()
