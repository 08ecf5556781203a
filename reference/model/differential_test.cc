// Our verdicts beside those of valijson over the official schemas, over the exported schema, and
// beside the examples of the specification. Skipped where the specification is not at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "reference/model/compiled.h"
#include "reference/model/generate.h"
#include "reference/model/json_schema.h"
#include "reference/model/mutate.h"
#include "reference/model/revision_testing.h"
#include "reference/model/types.h"
#include "reference/model/validate.h"
#include "reference/model/valijson_testing.h"

namespace assay::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMessagesPerRevision = 20000;

fs::path specification() {
  return fs::path(ASSAY_SOURCE_DIR) / "../shared/spec";
}

Json load(const fs::path& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

// Puts anything anywhere: what the tables' own mutations would not think of.
class Scrambler {
 public:
  explicit Scrambler(Random& random) : random_(random) {}

  Json scramble(Json value) {
    Json* place = &value;
    while (place->is_structured() && !place->empty() && random_.chance(75)) {
      auto part = place->begin();
      std::advance(part, static_cast<std::ptrdiff_t>(random_.below(place->size())));
      if (place->is_object() && random_.chance(20)) {
        place->erase(part);
        return value;
      }
      place = &*part;
    }
    *place = random_.pick(kParts);
    return value;
  }

 private:
  static inline const Json kParts[] = {nullptr,
                                       true,
                                       3,
                                       -1,
                                       1.5,
                                       "",
                                       "text",
                                       "form",
                                       "url",
                                       Json::array(),
                                       Json::object(),
                                       Json::array({"a"}),
                                       {{"type", "text"}, {"text", "t"}},
                                       {{"uri", "a:b"}, {"text", "t"}},
                                       {{"type", "string"}},
                                       {{"type", "object"}},
                                       Json::array({{{"type", "text"}, {"text", "t"}}})};
  Random& random_;
};

// Where a verdict differs from the official schema's on purpose. Each has its reason.
enum class Difference {
  kNone,
  // The schemas' "format" is an annotation that validators do not check; the prose requires base64
  // data, URIs, ISO 8601 times and well-formed _meta keys.
  kFormat,
  // 100 completion values are the limit on every revision's page; only the newest schema says so.
  kCompletionLimit,
  // `_meta` of params stands in Request and Notification, which the schema's concrete requests
  // replace instead of narrowing; every message has to fit both.
  kInheritedMeta,
  // basic/patterns/mrtr: an InputRequiredResult says "input_required" and holds inputRequests or
  // requestState; the schema takes any string and asks for neither.
  kInputRequired,
  // The schema generator writes TypeScript's number as "integer", and forgets null, in JSONValue
  // and in ElicitResult.content; the prose and schema.ts allow both.
  kNumberAsInteger,
};

std::string_view name(Difference difference) {
  switch (difference) {
    case Difference::kNone:
      return "none";
    case Difference::kFormat:
      return "format";
    case Difference::kCompletionLimit:
      return "completion-limit";
    case Difference::kInheritedMeta:
      return "inherited-meta";
    case Difference::kInputRequired:
      return "input-required";
    case Difference::kNumberAsInteger:
      return "number-as-integer";
  }
  return "";
}

// Why we refuse, for this deviation, what the official schema accepts.
Difference reason_for(Revision revision, std::string_view type, const Deviation& deviation) {
  const std::string& pointer = deviation.pointer;
  switch (deviation.rule) {
    case Rule::kBase64:
    case Rule::kUri:
    case Rule::kUriTemplate:
    case Rule::kTime:
    case Rule::kMetaKey:
      return Difference::kFormat;
    case Rule::kRange:
      return pointer.ends_with("completion/values") ? Difference::kCompletionLimit
                                                    : Difference::kNone;
    case Rule::kShape:
    case Rule::kToolName:
      break;
  }
  if (revision.asks_in_results()) {
    return type == "InputRequiredResult" ? Difference::kInputRequired : Difference::kNone;
  }
  const bool is_meta =
      pointer.find("params/_meta") != std::string::npos || pointer.starts_with("/_meta");
  return is_meta ? Difference::kInheritedMeta : Difference::kNone;
}

// The value as it would be if all numbers were integers and nothing were null.
Json as_integers(const Json& value) {
  if (value.is_number_float()) return static_cast<std::int64_t>(std::floor(value.get<double>()));
  if (value.is_null()) return 0;
  if (!value.is_structured()) return value;
  Json copy = value;
  for (Json& part : copy) part = as_integers(part);
  return copy;
}

class Differential : public testing::TestWithParam<Revision> {
 protected:
  void SetUp() override {
    const fs::path path = specification() / GetParam().text() / "schema.json";
    if (!fs::exists(path)) GTEST_SKIP() << "no specification at " << specification();
    official_ = std::make_unique<JudgeSchema>(load(path));
  }

  // Compares the two verdicts on one value; `official` is the other one.
  template <typename Official>
  void compare(const std::string& what, const Json& value, const Deviations& deviations,
               Official official) {
    ++compared_;
    const bool is_ours = std::none_of(deviations.begin(), deviations.end(),
                                      [](const auto& d) { return d.strength == Strength::kMust; });
    const bool is_official = official(value);
    (is_official ? accepted_ : refused_) += 1;
    if (is_official == is_ours) return;
    Difference difference = Difference::kNone;
    if (is_ours) {
      if (official(as_integers(value))) difference = Difference::kNumberAsInteger;
    } else {
      for (const Deviation& deviation : deviations) {
        if (deviation.strength != Strength::kMust) continue;
        difference = reason_for(GetParam(), what, deviation);
        if (difference == Difference::kNone) break;
      }
    }
    ++differences_[difference];
    if (difference != Difference::kNone) return;
    std::string why;
    for (const Deviation& deviation : deviations) why += "  " + to_text(deviation) + "\n";
    ADD_FAILURE() << what << ": we " << (is_ours ? "accept" : "refuse") << ", the schema does not\n"
                  << why << value.dump(1).substr(0, 3000);
  }

  void compare_type(const std::string& type, const Json& value) {
    compare(type, value, validate(GetParam(), type, value),
            [&](const Json& v) { return official_->accepts(type, v); });
  }

  void report() {
    for (const auto& [difference, count] : differences_) {
      RecordProperty(std::string(name(difference)), static_cast<int>(count));
    }
    RecordProperty("compared", static_cast<int>(compared_));
    // Both verdicts are common, or the comparison proves little.
    EXPECT_GT(accepted_, compared_ / 10);
    EXPECT_GT(refused_, compared_ / 10);
    std::printf("%zu compared, %zu accepted, %zu refused", compared_, accepted_, refused_);
    for (const auto& [d, n] : differences_) std::printf(", %s %zu", name(d).data(), n);
    std::printf("\n");
  }

  std::unique_ptr<JudgeSchema> official_;
  std::map<Difference, std::size_t> differences_;
  std::size_t compared_ = 0;
  std::size_t accepted_ = 0;  // by the official schema
  std::size_t refused_ = 0;
};

INSTANTIATE_TEST_SUITE_P(EveryRevision, Differential, every_revision(), revision_name);

TEST_P(Differential, KnowsEveryOfficialType) {
  for (const auto& [type, schema] : official_->types().items()) {
    EXPECT_TRUE(is_known_type(GetParam(), type)) << type;
  }
}

TEST_P(Differential, AgreesWithTheOfficialSchemaOnEveryType) {
  Random random(1);
  Scrambler scrambler(random);
  for (std::size_t round = 0; compared_ < kMessagesPerRevision && !HasFailure(); ++round) {
    for (const auto& [type, schema] : official_->types().items()) {
      const Json value = generate(GetParam(), type, random, round % 9);
      compare_type(type, value);
      for (int i = 0; i < 4; ++i) compare_type(type, scrambler.scramble(value));
      const std::vector<Mutation> all = mutations(GetParam(), type, value);
      for (int i = 0; i < 4 && !all.empty(); ++i) compare_type(type, random.pick(all).value);
    }
  }
  report();
}

TEST_P(Differential, AgreesWithTheOfficialSchemaOnWholeMessages) {
  Random random(2);
  Scrambler scrambler(random);
  for (const Method& method : all_methods()) {
    if (!method.revisions.contains(GetParam())) continue;
    const Direction direction =
        method.sender == Sender::kServer ? Direction::kServerToClient : Direction::kClientToServer;
    const char* const envelope = method.is_request ? "JSONRPCRequest" : "JSONRPCNotification";
    const auto official = [&](const Json& value) {
      return official_->accepts(envelope, value) && official_->accepts(method.type, value);
    };
    for (std::size_t size = 0; size < 20 && !HasFailure(); ++size) {
      const Json message = *generate_message(GetParam(), direction, method.name, random, size);
      const auto judge = [&](const Json& value) {
        // Without its method or id a message is one of another kind, and compared as such
        // elsewhere.
        if (!value.is_object() || value.value("method", Json()) != method.name) return;
        if (value.contains("id") != method.is_request) return;
        compare(method.name, value, validate_message(GetParam(), direction, value), official);
      };
      judge(message);
      for (int i = 0; i < 9; ++i) {
        judge(*generate_message(GetParam(), direction, method.name, random, size));
      }
      for (int i = 0; i < 6; ++i) judge(scrambler.scramble(message));
      for (const Mutation& mutation : message_mutations(GetParam(), direction, message)) {
        judge(mutation.value);
      }
    }
  }
  report();
}

// Whether the official types of a result accept it: of several, any may, or the one that the value
// names itself.
bool accepts_result(JudgeSchema& official, Revision revision, const Type& type,
                    const Json& result) {
  if (type.kind == Kind::kReference) return official.accepts(type.name, result);
  std::size_t chosen = type.parts.size();
  if (!type.selector.empty() && result.is_object()) {
    const Json named = result.value(type.selector, Json());
    const auto found = std::find(type.cases.begin(), type.cases.end(), named);
    // Without a name it is judged as the first, which misses the name.
    chosen = named.is_string() ? static_cast<std::size_t>(found - type.cases.begin()) : 0;
  }
  for (std::size_t i = 0; i < type.parts.size(); ++i) {
    if (chosen < type.parts.size() && i != chosen) continue;
    if (!type.parts[i].revisions.contains(revision)) continue;
    if (official.accepts(type.parts[i].name, result)) return true;
  }
  return false;
}

TEST_P(Differential, AgreesWithTheOfficialSchemaOnResponses) {
  const std::string envelope = official_->types().contains("JSONRPCResultResponse")
                                   ? "JSONRPCResultResponse"
                                   : "JSONRPCResponse";
  Random random(4);
  Scrambler scrambler(random);
  for (const Method& method : all_methods()) {
    if (!method.revisions.contains(GetParam()) || !method.is_request) continue;
    const bool is_server = method.sender == Sender::kServer;
    const Direction there = is_server ? Direction::kServerToClient : Direction::kClientToServer;
    const Direction back = is_server ? Direction::kClientToServer : Direction::kServerToClient;
    const auto official = [&](const Json& value) {
      return official_->accepts(envelope, value) &&
             accepts_result(*official_, GetParam(), method.result, value.at("result"));
    };
    for (std::size_t draw = 0; draw < 60 && !HasFailure(); ++draw) {
      const Json message = *generate_response(GetParam(), there, method.name, random, draw % 12);
      const auto judge = [&](const Json& value) {
        if (!value.is_object() || !value.contains("result")) return;  // a message of another kind
        // An interim result without its members breaks a rule that the schema lacks.
        const Deviations deviations = validate_message(GetParam(), back, value, method.name);
        const bool is_interim = value["result"].is_object() &&
                                value["result"].value("resultType", Json()) == "input_required";
        compare(is_interim ? "InputRequiredResult" : method.name, value, deviations, official);
      };
      judge(message);
      for (int i = 0; i < 3; ++i) judge(scrambler.scramble(message));
    }
  }
  report();
}

class Exported : public testing::TestWithParam<Revision> {};

INSTANTIATE_TEST_SUITE_P(EveryRevision, Exported, every_revision(), revision_name);

TEST_P(Exported, GivesTheVerdictsOfTheTables) {
  JudgeSchema exported(json_schema(GetParam()));
  Random random(3);
  Scrambler scrambler(random);
  for (std::size_t round = 0; round < 8; ++round) {
    for (const std::string& type : known_types(GetParam())) {
      const Json value = generate(GetParam(), type, random, round);
      std::vector<Json> values = {value, scrambler.scramble(value), scrambler.scramble(value)};
      const std::vector<Mutation> all = mutations(GetParam(), type, value);
      for (int i = 0; i < 3 && !all.empty(); ++i) values.push_back(random.pick(all).value);
      for (const Json& one : values) {
        ASSERT_EQ(exported.accepts(type, one), is_valid(GetParam(), type, one)) << type << "\n"
                                                                                << one.dump(1);
      }
    }
  }
}

// JSON Schema knows numbers, not how they are written: 1.0 is an integer, and equal to 1.
TEST_P(Exported, JudgesANumberByItsValue) {
  JudgeSchema exported(json_schema(GetParam()));
  for (const Json& id :
       {Json(1.0), Json(-0.0), Json(1e3), Json(1e300), Json(-1e300), Json(18446744073709551615U)}) {
    EXPECT_TRUE(is_valid(GetParam(), "RequestId", id)) << id;
    EXPECT_TRUE(exported.accepts("RequestId", id)) << id;
  }
  for (const Json& id : {Json(1.5), Json(1e-300), Json(true)}) {
    EXPECT_EQ(exported.accepts("RequestId", id), is_valid(GetParam(), "RequestId", id)) << id;
  }
  EXPECT_FALSE(exported.accepts("RequestId", 1.5));
}

TEST(Examples, EveryExampleOfTheSpecificationIsValid) {
  const fs::path folder = specification() / "2026-07-28/examples";
  if (!fs::exists(folder)) GTEST_SKIP() << "no specification at " << specification();
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    ++count;
    const std::string type = entry.path().parent_path().filename();
    const Deviations deviations = validate(Revision::v2026_07_28, type, load(entry.path()));
    for (const Deviation& deviation : deviations) {
      ADD_FAILURE() << entry.path().filename() << " as " << type << ": " << to_text(deviation);
    }
  }
  EXPECT_GE(count, 95u);
}

}  // namespace
}  // namespace assay::model
