#include "reference/server/call.h"

#include <algorithm>
#include <string_view>

#include "reference/wire/compose.h"

namespace assay::server {
namespace {

std::string result_text(const wire::Id& id, std::string_view result) {
  constexpr std::string_view kBeforeId = R"({"jsonrpc":"2.0","id":)";
  constexpr std::string_view kBeforeResult = R"(,"result":)";
  const std::string_view id_text = id.json_text();
  std::string text(kBeforeId.size() + id_text.size() + kBeforeResult.size() + result.size() + 1,
                   '}');
  char* to = std::copy(kBeforeId.begin(), kBeforeId.end(), text.data());
  to = std::copy(id_text.begin(), id_text.end(), to);
  to = std::copy(kBeforeResult.begin(), kBeforeResult.end(), to);
  std::copy(result.begin(), result.end(), to);
  return text;
}

}  // namespace

Round::~Round() {
  if (!answers_.empty()) {
    std::string array = "[";
    for (const std::string& answer : answers_) {
      if (array.size() > 1) array += ',';
      array += answer;
    }
    array += ']';
    sink_->send({transport::Outgoing::Kind::kResponse, std::move(array)});
  }
  sink_->finish();
}

void Round::answer(transport::Outgoing message) {
  if (!is_array_) {
    sink_->send(std::move(message));
    return;
  }
  const std::lock_guard lock(mutex_);
  answers_.push_back(std::move(message.bytes));
}

const Json& Call::params() const {
  static const Json kNone = Json::object();
  return request_.has_params() ? request_.params() : kNone;
}

void Call::answer(const Answer& answer) {
  if (std::holds_alternative<Later>(answer)) return;
  if (is_over_.exchange(true)) return;
  const auto* refusal = std::get_if<Refusal>(&answer);
  round_->answer({refusal ? refusal->kind : transport::Outgoing::Kind::kResponse, compose(answer)});
}

std::string Call::compose(const Answer& answer) const {
  return answer_text(id(), answer);
}

void Call::cancel() {
  is_over_ = true;
  stop_.request_stop();
}

std::string answer_text(const wire::Id& id, const Answer& answer) {
  if (const auto* text = std::get_if<ResultText>(&answer)) return result_text(id, text->text);
  if (const auto* result = std::get_if<Json>(&answer))
    return result_text(id, wire::encode(*result));
  if (const auto* refusal = std::get_if<Refusal>(&answer)) {
    return wire::encode_error(id, refusal->code, refusal->message, refusal->data);
  }
  return "";
}

}  // namespace assay::server
