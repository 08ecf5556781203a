#include "harness/interop/entrance.h"

#include <chrono>
#include <utility>
#include <variant>

#include "reference/client/login.h"
#include "reference/model/revision.h"
#include "reference/transport/http_fetch.h"
#include "reference/transport/loopback.h"
#include "reference/wire/json.h"

namespace assay::harness {
namespace {

constexpr std::chrono::milliseconds kLongestAnswer{10'000};
constexpr int kTokenWanted = 401;

transport::HttpMessage opening(const transport::Headers& headers) {
  const std::string revision(model::Revision::newest_handshake().text());
  const Json request = {{"jsonrpc", "2.0"},
                        {"id", 1},
                        {"method", "initialize"},
                        {"params",
                         {{"protocolVersion", revision},
                          {"capabilities", Json::object()},
                          {"clientInfo", {{"name", "mcp-assay"}, {"version", "1"}}}}}};
  transport::HttpMessage message;
  message.method = "POST";
  message.headers = {{"Content-Type", "application/json"},
                     {"Accept", "application/json, text/event-stream"}};
  message.headers.insert(message.headers.end(), headers.begin(), headers.end());
  message.body = request.dump();
  return message;
}

}  // namespace

Entrance look_at_entrance(const transport::HttpUrl& url, const transport::Headers& headers) {
  Entrance out;
  const auto answer = transport::fetch(url.text(), opening(headers), kLongestAnswer);
  const auto* refusal = std::get_if<transport::Fetched>(&answer);
  out.asks_for_token = refusal != nullptr && refusal->status == kTokenWanted;
  if (!out.asks_for_token || !transport::is_loopback(url)) return out;
  client::LoginOptions options;
  options.endpoint = url.text();
  options.timeout = kLongestAnswer;
  client::Login login(std::move(options));
  const std::string challenge(
      transport::find_header(refusal->headers, "WWW-Authenticate").value_or(""));
  if (!login.answer(refusal->status, challenge)) out.authorization = login.authorization();
  return out;
}

}  // namespace assay::harness
