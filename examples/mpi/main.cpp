// `mpirun -n 8 shardprop-mpi IN`: runs a local program with one process per device. Options and
// results are those of `shardprop eval --devices`; process 0 shows or writes the results.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/cli/eval_command.hpp"
#include "examples/mpi/mpi_communicator.hpp"

namespace {

using namespace shardprop;
using namespace shardprop::cli;

constexpr std::array kMpiOptions =
    kEvalOptions +
    std::array{Option{"--fast-reduce", "",
                      "reduce by MPI_Allreduce: faster, and floats are added in any order"},
               Option{"--time-limit", "SECONDS",
                      "how long a process waits for others before it ends the run (30)"}};

constexpr Command kCommand{"shardprop-mpi",
                           "IN",
                           "Runs a local program with one process per device.",
                           "mpirun -n 8 shardprop-mpi local.mlir --arg '*=random' -o results.npz",
                           kMpiOptions,
                           1,
                           1,
                           nullptr};

unsigned seconds_of(const Arguments& arguments) {
  const std::string text = arguments.get("--time-limit", "30");
  unsigned seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::max(seconds, 1u);
}

// The grid of the program, if it is for as many processes as there are.
std::optional<ProcessGrid> grid_for(const Module& m, std::size_t processes) {
  const auto grid = grid_of(m).value_or(ProcessGrid{1, static_cast<std::int64_t>(processes)});
  if (grid.size() == processes) return grid;
  print_error(fmt::format("the program is for {} devices; call it by mpirun -n {}", grid.size(),
                          grid.size()));
  return std::nullopt;
}

int run(const Arguments& arguments, mpi::Communicator& communicator) {
  // Process 0 is the first to read, so that what is wrong is said once: it then ends the others.
  const std::vector<ProcessGroup> everybody = {
      shardprop::detail::first_numbers<std::size_t>(communicator.size())};
  if (communicator.rank() != 0) communicator.split(everybody);
  const auto given = cli::detail::given_arguments(arguments);
  if (!given) return kBadUsage;
  const std::optional<Input> input = load(arguments.positional[0], standard_ops());
  if (!input) return kBadInput;
  const Module& m = input->m;
  const FuncId func = find_func(m, arguments.get("--function", "main"));
  cli::detail::Run run;
  run.options.exact = arguments.has("--exact");
  run.grid = grid_for(m, communicator.size());
  if (!run.grid) return kBadUsage;
  const EvalTable table = standard_evaluators();
  const Runnable program(m, table);
  Tensors own;
  if (func.valid()) {
    const auto values = cli::detail::arguments_of(m, func, *given, run);
    if (!values) return kBadInput;
    own = shards_of_arguments(m, func, *values, communicator.size())[communicator.rank()];
  }
  if (communicator.rank() == 0) communicator.split(everybody);
  RankRun rank_run(program, *run.grid, communicator, {run.options, arguments.has("--fast-reduce")});
  const auto results = rank_run.run(func, std::move(own));
  if (!results) {
    print_diagnostics(results.errors(), input->texts());
    return kBadInput;
  }
  if (communicator.rank() != 0) return kOk;
  return cli::detail::write_results(cli::detail::results_of_devices(m, func, *results),
                                    arguments.get("-o"));
}

}  // namespace

int main(int argc, char** argv) {
  mpi::Session session(argc, argv);
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  Arguments arguments;
  if (std::ranges::find(words, "--help") != words.end()) {
    session.finish();
    std::string help = command_help(kCommand);
    help.erase(help.find("shardprop shardprop"), std::string_view("shardprop ").size());
    return print_text(help);
  }
  if (const std::string error = parse_arguments(kCommand, words, arguments); !error.empty()) {
    print_error(error);
    return kBadUsage;
  }
  mpi::Communicator communicator(seconds_of(arguments));
  const int code = run(arguments, communicator);
  if (code == kOk) session.finish();
  return code;
}
