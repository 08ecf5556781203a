#include "reference/model/generate.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "reference/model/compiled.h"
#include "reference/model/revision_testing.h"
#include "reference/model/validator.h"

namespace assay::model {
namespace {

class Generate : public testing::TestWithParam<Revision> {};

INSTANTIATE_TEST_SUITE_P(EveryRevision, Generate, every_revision(), revision_name);

TEST_P(Generate, MakesValidValuesOfEveryTypeAndSize) {
  for (const std::string& type : known_types(GetParam())) {
    Random random(1);
    for (std::size_t size = 0; size < 24; ++size) {
      const Json value = generate(GetParam(), type, random, size);
      const Deviations deviations = validate(GetParam(), type, value);
      ASSERT_TRUE(deviations.empty()) << type << ": " << to_text(deviations.front()) << "\n"
                                      << value.dump(1);
    }
  }
}

TEST_P(Generate, MakesValidMessagesOfEveryMethod) {
  for (const Direction direction : {Direction::kClientToServer, Direction::kServerToClient}) {
    const Direction back = direction == Direction::kClientToServer ? Direction::kServerToClient
                                                                   : Direction::kClientToServer;
    for (const auto& [method, compiled] : Compiled::of(GetParam()).methods(direction)) {
      Random random(2);
      for (std::size_t size = 0; size < 16; ++size) {
        const auto message = generate_message(GetParam(), direction, method, random, size);
        ASSERT_TRUE(message);
        EXPECT_TRUE(validate_message(GetParam(), direction, *message).empty()) << *message;
        const auto response = generate_response(GetParam(), direction, method, random, size);
        ASSERT_EQ(response.has_value(), compiled.is_request);
        if (!response) continue;
        EXPECT_TRUE(validate_message(GetParam(), back, *response, method).empty()) << *response;
      }
    }
  }
}

TEST_P(Generate, CoversEveryOptionalFieldAndAlternative) {
  const Compiled& compiled = Compiled::of(GetParam());
  for (const auto& [type, index] : compiled.definitions()) {
    const Node& node = compiled.node(index);
    std::map<std::string, std::set<bool>> seen;
    std::set<NodeIndex> alternatives;
    Random random(3);
    for (int draw = 0; draw < 200; ++draw) {
      const Json value = generate(GetParam(), type, random, 6);
      for (const CompiledField& field : node.fields) {
        seen[field.name].insert(value.contains(field.name));
      }
      for (const NodeIndex alternative : node.alternatives) {
        const bool fits = Validator(compiled, nullptr).check(alternative, value, Path{});
        if (fits) alternatives.insert(alternative);
      }
    }
    for (const CompiledField& field : node.fields) {
      EXPECT_EQ(seen[field.name].size(), field.is_required ? 1u : 2u) << type << "." << field.name;
    }
    EXPECT_EQ(alternatives.size(), node.alternatives.size()) << type;
  }
}

TEST_P(Generate, GivesTheSameValuesForTheSameSeed) {
  Random one(7);
  Random same(7);
  Random other(8);
  const Json value = generate(GetParam(), "ListToolsResult", one, 12);
  EXPECT_EQ(value, generate(GetParam(), "ListToolsResult", same, 12));
  EXPECT_NE(value, generate(GetParam(), "ListToolsResult", other, 12));
}

TEST_P(Generate, GrowsWithSize) {
  const auto average_length = [](std::size_t size) {
    Random random(4);
    std::size_t total = 0;
    for (int i = 0; i < 30; ++i) {
      total += generate(GetParam(), "ListToolsResult", random, size).dump().size();
    }
    return total / 30;
  };
  EXPECT_LT(average_length(0), 100u);
  EXPECT_LT(average_length(0), average_length(4));
  EXPECT_LT(average_length(4), average_length(16));
}

TEST_P(Generate, KnowsNothingOfUnknownMethods) {
  Random random(5);
  EXPECT_FALSE(generate_message(GetParam(), Direction::kServerToClient, "tools/call", random, 1));
}

}  // namespace
}  // namespace assay::model
