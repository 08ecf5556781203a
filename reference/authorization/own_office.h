// A server that is its own authorization server, as 2025-03-26 has it: the tokens that it takes are
// those that it has given.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "reference/authorization/server.h"
#include "reference/transport/http_protection.h"

namespace assay::authorization {

class OwnOffice : public transport::TokenReader {
 public:
  // With no metadata its endpoints are at the default paths.
  explicit OwnOffice(bool has_metadata = true);

  std::optional<transport::AccessToken> read(std::string_view token,
                                             const std::string& resource) override;
  // Nothing where the request is for none of its endpoints. It is where the first one reaches it.
  std::optional<transport::HttpReply> handle(const transport::HttpHead& request,
                                             std::string_view body);

 private:
  Server& server_at(const std::string& origin);

  const bool has_metadata_;
  std::mutex mutex_;  // guards server_ until it is there
  std::unique_ptr<Server> server_;
};

}  // namespace assay::authorization
