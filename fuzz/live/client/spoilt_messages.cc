// Messages that are wrong as messages, and those that come with an answer unasked.
#include <fmt/format.h>

#include "fuzz/live/client/spoiling.h"
#include "fuzz/live/values/odd_values.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using model::Random;

constexpr std::string_view kNumbers[] = {"0",
                                         "-1",
                                         "1e308",
                                         "9007199254740993",
                                         "9223372036854775807",
                                         "18446744073709551616",
                                         "1000000000000000",
                                         "0.25",
                                         "1e400"};

std::string id_text(const SpoiltAnswer& answer) {
  return answer.request.id() ? answer.request.id()->json_text() : "null";
}

void strange_answer(SpoiltAnswer& answer, Random& random) {
  static constexpr std::string_view kIds[] = {"987654321", R"("assay-nobody")", "-5", "0"};
  const std::string_view id = random.pick(kIds);
  answer.ahead.push_back(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{}}}})", id));
  answer.after.label = fmt::format("an answer with the id {} ahead", id);
}

void odd_id_answer(SpoiltAnswer& answer, Random& random) {
  const OddValue odd = odd_id(random);
  answer.bytes = with_value(answer.json, Json::json_pointer("/id"), odd.text);
  answer.after.label = fmt::format("id {}", odd.label);
}

void answer_twice(SpoiltAnswer& answer, Random& /*random*/) {
  answer.ahead.push_back(wire::encode(answer.json));
  answer.after.label = "the answer comes twice";
}

void odd_error(SpoiltAnswer& answer, Random& random) {
  static constexpr std::string_view kErrors[] = {
      R"({"code":-32603,"message":"spoilt on purpose"})",
      R"({"code":-32603})",
      R"({"message":"m"})",
      R"({"code":"x","message":7})",
      R"({"code":9223372036854775808,"message":"m"})",
      R"({"code":-32042,"message":"m","data":{"elicitations":[{"mode":"url"}]}})",
      R"({"code":-32602,"message":"m","data":[[[[[[null]]]]]]})",
      "null",
      "[]",
      R"("error")"};
  const std::string_view error = random.pick(kErrors);
  answer.bytes = fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{}}})", id_text(answer), error);
  answer.after.label = fmt::format("error {}", error);
}

void plain_error(SpoiltAnswer& answer, Random& /*random*/) {
  answer.bytes =
      wire::encode_error(answer.request.id(), wire::kInternalError, "refused on purpose");
  answer.after.label = "a plain error";
}

void both(SpoiltAnswer& answer, Random& /*random*/) {
  answer.bytes = fmt::format(
      R"({{"jsonrpc":"2.0","id":{},"result":{{}},"error":{{"code":-32603,"message":"m"}}}})",
      id_text(answer));
  answer.after.label = "both result and error";
}

void odd_envelope(SpoiltAnswer& answer, Random& random) {
  static constexpr std::string_view kEnvelopes[] = {
      R"({"jsonrpc":"1.0","id":@,"result":{}})",
      R"({"id":@,"result":{}})",
      R"({"jsonrpc":"2.0","id":@})",
      R"({"jsonrpc":2.0,"id":@,"result":{}})",
      R"({"jsonrpc":"2.0","id":[@],"result":{}})",
      R"({"jsonrpc":"2.0","result":{}})",
      R"({"jsonrpc":"2.0","id":@,"id":@,"result":{},"result":null})",
      "[]",
      "[[]]",
      "null",
      "0",
      "{}",
      R"("text")"};
  std::string text(random.pick(kEnvelopes));
  answer.after.label = text;
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@')) {
    text.replace(at, 1, id_text(answer));
  }
  answer.bytes = text;
}

void batch(SpoiltAnswer& answer, Random& random) {
  const std::string one = wire::encode(answer.json);
  answer.bytes = random.chance(50) ? "[" + one + "]" : "[" + one + "," + one + "]";
  answer.after.label = "an array of messages";
}

