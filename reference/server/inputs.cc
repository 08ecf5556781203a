#include "reference/server/inputs.h"

#include "reference/model/schema_check.h"
#include "reference/model/validate.h"
#include "reference/server/context.h"
#include "reference/server/era.h"
#include "reference/server/handlers.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

// The type of what answers a request.
std::string_view result_type(std::string_view method) {
  if (method == "elicitation/create") return "ElicitResult";
  return method == "roots/list" ? "ListRootsResult" : "CreateMessageResult";
}

// The capability that a client lacks which cannot be asked that.
Json needed_capability(std::string_view method, const Json& params) {
  if (method == "roots/list") return {{"roots", Json::object()}};
  if (method == "sampling/createMessage") {
    Json sampling = Json::object();
    if (params.contains("tools")) sampling["tools"] = Json::object();
    return {{"sampling", sampling}};
  }
  Json elicitation = Json::object();
  if (member(params, "mode") == "url") elicitation["url"] = Json::object();
  return {{"elicitation", elicitation}};
}

}  // namespace

std::optional<std::string> defect_of_answer(const Context& context, std::string_view method,
                                            const Json& params, const Json& answer) {
  if (context.options().has(Switch::kTrustsAnswers)) return std::nullopt;
  for (const model::Deviation& deviation :
       model::validate(context.speaks(), result_type(method), answer)) {
    // Results inside a request have no resultType: it says how a whole request went.
    if (deviation.pointer == "/resultType") continue;
    if (deviation.strength == model::Strength::kMust) return model::to_text(deviation);
  }
  const Json& schema = member(params, "requestedSchema");
  if (context.options().has(Switch::kTrustsForms) || schema.is_null() ||
      member(answer, "action") != "accept")
    return std::nullopt;
  const model::SchemaVerdict verdict =
      model::check_against_schema(schema, answer.value("content", Json::object()));
  if (verdict.outcome != model::SchemaOutcome::kInvalid) return std::nullopt;
  return model::to_text(verdict.deviations.front());
}

std::variant<Inputs, Refusal> Inputs::read(const wire::Message& request, const StateSeal& seal,
                                           const std::string& user) {
  const Json& params = request.params();
  if (params.contains("inputResponses") && !params["inputResponses"].is_object()) {
    return invalid_params("inputResponses must be an object");
  }
  Json data = nullptr;
  if (params.contains("requestState")) {
    const Json& state = params["requestState"];
    auto opened = state.is_string() ? seal.open(request, user, state.get_ref<const std::string&>())
                                    : std::nullopt;
    if (!opened) return invalid_params("requestState is not valid for this request");
    data = *std::move(opened);
  }
  return Inputs(request, seal, user, std::move(data));
}

const Json& Inputs::response(const std::string& key) const {
  return member(member(request_.params(), "inputResponses"), key.c_str());
}

std::string Inputs::seal(const Json& state, std::chrono::milliseconds ttl) const {
  return seal_->seal(request_, user_, state, ttl);
}

InputRound::InputRound(const Context& context)
    : context_(context), inputs_(*context.inputs()), ttl_(context.options().state_ttl) {}

const Json& InputRound::state() const {
  return inputs_.state();
}

bool InputRound::can_ask(std::string_view method, const Json& params) const {
  return context_.can_ask(method, params);
}

const Json* InputRound::ask(const std::string& key, std::string_view method, Json params) {
  if (!can_ask(method, params) && !context_.options().has(Switch::kAsksUndeclared)) {
    missing_capabilities_.merge_patch(needed_capability(method, params));
    return nullptr;
  }
  const Json& answer = inputs_.response(key);
  if (!answer.is_null() && !is_forgetful_) {
    const auto defect = defect_of_answer(context_, method, params, answer);
    if (!defect) return &answer;
    if (!defect_) defect_ = "inputResponses/" + key + ": " + *defect;
    return nullptr;
  }
  requests_[key] = {{"method", method}};
  if (!params.is_null()) requests_[key]["params"] = std::move(params);
  return nullptr;
}

const Json* InputRound::elicit(const std::string& key, std::string_view message, Json schema) {
  return ask(key, "elicitation/create",
             {{"mode", "form"}, {"message", message}, {"requestedSchema", std::move(schema)}});
}

std::optional<Answer> InputRound::unfinished(const Json& state) const {
  if (!missing_capabilities_.empty()) {
    return rejection(kMissingClientCapability,
                     "This request needs capabilities that the client did not declare",
                     {{"requiredCapabilities", missing_capabilities_}});
  }
  if (defect_) return invalid_params(*defect_);
  if (requests_.empty()) return std::nullopt;
  Json result = {{"resultType", "input_required"}, {"inputRequests", requests_}};
  if (!state.is_null()) result["requestState"] = inputs_.seal(state, ttl_);
  return result;
}

Answer InputRound::come_back(const Json& state) const {
  return Json{{"resultType", "input_required"}, {"requestState", inputs_.seal(state, ttl_)}};
}

}  // namespace assay::server
