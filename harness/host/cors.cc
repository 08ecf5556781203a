#include "harness/host/cors.h"

#include <optional>
#include <string_view>
#include <utility>

#include "reference/transport/http_replies.h"

namespace assay::harness {
namespace {

using transport::HttpHead;
using transport::HttpReply;

// What scripts read of a reply besides its body.
constexpr const char* kExposed =
    "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After";

HttpReply preflight_reply(const HttpHead& request) {
  HttpReply reply{204, {{"Access-Control-Allow-Methods", "GET, POST, DELETE"}}, "", nullptr};
  // Whatever fields the page wants to send: the rules about them are judged as they come.
  const auto fields = transport::find_header(request.headers, "Access-Control-Request-Headers");
  if (fields) reply.headers.emplace_back("Access-Control-Allow-Headers", std::string(*fields));
  if (transport::find_header(request.headers, "Access-Control-Request-Private-Network")) {
    reply.headers.emplace_back("Access-Control-Allow-Private-Network", "true");
  }
  return reply;
}

void allow(const std::string& origin, HttpReply& reply) {
  reply.headers.emplace_back("Access-Control-Allow-Origin", origin);
  reply.headers.emplace_back("Access-Control-Expose-Headers", kExposed);
  reply.headers.emplace_back("Vary", "Origin");
}

}  // namespace

transport::HttpListener::Handler with_cors(std::string origin,
                                           transport::HttpListener::Handler handler) {
  return [origin = std::move(origin), handler = std::move(handler)](const HttpHead& request,
                                                                    std::string_view body) {
    if (transport::find_header(request.headers, "Origin") != origin) return handler(request, body);
    const bool is_preflight =
        request.method == "OPTIONS" &&
        transport::find_header(request.headers, "Access-Control-Request-Method").has_value();
    HttpReply reply;
    if (is_preflight) {
      reply = preflight_reply(request);
    } else {
      // A server that allows an origin takes it for its own.
      HttpHead known = request;
      std::erase_if(known.headers, [](const transport::Header& header) {
        return transport::lower_case(header.first) == "origin";
      });
      reply = handler(known, body);
    }
    if (reply.later) {
      transport::amend(reply, [origin](HttpReply& answer) { allow(origin, answer); });
    } else {
      allow(origin, reply);
    }
    return reply;
  };
}

}  // namespace assay::harness
