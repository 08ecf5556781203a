#include "reference/authorization/own_office.h"

#include "reference/wire/http_text.h"

namespace assay::authorization {

OwnOffice::OwnOffice(bool has_metadata) : has_metadata_(has_metadata) {}

Server& OwnOffice::server_at(const std::string& origin) {
  const std::lock_guard lock(mutex_);
  if (!server_) {
    Knobs knobs;
    knobs.has_oauth_metadata = has_metadata_;
    knobs.gives_refresh_tokens = true;
    server_ = std::make_unique<Server>(knobs, origin);
  }
  return *server_;
}

std::optional<transport::AccessToken> OwnOffice::read(std::string_view token,
                                                      const std::string& /*resource*/) {
  const std::lock_guard lock(mutex_);
  const auto grant = server_ ? server_->grant_of(token) : std::nullopt;
  if (!grant) return std::nullopt;
  return transport::AccessToken{std::string(token), grant->scopes, grant->client_id};
}

std::optional<transport::HttpReply> OwnOffice::handle(const transport::HttpHead& request,
                                                      std::string_view body) {
  // A resource has no metadata of its own in that revision.
  const std::string_view path = request.target;
  if (path.starts_with(transport::kResourceMetadataPath)) {
    return transport::HttpReply{404, {{"Content-Type", "text/plain"}}, "Not found", nullptr};
  }
  const std::string host(transport::find_header(request.headers, "Host").value_or("localhost"));
  return server_at("http://" + host).handle(request, body);
}

}  // namespace assay::authorization
