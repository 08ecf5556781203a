// A client's conversation in the revisions with a handshake: `initialize`, then both parties ask.
//
// Specification: basic/lifecycle of 2024-11-05 to 2025-11-25.
#pragma once

#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>

#include "harness/script/connection.h"

namespace assay::harness {

// The params of `initialize`; with no capabilities said, all that a client of the revision can
// have.
Json initialize_params(model::Revision revision, std::optional<Json> capabilities = std::nullopt);

class HandshakeConnection final : public Connection {
 public:
  HandshakeConnection(const TargetAccess& access, model::Revision revision, Patience patience,
                      std::stop_token stop = {})
      : Connection(access, revision, patience, std::move(stop)) {}

  // `initialize`, then `notifications/initialized` if it was answered with a result; between the
  // two what before_initialized() was told.
  Reply begin(std::optional<Json> capabilities = std::nullopt) override;
  std::string_view fence_method() const override { return "ping"; }

 private:
  void attend(const Event& event) override;
  void answer_request(const wire::Message& request);
};

}  // namespace assay::harness
