// Each process of mpirun runs the programs with collectives that are for as many processes as there
// are, and the simulated machine does as well: the results must be the same bits. Prints how many
// programs there were.
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "examples/mpi/mpi_communicator.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/run/made_tensors.hpp"
#include "tests/run/collective_cases.hpp"

namespace shardprop::test {
namespace {

struct MpiProgram {
  std::string text;
  ProcessGrid grid;
};

std::vector<MpiProgram> programs_for(std::size_t count) {
  std::vector<MpiProgram> out;
  const auto add = [&](const MachineCase& c) {
    if (c.grid.size() == count) out.push_back({machine_case_text(c.argument, c.body), c.grid});
  };
  for (const MachineCase& c : kGroups) add(c);
  for (const MachineCase& c : kExchanges) add(c);
  for (std::string& text : float_programs(count))
    out.push_back({std::move(text), {1, static_cast<std::int64_t>(count)}});
  if (count == 8) {
    std::ifstream file(SHARDPROP_SOURCE_DIR "/tests/data/run/jax_mlp_local.mlir");
    out.push_back({std::string(std::istreambuf_iterator<char>(file), {}), {1, 8}});
  }
  return out;
}

std::vector<Tensors> random_arguments(const Module& m, FuncId func, std::size_t count,
                                      const EvalOptions& options) {
  std::vector<Tensors> out(count);
  for (ValueId value : m.blocks[m.funcs[func].body].arguments) {
    const TypeId type = type_of(m, value);
    for (std::size_t i = 0; i < count; ++i) {
      out[i].push_back(random_tensor(element_of(m, type, options), detail::shape_copy(m, type), i));
    }
  }
  return out;
}

bool same_bits(const Tensors& a, const Tensors& b) {
  const auto same = [](const Tensor& x, const Tensor& y) {
    return x.element() == y.element() && x.shape() == y.shape() &&
           std::equal(x.read(), x.read() + x.bytes(), y.read());
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

// Whether the program gives the same here as on the simulated machine.
bool is_equal(const MpiProgram& program, const RankOptions& options, mpi::Communicator& comm) {
  const EvalTable table = standard_evaluators();
  const Result<Module> m = read_stablehlo_text(owned_text(std::string(program.text)));
  if (!m) return false;
  const Runnable runnable(*m, table);
  const FuncId func = find_func(*m, "main");
  const auto arguments = random_arguments(*m, func, comm.size(), options.eval);
  const auto simulated = run_on_grid(runnable, func, arguments, program.grid, options.eval);
  RankRun rank_run(runnable, program.grid, comm, options);
  const auto real = rank_run.run(func, arguments[comm.rank()]);
  if (!simulated || !real) return false;
  return std::equal(real->begin(), real->end(), simulated->begin(), simulated->end(), same_bits);
}

bool are_equal(mpi::Communicator& comm) {
  const std::vector<MpiProgram> programs = programs_for(comm.size());
  for (const MpiProgram& program : programs) {
    RankOptions exact;
    exact.eval.exact = true;
    RankOptions fast = exact;
    fast.fast_reduce = true;  // integers may be added in any order
    for (const RankOptions& options : {RankOptions(), exact, fast}) {
      if (is_equal(program, options, comm)) continue;
      fmt::print("process {} has other results of\n{}", comm.rank(), program.text);
      return false;
    }
  }
  if (comm.rank() == 0) fmt::print("{} programs are equal\n", programs.size());
  return !programs.empty();
}

}  // namespace
}  // namespace shardprop::test

int main(int argc, char** argv) {
  shardprop::mpi::Session session(argc, argv);
  shardprop::mpi::Communicator communicator(30);
  if (!shardprop::test::are_equal(communicator)) return 1;
  session.finish();
  return 0;
}