// A notification, and which member of its params to change; "": none.
struct Said {
  std::string_view method;
  std::string_view params;
  std::string_view odd;
};
constexpr Said kNotifications[] = {
    {"notifications/progress", R"({"progressToken":@,"progress":1,"total":2})", "/progress"},
    {"notifications/progress", R"({"progressToken":@,"progress":1,"total":2})", "/progress"},
    {"notifications/progress", R"({"progressToken":@,"progress":1,"total":2})", "/total"},
    {"notifications/progress", R"({"progressToken":@,"progress":1,"total":2})", "/total"},
    {"notifications/progress", R"({"progressToken":@,"progress":1,"total":2})", "/progressToken"},
    {"notifications/message", R"({"level":"info","data":"text","logger":"l"})", "/level"},
    {"notifications/message", R"({"level":"info","data":"text","logger":"l"})", "/data"},
    {"notifications/cancelled", R"({"requestId":@,"reason":"spoilt"})", ""},
    {"notifications/cancelled", R"({"requestId":"assay-nobody"})", "/requestId"},
    {"notifications/tools/list_changed", "{}", ""},
    {"notifications/resources/list_changed", R"({"_meta":{}})", "/_meta"},
    {"notifications/resources/updated", R"({"uri":"test://static-text"})", "/uri"},
    {"notifications/elicitation/complete", R"({"elicitationId":"x"})", "/elicitationId"},
    {"notifications/tasks/status",
     R"({"taskId":"x","status":"working","ttl":1,"createdAt":"",)"
     R"("lastUpdatedAt":""})",
     "/ttl"},
    {"notifications/tasks/status",
     R"({"taskId":"x","status":"working","ttl":1,"createdAt":"",)"
     R"("lastUpdatedAt":""})",
     "/status"},
    {"notifications/assay/unknown", R"({"a":1})", ""},
    {"notifications/assay/unknown", R"({"a":1})", "/a"},
    {"notifications/assay/unknown", "{}", ""},
    {"assay", "[1,2]", ""},
    {"notifications/initialized", "{}", ""},
};

Json with_id(std::string_view params, const std::string& id) {
  std::string text(params);
  if (const std::size_t at = text.find('@'); at != std::string::npos) text.replace(at, 1, id);
  return Json::parse(text, nullptr, false);
}

std::string notification(const SpoiltAnswer& answer, const Said& said, Random& random,
                         std::string& label) {
  Json message = {{"jsonrpc", "2.0"},
                  {"method", said.method},
                  {"params", with_id(said.params, id_text(answer))}};
  label = said.method;
  if (random.chance(10)) {
    label += " with null for params";
    return with_value(message, Json::json_pointer("/params"), "null");
  }
  if (said.odd.empty()) return wire::encode(message);
  OddValue odd = odd_value(random);
  if (random.chance(50)) odd = {"a number", std::string(random.pick(kNumbers))};
  label += fmt::format(" with {} for {}", odd.label == "a number" ? odd.text : odd.label, said.odd);
  return with_value(message, Json::json_pointer("/params" + std::string(said.odd)), odd.text);
}

void notify(SpoiltAnswer& answer, Random& random) {
  answer.ahead.push_back(
      notification(answer, random.pick(kNotifications), random, answer.after.label));
}

void flood(SpoiltAnswer& answer, Random& random) {
  static constexpr std::size_t kCounts[] = {1000, 3000, 10'000};
  const std::size_t count = random.pick(kCounts);
  const Said& said = random.pick(kNotifications);
  const std::string one = wire::encode(Json{{"jsonrpc", "2.0"},
                                            {"method", said.method},
                                            {"params", with_id(said.params, id_text(answer))}});
  answer.ahead.assign(count, one);
  answer.after.label = fmt::format("{} times {}", count, said.method);
}

constexpr Said kQuestions[] = {
    {"ping", "{}", ""},
    {"roots/list", "{}", ""},
    {"sampling/createMessage",
     R"({"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":5})",
     "/maxTokens"},
    {"sampling/createMessage",
     R"({"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":5})",
     "/messages/0"},
    {"elicitation/create",
     R"({"mode":"form","message":"m","requestedSchema":{"type":"object","properties":)"
     R"({"a":{"type":"string"}}}})",
     "/requestedSchema/properties/a"},
    {"elicitation/create",
     R"({"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}})",
     "/requestedSchema"},
    {"tasks/get", R"({"taskId":"assay-nobody"})", "/taskId"},
    {"assay/unknown", R"({"a":1})", "/a"},
    {"assay/unknown", R"({"a":1})", ""},
    {"tools/list", "{}", ""},
    {"", "{}", ""},
};

