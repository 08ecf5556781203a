#include "reference/authorization/hosted.h"

#include <chrono>
#include <utility>
#include <variant>

#include "reference/transport/http_fetch.h"
#include "reference/transport/loopback.h"

namespace assay::authorization {
namespace {

// Longer than anybody on this machine takes.
constexpr std::chrono::seconds kDocumentPatience{2};

transport::HttpListener::Options listener_options(int port) {
  transport::HttpListener::Options options;
  options.port = port;
  options.most_connections = 64;
  options.most_body_bytes = 256u << 10;
  // One thread may wait for the document of a client while another serves.
  options.threads = 4;
  return options;
}

std::optional<std::string> fetch_from_this_machine(const std::string& url) {
  const auto parsed = transport::HttpUrl::parse(url);
  const auto* place = std::get_if<transport::HttpUrl>(&parsed);
  if (place == nullptr || !transport::is_loopback(*place)) return std::nullopt;
  transport::HttpMessage message;
  message.method = "GET";
  auto came = transport::fetch(url, std::move(message), kDocumentPatience);
  auto* fetched = std::get_if<transport::Fetched>(&came);
  if (fetched == nullptr || fetched->status != 200) return std::nullopt;
  return std::move(fetched->body);
}

}  // namespace

HostedServer::HostedServer(int port)
    : listener_(listener_options(port),
                [this](const transport::HttpHead& request, std::string_view body) {
                  return handle(request, body);
                }) {}

std::optional<std::string> HostedServer::start(const Furnish& furnish) {
  if (auto trouble = listener_.start()) return trouble;
  origin_ = "http://127.0.0.1:" + std::to_string(listener_.port());
  Knobs knobs = furnish(origin_);
  if (!knobs.fetch_document) knobs.fetch_document = fetch_from_this_machine;
  server_ = std::make_unique<Server>(std::move(knobs), origin_);
  serving_ = server_.get();
  return std::nullopt;
}

transport::HttpReply HostedServer::handle(const transport::HttpHead& request,
                                          std::string_view body) {
  if (Server* server = serving_) {
    if (auto reply = server->handle(request, body)) return *std::move(reply);
  }
  return {404, {{"Content-Type", "text/plain"}}, "Not found", nullptr};
}

}  // namespace assay::authorization
