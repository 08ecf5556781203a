#include "harness/host/office.h"

#include <utility>

#include "reference/transport/observed_handler.h"

namespace assay::harness {
namespace {

transport::HttpListener::Options office_options() {
  transport::HttpListener::Options options;
  options.most_connections = 64;
  options.most_body_bytes = 256u << 10;
  options.threads = 1;
  return options;
}

}  // namespace

Office::Office(const Venue& venue, int number)
    : mask_(*venue.recorder, venue.vault, static_cast<std::uint64_t>(number) * kLanes),
      listener_(office_options(),
                transport::observed([this](const transport::HttpHead& request,
                                           std::string_view body) { return handle(request, body); },
                                    mask_)) {}

std::optional<std::string> Office::start(const Furnish& furnish) {
  if (auto trouble = listener_.start()) return trouble;
  origin_ = "http://127.0.0.1:" + std::to_string(listener_.port());
  server_ = std::make_unique<authorization::Server>(furnish(origin_), origin_);
  serving_ = server_.get();
  return std::nullopt;
}

transport::HttpReply Office::handle(const transport::HttpHead& request, std::string_view body) {
  if (beside_) {
    if (auto reply = beside_(request, body)) return *std::move(reply);
  }
  if (authorization::Server* server = serving_) {
    if (auto reply = server->handle(request, body)) return *std::move(reply);
  }
  return {404, {{"Content-Type", "text/plain"}}, "Not found", nullptr};
}

}  // namespace assay::harness