void ask(SpoiltAnswer& answer, Random& random) {
  const Said& said = random.pick(kQuestions);
  Json message = {{"jsonrpc", "2.0"},
                  {"id", fmt::format("assay-{}", random.below(1'000'000))},
                  {"method", said.method},
                  {"params", Json::parse(said.params)}};
  answer.after.label = fmt::format("asks {}", said.method);
  std::string text = wire::encode(message);
  if (!said.odd.empty() && random.chance(60)) {
    const OddValue odd = odd_value(random);
    answer.after.label += fmt::format(" with {} for {}", odd.label, said.odd);
    text = with_value(message, Json::json_pointer("/params" + std::string(said.odd)), odd.text);
  }
  answer.ahead.push_back(std::move(text));
}

// What comes back as an id is ours.
void ask_oddly(SpoiltAnswer& answer, Random& random) {
  const OddValue odd = odd_id(random);
  answer.ahead.push_back(with_value({{"jsonrpc", "2.0"}, {"id", 0}, {"method", "ping"}},
                                    Json::json_pointer("/id"), odd.text));
  answer.after.label = fmt::format("asks with the id {}", odd.label);
  answer.after.is_garbled = true;
}

void garble(SpoiltAnswer& answer, Random& random) {
  static constexpr std::string_view kNoise[] = {
      "",
      " ",
      "\xEF\xBB\xBF{}",
      "{",
      "nonsense",
      "\xFF\xFE",
      "{\"jsonrpc\":\"2.0\",\"method\":\"\xC0\xAF\"}",
      "Content-Length: 2",
      "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"b\":\"\xED\xA0\x80\"}}",
      "[{\"jsonrpc\":\"2.0\"",
      "{\"a\":1e999999}",
      "{'a':1}"};
  const std::string_view noise = random.pick(kNoise);
  answer.ahead.push_back(std::string(noise));
  answer.after.label = noise.empty() ? "a blank line ahead" : "noise ahead";
}

void break_off(SpoiltAnswer& answer, Random& random) {
  std::string text = wire::encode(answer.json);
  const std::size_t at = random.below(text.size());
  const std::size_t way = random.below(3);
  if (way == 0) text.resize(at);
  if (way == 1) text[at] = static_cast<char>(0x80 + random.below(0x80));
  if (way == 2) text.insert(at, 1, static_cast<char>(random.below(32)));
  answer.bytes = text.empty() ? " " : text;
  answer.after.label = way == 0 ? "cut short" : "with a byte gone wrong";
}

void keep_back(SpoiltAnswer& answer, Random& /*random*/) {
  answer.is_dropped = true;
  answer.after.label = "no answer";
}

}  // namespace

std::vector<Operator> message_operators() {
  return {
      {.name = "strange-answer", .weight = 8, .answer = strange_answer},
      {.name = "answer-twice", .weight = 6, .answer = answer_twice},
      {.name = "plain-error", .weight = 3, .answer = plain_error},
      {.name = "odd-error", .weight = 12, .answer = odd_error},
      {.name = "notification", .weight = 40, .answer = notify},
      {.name = "notification-flood", .weight = 3, .answer = flood},
      {.name = "question", .weight = 20, .answer = ask},
      {.name = "odd-question", .weight = 6, .answer = ask_oddly},
      {.name = "noise", .weight = 10, .answer = garble},
      {.name = "odd-id", .weight = 6, .is_rough = true, .answer = odd_id_answer},
      {.name = "result-and-error", .weight = 12, .is_rough = true, .answer = both},
      {.name = "odd-envelope", .weight = 12, .is_rough = true, .answer = odd_envelope},
      {.name = "batch", .weight = 12, .is_rough = true, .answer = batch},
      {.name = "broken-bytes", .weight = 10, .is_rough = true, .answer = break_off},
      {.name = "no-answer", .weight = 2, .is_rough = true, .answer = keep_back},
  };
}

}  // namespace assay::fuzz
