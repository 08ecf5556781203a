// Bombs over HTTP: answers that unpack, pile up or weigh more than they seem to.
#include <fmt/format.h>

#include <random>

#include "reference/hostile/deflate_bomb.h"
#include "reference/hostile/peer.h"
#include "reference/hostile/polite.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

constexpr std::size_t kFieldBytes = 900'000;
constexpr std::size_t kSessionBytes = 60'000;
constexpr std::size_t kUnpackedBytes = std::size_t{4} << 30;
constexpr std::size_t kEventIdBytes = 16;
constexpr std::size_t kResources = 8;
constexpr std::size_t kResourceBytes = 3'500'000;

bool is_initialize(const WebCall& call) {
  return is_request(call.message, "initialize");
}

// A body of blanks that unpacks to gigabytes, under this name of an encoding.
WebHooks compressed(std::string_view encoding) {
  return {.on_message = [encoding](const WebCall& call) {
    if (!is_initialize(call)) return false;
    call.connection.begin_chunks(
        fmt::format("{}Content-Encoding: {}\r\n", WebConnection::kJson, encoding));
    DeflateBomb bomb(
        encoding == "gzip" ? DeflateBomb::Wrapping::kGzip : DeflateBomb::Wrapping::kZlib,
        kUnpackedBytes);
    for (std::string part = bomb.next(); !part.empty(); part = bomb.next()) {
      call.connection.chunk(part);
    }
    call.connection.end_chunks();
    return true;
  }};
}

std::string initialize_with_resources() {
  return R"({"protocolVersion":"2025-11-25","capabilities":{"resources":{},"tools":{}},)"
         R"("serverInfo":{"name":"hostile-peer","version":"1"}})";
}

// Text that nobody can guess, and that no other session has.
std::string random_text(std::size_t bytes) {
  std::random_device device;
  std::string text;
  while (text.size() < bytes) text += fmt::format("{:08x}", device());
  return text;
}

std::string resource_uri(std::size_t number) {
  return fmt::format("test://large/{}", number);
}

bool is_listed(std::string_view uri) {
  for (std::size_t i = 0; i < kResources; ++i) {
    if (uri == resource_uri(i)) return true;
  }
  return false;
}

std::string list_of_resources() {
  std::string list;
  for (std::size_t i = 0; i < kResources; ++i) {
    list +=
        fmt::format(R"({}{{"uri":"{}","name":"large {}"}})", i == 0 ? "" : ",", resource_uri(i), i);
  }
  return R"({"resources":[)" + list + "]}";
}

// What is large comes in parts, so that the peer stays small.
void send_resource(const WebCall& call) {
  const std::string uri = text_member(call.message.params(), "uri");
  if (!is_listed(uri)) {
    call.connection.answer_json(error_text(call.message, wire::kResourceNotFound, "not found"));
    return;
  }
  call.connection.begin_events();
  call.connection.chunk(fmt::format("id: {}\ndata:\n\n", random_text(kEventIdBytes)));
  call.connection.chunk("data: " + result_head(call.message) +
                        fmt::format(R"({{"contents":[{{"uri":"{}","text":")", uri));
  const std::string part(kResourceBytes / 10, 'r');
  for (int i = 0; i < 10; ++i) call.connection.chunk(part);
  call.connection.chunk("\"}]}}\n\n");
  call.connection.end_chunks();
}

bool answer_with_resources(const WebCall& call) {
  if (is_initialize(call)) {
    call.connection.answer_json(result_text(call.message, initialize_with_resources()));
  } else if (is_request(call.message, "resources/list") && is_first_page(call.message)) {
    call.connection.answer_json(result_text(call.message, list_of_resources()));
  } else if (is_request(call.message, "resources/templates/list") && is_first_page(call.message)) {
    call.connection.answer_json(result_text(call.message, R"({"resourceTemplates":[]})"));
  } else if (is_request(call.message, "resources/read")) {
    send_resource(call);
  } else if (call.message.method().starts_with("resources/") &&
             call.message.kind() == wire::MessageKind::kRequest) {
    call.connection.answer_json(error_text(call.message, wire::kInvalidParams, "no such page"));
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::vector<Peer> web_bomb_peers() {
  return {
      {.name = "http-gzip-bomb",
       .does = "Answers initialize with 20 MB of gzip that unpack to 4 GB",
       .cause = "ncoding|compress",
       .web = [] { return compressed("gzip"); }},
      {.name = "http-deflate-bomb",
       .does = "The same with the encoding deflate",
       .cause = "ncoding|compress",
       .web = [] { return compressed("deflate"); }},
      {.name = "http-large-header-field",
       .does = "Sends a header field of 900 KB with each answer",
       .cause = "head",
       .web =
           [] {
             return WebHooks{.on_message = [](const WebCall& call) {
               const std::string answer = polite_answer(call.message);
               call.connection.answer(answer.empty() ? 202 : 200,
                                      fmt::format("{}X-Large: {}\r\n", WebConnection::kJson,
                                                  std::string(kFieldBytes, 'h')),
                                      answer);
               return true;
             }};
           }},
      {.name = "http-large-session-id",
       .does = "Gives a session an id of 60 KB, which comes back with every request, and is sound",
       .cause = "",
       .web =
           [] {
             return WebHooks{.on_message = [](const WebCall& call) {
               if (!is_initialize(call)) return false;
               call.connection.answer(200,
                                      fmt::format("{}Mcp-Session-Id: {}\r\n", WebConnection::kJson,
                                                  random_text(kSessionBytes)),
                                      polite_answer(call.message));
               return true;
             }};
           }},
      {.name = "sse-large-resources",
       .does = "Has eight resources of 3.5 MB each, and is sound",
       .cause = "",
       .web = [] { return WebHooks{.on_message = answer_with_resources}; }},
  };
}

}  // namespace assay::hostile
