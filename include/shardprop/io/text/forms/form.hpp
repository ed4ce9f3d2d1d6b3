// Pretty forms of operations: one row per operation, a name and a notation. The same notation is
// read and written.
//
// A notation is what the operation prints after its name. Text stands for itself, its blanks are
// those that are written; `{...}` are parts:
//   {0} {1}    operand number 0, 1          {*}        the other operands, with commas between
//   {*,}       the other operands, each with a comma after it
//   {@key}     the attribute `key`          {@@key}    the same as a symbol, `@name`
//   {<key}     the sharding of the result, which MLIR keeps as the attribute `key`
//   {dict}     the attributes that are left, with a blank before them: ` {key = value}`
//   {fn} {same} {out} ...   types, and parts that a function reads: see `kFormParts`
//   {?key}...{/}   only if the attribute `key` is there; `{?*}` operands, `{?none}` no operands,
//   `{?<}`
//              a sharding of the result. When reading: if the text inside comes next.
//
// Worked example: ` {0}, dims = {@permutation}{dict} : {fn}` is the notation of
// stablehlo.transpose:
//   stablehlo.transpose %0, dims = [1, 0] {note = "x"} : (tensor<2x3xf32>) -> tensor<3x2xf32>
// A form is compiled to a list of steps when its operation is met first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "shardprop/io/text/forms/attribute_rows.hpp"
#include "shardprop/io/text/forms/pretty_forms.hpp"
#include "shardprop/support/string_table.hpp"

namespace shardprop::detail {

enum class FormPart : std::uint8_t {
  kLiteral,
  kOperand,
  kOperands,
  kOperandsEach,
  kAttribute,
  kSymbol,
  kResultSharding,
  kGroup,
  kDict,
  // Types.
  kFunctionType,
  kSameType,
  kOutTypes,
  kInTypes,
  kInType,
  kPairTypes,
  kSelectType,
  kComplexType,
  kTupleType,
  kArrowTypes,
  kInTypesInBrackets,
  // Parts of single operations.
  kSliceRanges,
  kDotDims,
  kConvDims,
  kWindow,
  kFloatBits,
  kReduction,
  kConstant,
  kNumberAttribute,
  kBody,
  kRegions,
  kReduce,
  kScan,
  kWhile
};

struct FormPartName {
  std::string_view name;
  FormPart part;
};

inline constexpr std::array<FormPartName, 27> kFormParts = {{
    {"*", FormPart::kOperands},
    {"*,", FormPart::kOperandsEach},
    {"dict", FormPart::kDict},
    {"fn", FormPart::kFunctionType},  // (operands) -> results
    {"same", FormPart::kSameType},    // one type for all, or as `fn`
    {"out", FormPart::kOutTypes},     // of the results
    {"in", FormPart::kInTypes},       // of the operands
    {"in each", FormPart::kInType},   // one type for all operands
    {"(in)", FormPart::kInTypesInBrackets},
    {"pairs", FormPart::kPairTypes},         // of the operands, and so of the results
    {"select", FormPart::kSelectType},       // of the predicate and of all else, or as `fn`
    {"complex", FormPart::kComplexType},     // of the result, which says the operands', or as `fn`
    {"tuple", FormPart::kTupleType},         // of the result, which says the operands'
    {"arrow", FormPart::kArrowTypes},        // operands -> results, no brackets left
    {"slice", FormPart::kSliceRanges},       // [0:4, 1:8:2]
    {"dot_dims", FormPart::kDotDims},        // batching_dims = [0] x [0], contracting_dims = ...
    {"conv_dims", FormPart::kConvDims},      // [b, 0, f]x[0, i, o]->[b, 0, f]
    {"window", FormPart::kWindow},           // {stride = [2], pad = [[0, 1]]}
    {"float_bits", FormPart::kFloatBits},    // e5m10
    {"reduction", FormPart::kReduction},     // max, or nothing for a sum
    {"constant", FormPart::kConstant},       // {dict} dense<1.0> : tensor<2xf32>
    {"number", FormPart::kNumberAttribute},  // the same, or 1 : i32
    {"body", FormPart::kBody},               // (%a: type) {...}
    {"regions", FormPart::kRegions},         // ({...}, {...}) if there are any
    {"reduce", FormPart::kReduce},
    {"scan", FormPart::kScan},
    {"while", FormPart::kWhile},
}};

struct FormStep {
  FormPart part = FormPart::kLiteral;
  std::uint8_t number = 0;   // of an operand; of a group: how many steps are in it
  bool is_word = false;      // of a literal
  std::string_view text;     // of a literal: what is read; else the name of the part
  std::string_view written;  // of a literal: with its blanks
  StringId key;              // of an attribute, or of the one that a group is there for
  const OpAttributeRow* attribute = nullptr;
};

// Cuts a notation into steps. `key_of` gives the id of an attribute's name.
template <class KeyOf>
class FormCompiler {
 public:
  FormCompiler(const FormRow& row, std::vector<FormStep>& out, KeyOf key_of)
      : row_(row), out_(out), key_of_(key_of), left_(row.notation) {}

