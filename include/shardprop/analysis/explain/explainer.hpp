// Makes explanations of the values of a program.
//
// A propagation works on a copy of the program, in which calls are inlined and constants have a copy
// for each use (pipeline/propagate_program.hpp). Everything is mapped back here, so that a chain goes
// through calls, loops and manual computations, and a value of a function that is called twice has
// a chain for each call where they differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "shardprop/analysis/explain/explanation.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/pipeline/propagate_program.hpp"
#include "shardprop/support/inline.hpp"

namespace shardprop {

// Explains values of one program. `copy` is what `propagate_copy` made of `program` with
// `options.trace`; all must outlive this.
class Explainer {
 public:
  Explainer(const Module& program, PropagatedCopy& copy, const OpTable& ops,
            const PropagateOptions& options);
  Explainer(Explainer&& other) noexcept;
  Explainer& operator=(Explainer&& other) noexcept;
  ~Explainer();

  std::size_t run_count() const;
  std::size_t runs_per_priority() const;
  // The user priority that a run is of.
  std::int32_t priority_of(std::size_t run) const;

  // How each axis came to `ref`; those of one name only, if `axis` is not empty.
  std::vector<AxisExplanation> axes(const ValueRef& ref, std::string_view axis = {});

  // The same with the last step only: the way goes on at the value that the step is from. Ways that
  // are shared are followed once, so that to ask for every value is linear.
  std::vector<AxisExplanation> last_steps(const ValueRef& ref);

  // Where the axis called `axis` stops on its way to `ref`.
  std::vector<MissingAxis> missing(const ValueRef& ref, std::string_view axis);

  // Whether the user wrote the axis anywhere: some sharding of the program has it.
  bool is_given(std::string_view axis) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/analysis/explain/explainer_inl.hpp"
#endif
