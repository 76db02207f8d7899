#include <gmock/gmock.h>

#include "fixtures.hpp"

namespace kareus::workload {
namespace {

using ::testing::ElementsAre;

Operator compute(std::string name, OperatorKind kind = OperatorKind::linear) {
  Operator op;
  op.name = std::move(name);
  op.kind = kind;
  return op;
}

Operator communication(std::string name, OperatorKind kind, Group group, double bytes) {
  Operator op = compute(std::move(name), kind);
  op.group = group;
  op.ranks = 2;
  op.message = Bytes(bytes);
  return op;
}

Operator reduce(std::string name) {
  return communication(std::move(name), OperatorKind::all_reduce, Group::tensor, 8);
}

/// `a,b|c` is compute a, b beside communication c.
std::vector<std::string> described(const std::vector<Operator>& operators) {
  std::vector<std::string> result;
  for (const FoundPartition& partition : detect_partitions(operators)) {
    std::string text;
    for (const Operator& op : partition.compute) text += (text.empty() ? "" : ",") + op.name;
    text += "|";
    if (partition.communication) text += partition.communication->name;
    result.push_back(text);
  }
  return result;
}

TEST(DetectPartitions, EachCommunicationHidesBehindTheOtherNanobatch) {
  EXPECT_THAT(described({compute("a"), reduce("x"), compute("b"), compute("c"), reduce("y"), compute("d")}),
              ElementsAre("a|", "a|x", "b,c|x", "b,c|y", "d|y", "d|"));
}

TEST(DetectPartitions, FusesNeighboursOfOneKindAndGroup) {
  const auto gather = [](const char* name) { return communication(name, OperatorKind::all_gather, Group::context, 4); };
  const auto found = detect_partitions({compute("a"), gather("k"), gather("v"), compute("b")});
  ASSERT_EQ(found.size(), 4U);
  ASSERT_TRUE(found[1].communication);
  EXPECT_EQ(found[1].communication->name, "k+v");
  EXPECT_EQ(found[1].communication->message.si(), 8);
  EXPECT_EQ(found[2].communication->name, "k+v");
}

TEST(DetectPartitions, KeepsNeighboursOfDifferentKindsApart) {
  EXPECT_THAT(described({compute("a"), reduce("x"), communication("y", OperatorKind::all_gather, Group::context, 4),
                         compute("b")}),
              ElementsAre("a|", "a|x", "|x", "|y", "b|y", "b|"));
}

TEST(DetectPartitions, LosesNoCommunicationAtEitherEnd) {
  EXPECT_THAT(described({reduce("x"), compute("a"), reduce("y")}), ElementsAre("|x", "a|x", "a|y", "|y"));
}

TEST(DetectPartitions, WithoutCommunicationThereIsNothingToOverlap) {
  EXPECT_THAT(described({compute("a"), compute("b")}), ElementsAre("a,b|", "a,b|"));
  EXPECT_TRUE(detect_partitions({}).empty());
}

std::vector<std::string> slot_names(const std::vector<Operator>& operators) {
  std::vector<std::string> result;
  for (const LaunchSlot& slot : launch_slots(operators)) result.push_back(slot.name);
  return result;
}

TEST(LaunchSlots, MergeMemoryBoundNeighboursOnly) {
  const std::vector<Operator> operators = {compute("bda", OperatorKind::norm),
                                           compute("norm", OperatorKind::norm),
                                           compute("qkv"),
                                           compute("split", OperatorKind::rope),
                                           compute("rotary", OperatorKind::rope),
                                           compute("attn", OperatorKind::attention),
                                           compute("proj"),
                                           compute("another"),
                                           compute("norm", OperatorKind::norm)};
  EXPECT_THAT(slot_names(operators),
              ElementsAre("norm_0", "linear_0", "rope_0", "attn_0", "linear_1", "linear_2", "norm_1"));
  const auto slots = launch_slots(operators);
  EXPECT_EQ(slots[1].first_operator, 2U);
  EXPECT_EQ(slots[6].first_operator, 8U);
}

/// One GEMM of a second, then a norm of a second, on a machine of unit rates.
FoundPartition unit_partition(double message_bytes) {
  FoundPartition partition{{compute("a"), compute("b", OperatorKind::norm)}, reduce("x")};
  partition.compute[0].work = Flops(1);
  partition.compute[1].traffic = Bytes(1);
  partition.communication->message = Bytes(message_bytes);
  return partition;
}

constexpr NominalRates kUnit{.compute = FlopsPerSecond(1), .memory = BytesPerSecond(1), .link = BytesPerSecond(1)};

std::vector<std::size_t> searched(const FoundPartition& partition) {
  return searched_launch_slots(partition, launch_slots(partition.compute), kUnit);
}

TEST(SearchedLaunchSlots, LeaveOutALastSlotThatAlwaysExposesTheCommunication) {
  // Two ranks put 2 (2 - 1) / 2 = 1 times the message on the wire to reduce it.
  EXPECT_THAT(searched(unit_partition(0.99)), ElementsAre(0, 1));
  EXPECT_THAT(searched(unit_partition(1.01)), ElementsAre(0));
  // A gather moves half as much.
  FoundPartition gather = unit_partition(1.99);
  gather.communication->kind = OperatorKind::all_gather;
  EXPECT_THAT(searched(gather), ElementsAre(0, 1));
  gather.communication->message = Bytes(2.01);
  EXPECT_THAT(searched(gather), ElementsAre(0));
}

TEST(SearchedLaunchSlots, NeverLeaveOutTheOnlyOne) {
  FoundPartition partition = unit_partition(1e9);
  partition.compute.resize(1);
  EXPECT_THAT(searched(partition), ElementsAre(0));
}

TEST(SearchedLaunchSlots, KeepTheFirstOfAKind) {
  FoundPartition partition = unit_partition(1e9);
  partition.compute.push_back(compute("c"));
  partition.compute.push_back(compute("d"));
  EXPECT_THAT(searched(partition), ElementsAre(0, 1));
}

TEST(SearchedLaunchSlots, NothingToLaunchNothingToSearch) {
  FoundPartition partition = unit_partition(1);
  partition.communication.reset();
  EXPECT_TRUE(searched(partition).empty());
}

TEST(OperatorKinds, AreEitherComputeOrCommunication) {
  EXPECT_TRUE(is_communication(OperatorKind::reduce_scatter));
  EXPECT_FALSE(is_communication(OperatorKind::loss));
  EXPECT_TRUE(is_memory_bound(OperatorKind::rope));
  EXPECT_FALSE(is_memory_bound(OperatorKind::attention));
  EXPECT_FALSE(is_memory_bound(OperatorKind::all_gather));
  EXPECT_EQ(to_string(OperatorKind::attention), "attn");
  EXPECT_EQ(to_string(Group::context), "context");
  EXPECT_EQ(to_string(Direction::backward), "backward");
}

}  // namespace
}  // namespace kareus::workload