  void run() {
    std::size_t group = 0;
    while (!left_.empty()) {
      if (left_[0] != '{') {
        literal();
        continue;
      }
      const std::string_view name = left_.substr(1, left_.find('}') - 1);
      left_.remove_prefix(name.size() + 2);
      if (name == "/") {
        out_[group].number = static_cast<std::uint8_t>(out_.size() - group - 1);
      } else {
        if (name[0] == '?') group = out_.size();
        part(name);
      }
    }
  }

 private:
  static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  // One token with the blanks around it. The blanks before it were not yet written by the token
  // before.
  void literal() {
    std::size_t begin = left_.find_first_not_of(' ');
    if (begin == std::string_view::npos || left_[begin] == '{') {
      // Blanks in front of a part.
      FormStep step;
      step.written = left_.substr(0, begin);
      left_.remove_prefix(step.written.size());
      out_.push_back(step);
      return;
    }
    std::size_t end = begin + 1;
    if (is_name_char(left_[begin])) {
      while (end < left_.size() && is_name_char(left_[end])) ++end;
    } else if (left_.substr(begin).starts_with("->")) {
      ++end;
    }
    FormStep step;
    step.text = left_.substr(begin, end - begin);
    step.is_word = is_name_char(step.text[0]);
    while (end < left_.size() && left_[end] == ' ') ++end;
    step.written = left_.substr(0, end);
    left_.remove_prefix(end);
    out_.push_back(step);
  }

  void part(std::string_view name) {
    FormStep step;
    step.text = name;
    if (name[0] == '?') {
      step.part = FormPart::kGroup;
      step.text = name.substr(1);
      if (is_name_char(step.text[0]) && step.text != "none") step.key = key_of_(step.text);
    } else if (name[0] == '@') {
      const bool is_symbol = name.starts_with("@@");
      step.part = is_symbol ? FormPart::kSymbol : FormPart::kAttribute;
      step.text = name.substr(is_symbol ? 2 : 1);
      step.key = key_of_(step.text);
      step.attribute = find_op_attribute(row_.op, step.text);
    } else if (name[0] == '<') {
      step.part = FormPart::kResultSharding;
      step.text = name.substr(1);
      step.key = key_of_(step.text);
    } else if (name[0] >= '0' && name[0] <= '9') {
      step.part = FormPart::kOperand;
      step.number = static_cast<std::uint8_t>(name[0] - '0');
    } else {
      for (const FormPartName& known : kFormParts) {
        if (known.name == name) step.part = known.part;
      }
    }
    out_.push_back(step);
  }

  const FormRow& row_;
  std::vector<FormStep>& out_;
  KeyOf key_of_;
  std::string_view left_;
};

struct FormSteps {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;  // the same as `begin`: no form
};

// The forms of the operations that were met so far, by the id of their name.
class TextForms {
 public:
  // O(1) but for the first time. `key_of` as for `FormCompiler`.
  template <class KeyOf>
  FormSteps find(StringId op, std::string_view name, KeyOf key_of) {
    if (op.index >= by_name_.size()) by_name_.resize(op.index + 1, 0);
    std::uint32_t& at = by_name_[op.index];
    if (at == 0) {
      FormSteps made;
      made.begin = static_cast<std::uint32_t>(steps_.size());
      if (const FormRow* const row = find_form_row(name))
        FormCompiler<KeyOf>(*row, steps_, key_of).run();
      made.end = static_cast<std::uint32_t>(steps_.size());
      forms_.push_back(made);
      at = static_cast<std::uint32_t>(forms_.size());
    }
    return forms_[at - 1];
  }
  // By value: more forms may be compiled while one is in use.
  FormStep operator[](std::uint32_t at) const { return steps_[at]; }

 private:
  std::vector<std::uint32_t> by_name_;  // number in `forms_` plus one; 0: not looked for
  std::vector<FormSteps> forms_;
  std::vector<FormStep> steps_;
};

// The words of a convolution's window and the attributes that they stand for.
struct WindowWord {
  std::string_view word;
  std::string_view key;
};
inline constexpr std::array<WindowWord, 5> kWindowWords = {{
    {"stride", "window_strides"},
    {"pad", "padding"},
    {"lhs_dilate", "lhs_dilation"},
    {"rhs_dilate", "rhs_dilation"},
    {"reverse", "window_reversal"},
}};

// Operations that a reduce may name instead of having a region: both orders of the operands are the
// same.
inline constexpr std::array<std::string_view, 7> kReduceOps = {
    "stablehlo.add",      "stablehlo.and", "stablehlo.maximum", "stablehlo.minimum",
    "stablehlo.multiply", "stablehlo.or",  "stablehlo.xor"};

inline bool is_reduce_op(std::string_view name) {
  return std::find(kReduceOps.begin(), kReduceOps.end(), name) != kReduceOps.end();
}

}  // namespace shardprop::detail
