// Propagation that can be taken up again: after the annotation of a value or of a function's result
// has changed, `repropagate` gives exactly the shardings that a propagation from the beginning
// would give, and takes time for what becomes different on the way. session/repropagation.hpp says
// how.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/propagate/session/repropagation_report.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// The annotation of `value`, or, where `value` is none, of result `number` of `func`, becomes
// `sharding`. Meshes are those of the session's module.
struct AnnotationEdit {
  ValueId value;
  FuncId func;
  std::size_t number = 0;
  std::optional<TensorSharding> sharding = {};  // none: the annotation is taken away
};

// A program with its propagated shardings. It holds the program twice, as it was given and as it is
// propagated, and the record: some 200 bytes per operation.
class PropagationSession {
 public:
  // Propagates `m`, which must verify; fails as `propagate` does. What `options.schedule` names
  // must outlive the session.
  static Result<PropagationSession> start(Module m, const OpTable& table,
                                          const PropagateOptions& options = {});
  PropagationSession(PropagationSession&& other) noexcept;
  PropagationSession& operator=(PropagationSession&& other) noexcept;
  ~PropagationSession();

  // The program with its propagated shardings.
  const Module& module() const;
  // The program as it was given, with all edits.
  const Module& original() const;
  // What the last propagation from the beginning reported.
  const PropagationReport& report() const;
  // What is not resolved now. O(operations).
  std::vector<Unresolved> unresolved() const;

  // Changes annotations and propagates. Fails, and changes nothing, where an edit names no value or
  // result, or a sharding does not fit.
  Result<RepropagationReport> repropagate(std::span<const AnnotationEdit> edits);
  Result<RepropagationReport> repropagate(const AnnotationEdit& edit);

  // Goes on with another program, such as `original()` with operations added; always from the
  // beginning. Fails as `start` does; the session is then as it was.
  Result<RepropagationReport> repropagate(Module m);

 private:
  struct State;
  explicit PropagationSession(std::unique_ptr<State> state);
  void report_full_run(RepropagationReport& out) const;

  std::unique_ptr<State> state_;
};

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/propagate/session/propagation_session_inl.hpp"
#endif
