#include "scenarios/token_door.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/script/means.h"
#include "reference/transport/request_headers.h"
#include "reference/wire/challenge.h"
#include "reference/wire/form.h"
#include "reference/wire/peer_json.h"
#include "scenarios/own_office.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {

using namespace harness;
using catalogue::RequirementId;

namespace {

constexpr const char* kOpen = "the server serves who shows no token";

bool has_challenge(const HttpAnswer& answer) {
  return transport::find_header(answer.headers, "WWW-Authenticate").has_value();
}

bool take_metadata(const HttpAnswer& answer, FoundMetadata& metadata) {
  metadata.events.insert(metadata.events.end(), answer.events.begin(), answer.events.end());
  if (!answer.is_success()) return false;
  Json document = wire::parse_of_peer(answer.body);
  // An authorization server's say who issues, and of no resource.
  if (!document.is_object() || (document.contains("issuer") && !document.contains("resource"))) {
    return false;
  }
  metadata.document = std::move(document);
  metadata.answer = answer;
  return true;
}

// At the place that the challenge names, else below the path of the endpoint, else at the root, in
// this order. Another origin than the server's own is asked for nothing.
std::vector<std::string> places_of_metadata(Connection& connection,
                                            const std::optional<std::string>& named,
                                            std::string& elsewhere) {
  const transport::HttpUrl& endpoint = url_of(connection);
  std::vector<std::string> targets;
  const auto add = [&](std::string target) {
    if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
      targets.push_back(std::move(target));
    }
  };
  if (named) {
    const auto parsed = transport::HttpUrl::parse(*named);
    const auto* url = std::get_if<transport::HttpUrl>(&parsed);
    if (url != nullptr && url->origin() == endpoint.origin()) {
      add(url->target);
    } else {
      elsewhere = *named;
    }
  }
  // A query is part of the resource's name (RFC 9728, section 3.1), and of few servers' routes.
  add(metadata_target_of(endpoint.target));
  add(metadata_target_of(path_of(connection)));
  add(kResourceMetadataPath);
  return targets;
}

FoundMetadata find_metadata(Connection& connection,
                            const std::optional<wire::Challenge>& challenge) {
  FoundMetadata metadata;
  const auto named = challenge ? challenge->parameter("resource_metadata") : std::nullopt;
  metadata.named = named.value_or("");
  metadata.further = places_of_metadata(connection, named, metadata.elsewhere);
  const bool is_near = named && metadata.elsewhere.empty();
  while (!metadata.further.empty() && metadata.document.is_null()) {
    const std::string target = metadata.further.front();
    metadata.further.erase(metadata.further.begin());
    HttpAnswer answer = get_document(connection, target);
    if (take_metadata(answer, metadata)) metadata.target = target;
    if (is_near && !metadata.at_named) metadata.at_named = std::move(answer);
  }
  return metadata;
}

// Credentials may be negotiated in any way (basic, "Auth"): only who leads to the metadata that the
// pages ask for, or says that it does, goes by them; and who takes tokens of the authorization
// server that it was told of, which is ours.
bool goes_by_the_pages(Script& script, Door& door) {
  const auto challenge = token_challenge(door.answer);
  Connection& connection = script.open_connection();
  door.metadata = find_metadata(connection, challenge);
  if (challenge && challenge->parameter("resource_metadata")) return true;
  if (!door.metadata.document.is_null() || takes_our_tokens(script)) return true;
  if (script.revision().has_resource_metadata()) return false;
  const HttpAnswer own = get_document(connection, kOfficeDocument);
  const Json document = wire::parse_of_peer(own.body);
  return own.is_success() && document.is_object() && document.contains("token_endpoint");
}

}  // namespace

bool takes_our_tokens(Script& script) {
  return script.issuer() != nullptr && !script.is_locked_out() && is_let_in(knock(script, {}));
}

std::string path_of(Connection& connection) {
  return std::string(wire::path_in(url_of(connection).target));
}

std::string metadata_target_of(std::string_view target) {
  // The slash after the host is no path of its own.
  if (wire::path_in(target) == "/") target.remove_prefix(1);
  return kResourceMetadataPath + std::string(target);
}

HttpAnswer get_document(Connection& connection, std::string target, const char* accept) {
  transport::HttpRequest request;
  request.method = "GET";
  request.target = std::move(target);
  request.headers = {{"Authorization", ""}, {"Accept", accept}};
  const model::Revision revision = connection.revision();
  if (!revision.has_resource_metadata()) {
    request.headers.emplace_back(transport::kProtocolVersionHeader, revision.text());
  }
  request.with_session_headers = false;
  return exchange(connection, std::move(request));
}

std::vector<PlacedDocument> documents_at_further_places(Connection& connection,
                                                        FoundMetadata& found) {
  std::vector<PlacedDocument> all;
  for (const std::string& target : found.further) {
    FoundMetadata other;
    if (!take_metadata(get_document(connection, target), other)) continue;
    found.events.insert(found.events.end(), other.events.begin(), other.events.end());
    all.push_back({target, std::move(other.document)});
  }
  return all;
}

Door try_door(Script& script) {
  Door door;
  door.answer = knock(script, no_token());
  if (is_let_in(door.answer)) {
    door.state = Door::State::kOpen;
  } else if (!says_nothing(door.answer)) {
    // With our token the same request is served: then its lack is the reason, whatever form the
    // refusal has (an error in a success, a redirect, a page).
    const bool is_reason_clear = !script.is_locked_out() || has_challenge(door.answer) ||
                                 door.answer.status == kUnauthorized;
    if (!is_reason_clear) return door;
    door.state = goes_by_the_pages(script, door) ? Door::State::kShut : Door::State::kOwnManner;
  }
  return door;
}

Door try_inner_door(Script& script) {
  constexpr std::size_t kMostCalls = 3;
  Door door;
  door.state = Door::State::kOpen;
  Connection& session = script.session();
  std::vector<Json> bodies = {{{"method", "tools/list"}, {"params", Json::object()}}};
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostCalls)) {
    bodies.push_back({{"method", "tools/call"},
                      {"params", {{"name", tool.name}, {"arguments", tool.arguments}}}});
  }
  for (const Json& body : bodies) {
    const auto send = [&](const transport::Headers& headers) {
      Json request = session.fence_request(session.next_id());
      request["method"] = body["method"];
      request["params"].update(body["params"]);
      return post(session, request, headers);
    };
    HttpAnswer answer = send(no_token());
    if (is_let_in(answer) || says_nothing(answer)) continue;
    if (!token_challenge(answer) && !send({}).is_served()) continue;
    door.answer = std::move(answer);
    door.state = goes_by_the_pages(script, door) ? Door::State::kShut : Door::State::kOwnManner;
    break;
  }
  return door;
}

bool is_shut(Script& script, const Door& door, std::span<const RequirementId> rules) {
  for (const RequirementId rule : rules) {
    if (door.state == Door::State::kOpen) script.not_applicable(rule, kOpen);
    if (door.state == Door::State::kOwnManner) {
      script.unclear(rule,
                     "the server asks for credentials, and nothing leads to the metadata of this "
                     "specification's authorization: it may have rules of its own",
                     door.answer.events);
    }
    if (door.state == Door::State::kUnclear) {
      script.unclear(rule,
                     fmt::format("without a token the server answered with {}, and nothing tells "
                                 "whether a token would help",
                                 door.answer.describe()),
                     door.answer.events);
    }
  }
  return door.state == Door::State::kShut;
}

}  // namespace assay::scenarios
