// Ids and names of classes, for headers that only mention them. tests/structure_test.cpp checks that
// each class exists.
#pragma once

namespace shardprop {

template <class Tag>
struct Id;

// support/
struct StringTag;
using StringId = Id<StringTag>;
class StringTable;
struct Diagnostic;
template <class T>
class Result;

// sharding/
struct MeshTag;
struct ShardingTag;
struct RuleTag;
using MeshId = Id<MeshTag>;
using ShardingId = Id<ShardingTag>;
using RuleId = Id<RuleTag>;
struct AxisRef;
struct Mesh;
struct TensorSharding;
struct OpShardingRule;
class MeshTable;

// ir/
struct TypeTag;
struct AttrTag;
struct OpTag;
struct ValueTag;
struct BlockTag;
struct FuncTag;
struct UseTag;
struct LocTag;
using TypeId = Id<TypeTag>;
using AttrId = Id<AttrTag>;
using OpId = Id<OpTag>;
using ValueId = Id<ValueTag>;
using BlockId = Id<BlockTag>;
using FuncId = Id<FuncTag>;
using UseId = Id<UseTag>;
using LocId = Id<LocTag>;
struct Module;

// ops/
struct OpDef;
struct CustomOp;
class OpTable;
class GraphBuilder;

// propagate/
struct PropagateOptions;
struct PropagationReport;

// pipeline/
struct PassCall;
struct PassDef;
class PassTable;
struct RunOptions;
struct PipelineReport;

// analysis/
struct CommunicationSummary;

}  // namespace shardprop
