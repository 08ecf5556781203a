// A connection on which both eras are spoken: each message goes to the era that it is of.
//
// Specification: basic/versioning, "Backward Compatibility with Initialization-Based Versions": "A
// dual-era server MAY serve both eras concurrently on the same endpoint or process." Over HTTP the
// transport does this by what the headers say as well.
#pragma once

#include <memory>
#include <utility>

#include "reference/server/session.h"
#include "reference/server/stateless_session.h"

namespace assay::server {

class EitherEra final : public transport::ServerSession {
 public:
  EitherEra(std::shared_ptr<Session> handshake, std::shared_ptr<StatelessSession> stateless)
      : handshake_(std::move(handshake)), stateless_(std::move(stateless)) {}

  // Whoever works for one of the two may hold it longer: what nobody can answer any more ends.
  ~EitherEra() override { close(); }

  void receive(const wire::Decoded& arrived,
               const std::shared_ptr<transport::Sink>& answers) override;
  std::optional<model::Revision> revision() const override { return handshake_->revision(); }
  void close() final;

 private:
  bool is_stateless(const wire::Message& request) const;

  const std::shared_ptr<Session> handshake_;
  const std::shared_ptr<StatelessSession> stateless_;
};

}  // namespace assay::server
