// A client's conversation in the revisions without a handshake: every request stands alone.
//
// Specification of 2026-07-28: basic/index, "Statelessness" and "_meta"; basic/patterns/mrtr;
// basic/transports/streamable-http, "Request Metadata".
#pragma once

#include <optional>
#include <stop_token>
#include <string_view>

#include "harness/script/connection.h"
#include "harness/script/mirrored_headers.h"
#include "reference/model/extension.h"

namespace assay::harness {

// What every request carries in `_meta`; with no capabilities said, all that a client of the
// revision can have.
Json request_meta(model::Revision revision, std::optional<Json> capabilities = std::nullopt);

// All that a client of the revision can have, and the extension.
Json capabilities_with(model::Revision revision, const model::Extension& extension);

class StatelessConnection final : public Connection {
 public:
  StatelessConnection(const TargetAccess& access, model::Revision revision, Patience patience,
                      std::stop_token stop = {});

  // Asks `server/discover`. From now on requests declare these capabilities.
  Reply begin(std::optional<Json> capabilities = std::nullopt) override;
  std::string_view fence_method() const override { return "server/discover"; }
  transport::Headers fields_of(const Json& message) const override;
  std::optional<Json> next_attempt(const Json& params, const Reply& reply) const override;

 private:
  // With the fields of request_meta() that `_meta` lacks.
  Json prepared(std::string_view method, Json params) const override;
  // With the header fields that repeat parts of it.
  transport::Lane transmit(const Json& message) override;
  // Answers what the result asks for (`input_required`), and asks again, a few times at most.
  Reply completed(std::string_view method, const Json& params, Reply reply) override;
  void attend(const Event& event) override;

  // What answers the result's questions; nothing where one of them is not answered.
  std::optional<Json> responses_to(const Json& requests) const;

  Json meta_;
  MirroredParameters parameters_;
};

}  // namespace assay::harness
