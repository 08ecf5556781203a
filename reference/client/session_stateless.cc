// Requests that stand alone, and which era a server is of. Specification: basic/versioning,
// "Backward Compatibility with Initialization-Based Versions", basic/patterns/mrtr.
#include <algorithm>
#include <utility>

#include "reference/client/session_impl.h"

namespace assay::client {
namespace {

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kClientInfoKey = "io.modelcontextprotocol/clientInfo";
constexpr const char* kServerInfoKey = "io.modelcontextprotocol/serverInfo";
constexpr std::int64_t kFirstOfTheEra = -32022;  // to -32020: codes that no older server has
constexpr std::int64_t kLastOfTheEra = -32020;
constexpr std::int64_t kUnsupportedVersion = -32022;
// A server may ask again and again; nobody sensible asks more often.
constexpr int kMostRounds = 8;

const Json& part(const Json& object, std::string_view name) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

bool lists(const Json& versions, model::Revision revision) {
  return versions.is_array() &&
         std::find(versions.begin(), versions.end(), revision.text()) != versions.end();
}

// An error that only servers of the era have.
bool is_modern(const ServerAnswer& reply) {
  const auto code = reply.error_code();
  return code && *code >= kFirstOfTheEra && *code <= kLastOfTheEra;
}

bool wants_input(const ServerAnswer& reply) {
  return reply.is_result() && part(reply.json, "resultType") == "input_required";
}

// The server does not take the version of the request, and names this one as good.
bool offers(const ServerAnswer& reply, model::Revision revision) {
  return reply.is_error(kUnsupportedVersion) &&
         lists(part(part(reply.json, "data"), "supported"), revision);
}

// A result without a type is a complete one, as those of older servers are; one of a type that we
// do not know is none.
ServerAnswer checked(ServerAnswer reply) {
  const Json& type = part(reply.json, "resultType");
  const bool is_known = type.is_null() || type == "complete" || type == "input_required";
  if (!reply.is_result() || is_known) return reply;
  reply.kind = ServerAnswer::Kind::kInvalid;
  reply.detail = "the result is of a type that we do not know";
  return reply;
}

}  // namespace

ServerAnswer ClientSession::Impl::discover(Deadline deadline) {
  const bool may_fall_back = options_.opening == SessionOptions::Opening::kEither;
  is_stateless_ = true;
  {
    const std::lock_guard lock(mutex_);
    handlers_ = default_handlers(options_.offer, options_.stateless);
    for (const auto& [method, handler] : options_.handlers) handlers_[method] = handler;
  }
  const auto patience = std::chrono::steady_clock::now() + options_.probe_patience;
  const Deadline until = may_fall_back ? std::min(deadline, patience) : deadline;
  ServerAnswer reply = wait_for(begin("server/discover", Json::object(), {}, {}), until);
  if (offers(reply, options_.stateless)) {
    // It refuses the version that it offers; asked once more it may think better of it.
    reply = wait_for(begin("server/discover", Json::object(), {}, {}), until);
  }
  if (reply.is_result() && settle_discovery(reply.json)) return reply;
  // What the server lists is what it speaks; where it says nothing of the kind, it is older.
  const Json& listed = reply.is_result() ? part(reply.json, "supportedVersions")
                                         : part(part(reply.json, "data"), "supported");
  const bool knows_the_era = reply.is_result() || is_modern(reply);
  const bool is_older = knows_the_era ? lists(listed, options_.revision) : !closed();
  if (may_fall_back && is_older) {
    is_stateless_ = false;
    return handshake(deadline);
  }
  if (!reply.is_result() && !reply.is_error(kUnsupportedVersion)) return reply;
  ServerAnswer nothing;
  nothing.detail = "the server speaks no revision that we speak without a handshake";
  return nothing;
}

bool ClientSession::Impl::settle_discovery(const Json& result) {
  if (!lists(part(result, "supportedVersions"), options_.stateless)) return false;
  const std::lock_guard lock(mutex_);
  revision_ = options_.stateless;
  server_ = result;
  if (const Json& info = part(part(result, "_meta"), kServerInfoKey); info.is_object()) {
    server_["serverInfo"] = info;
  }
  return true;
}

Json ClientSession::Impl::prepared(Json params) const {
  if (!params.is_object()) params = Json::object();
  Json& meta = params["_meta"];
  meta[kVersionKey] = options_.stateless.text();
  meta[kCapabilitiesKey] = client_capabilities(options_.offer, options_.stateless);
  meta[kClientInfoKey] = {{"name", options_.name},
                          {"version", options_.version.empty() ? ASSAY_VERSION : options_.version}};
  return params;
}

std::optional<Json> ClientSession::Impl::responses_to(const Json& requests) {
  Json responses = Json::object();
  for (const auto& [key, request] : requests.items()) {
    Handler handler;
    {
      const std::lock_guard lock(mutex_);
      const Json& method = part(request, "method");
      const auto found =
          method.is_string() ? handlers_.find(method.get<std::string>()) : handlers_.end();
      if (found == handlers_.end()) return std::nullopt;
      handler = found->second;
    }
    const Answer answer = handler(part(request, "params"));
    if (!std::holds_alternative<Json>(answer)) return std::nullopt;
    responses[key] = std::get<Json>(answer);
  }
  return responses;
}

ServerAnswer ClientSession::Impl::completed(std::string_view method, const Json& params,
                                            ServerAnswer reply, Deadline deadline,
                                            const RequestOptions& options) {
  for (int round = 0; round < kMostRounds && wants_input(reply); ++round) {
    Json retry = params.is_object() ? params : Json::object();
    const Json& requests = part(reply.json, "inputRequests");
    const Json& state = part(reply.json, "requestState");
    if (requests.is_object()) {
      std::optional<Json> responses = responses_to(requests);
      if (!responses) return reply;
      retry["inputResponses"] = *std::move(responses);
    } else if (!state.is_string()) {
      return reply;
    }
    // Exactly as it came, and only with this request.
    if (state.is_string()) retry["requestState"] = state;
    reply = wait_for(begin(method, std::move(retry), {}, options), deadline);
  }
  if (follows(method, reply)) return followed(reply.json, deadline);
  return checked(std::move(reply));
}

// A task is a result of calls only, and only for who says that it knows of tasks.
bool ClientSession::Impl::follows(std::string_view method, const ServerAnswer& reply) const {
  if (!reply.is_result() || part(reply.json, "resultType") != "task") return false;
  if (!part(reply.json, "taskId").is_string()) return false;
  return options_.offer.durable_tasks && (method == "tools/call" || options_.tasks.follows_any);
}

}  // namespace assay::client
