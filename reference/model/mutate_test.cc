#include "reference/model/mutate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reference/model/compiled.h"
#include "reference/model/generate.h"
#include "reference/model/revision_testing.h"

namespace assay::model {
namespace {

bool is_reported(const Deviations& deviations, const Deviation& promised) {
  return std::any_of(deviations.begin(), deviations.end(), [&](Deviation deviation) {
    deviation.closest.clear();
    return deviation == promised;
  });
}

std::string explain(const Mutation& mutation, const Deviations& deviations) {
  std::string text = mutation.name + " promised " + to_text(mutation.promised);
  for (const Deviation& deviation : deviations) text += "\n  reported " + to_text(deviation);
  return text + "\n" + mutation.value.dump();
}

class Mutate : public testing::TestWithParam<Revision> {};

INSTANTIATE_TEST_SUITE_P(EveryRevision, Mutate, every_revision(), revision_name);

TEST_P(Mutate, EveryChangeIsRefusedWithThePromisedDeviation) {
  for (const std::string& type : known_types(GetParam())) {
    Random random(1);
    for (std::size_t size = 0; size < 8; ++size) {
      const Json value = generate(GetParam(), type, random, size);
      for (const Mutation& mutation : mutations(GetParam(), type, value)) {
        const Deviations deviations = validate(GetParam(), type, mutation.value);
        ASSERT_TRUE(is_reported(deviations, mutation.promised))
            << type << ": " << explain(mutation, deviations);
        ASSERT_FALSE(is_valid(GetParam(), type, mutation.value)) << explain(mutation, deviations);
      }
    }
  }
}

TEST_P(Mutate, EveryChangeOfAMessageIsRefusedWithThePromisedDeviation) {
  for (const Direction direction : {Direction::kClientToServer, Direction::kServerToClient}) {
    for (const auto& [method, compiled] : Compiled::of(GetParam()).methods(direction)) {
      Random random(2);
      const auto message = generate_message(GetParam(), direction, method, random, 5);
      const std::vector<Mutation> all = message_mutations(GetParam(), direction, *message);
      EXPECT_GT(all.size(), 5u) << method;
      for (const Mutation& mutation : all) {
        // Without its method, or id, a message is one of another kind.
        const std::string& pointer = mutation.promised.pointer;
        if (pointer.empty() || pointer == "/method" || pointer == "/id") continue;
        const Deviations deviations = validate_message(GetParam(), direction, mutation.value);
        ASSERT_TRUE(is_reported(deviations, mutation.promised)) << explain(mutation, deviations);
      }
    }
  }
}

TEST(MutateKinds, ReachesEveryKindOfChange) {
  std::set<std::string> names;
  for (const Revision revision : Revision::all()) {
    for (const std::string& type : known_types(revision)) {
      Random random(3);
      const Json value = generate(revision, type, random, 8);
      for (const Mutation& mutation : mutations(revision, type, value)) names.insert(mutation.name);
    }
  }
  const std::set<std::string> all = {"drop",         "wrong-type",      "null",     "nest",
                                     "fraction",     "too-many",        "bad-key",  "bad-constant",
                                     "bad-format",   "bad-enumeration", "drop-all", "no-selector",
                                     "out-of-range", "wrong-selector"};
  EXPECT_EQ(names, all);
}

TEST(MutateKinds, ChangesOnePlaceOnly) {
  const Json tool = {{"name", "a"}, {"inputSchema", {{"type", "object"}}}};
  for (const Mutation& mutation : mutations(Revision::v2025_06_18, "Tool", tool)) {
    EXPECT_EQ(validate(Revision::v2025_06_18, "Tool", mutation.value).size(), 1u)
        << explain(mutation, {});
  }
}

TEST(MutateKinds, LeavesAnInvalidValueAlone) {
  EXPECT_TRUE(mutations(Revision::v2025_06_18, "Tool", {{"name", 1}}).empty());
  const Json call = {{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", 3}};
  EXPECT_TRUE(message_mutations(Revision::v2025_06_18, Direction::kClientToServer, call).empty());
  // The member that would choose the alternative is no string.
  const Json complete = {{"jsonrpc", "2.0"},
                         {"id", 1},
                         {"method", "completion/complete"},
                         {"params", {{"ref", {{"type", 5}}}, {"argument", Json::object()}}}};
  EXPECT_TRUE(
      message_mutations(Revision::v2025_06_18, Direction::kClientToServer, complete).empty());
}

}  // namespace
}  // namespace assay::model
