// A server with faults: the good one, spoiled at its boundary.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference/server/faults/fault.h"
#include "reference/server/options.h"
#include "reference/transport/http_conduct.h"
#include "reference/transport/server_transport.h"

namespace assay::server {

using Faults = std::vector<const Fault*>;

// The faults of these ids; the first id that is unknown, if one is.
std::variant<Faults, std::string> select_faults(const std::vector<std::string>& ids);

// Turns the switches inside the server.
void turn_switches(const Faults& faults, Options& options);

// What they do not look at in a token that an authorization server signed.
std::vector<transport::TokenDuty> overlooked(const Faults& faults);

class Everybody;
class Memories;
class Afterthoughts;

class FaultyServer : public transport::SessionFactory {
 public:
  // `good` outlives it.
  FaultyServer(transport::SessionFactory& good, Faults faults);
  std::shared_ptr<transport::ServerSession> open(
      transport::WireKind wire, std::shared_ptr<transport::Sink> unrelated) override {
    return open_for("", wire, std::move(unrelated));
  }
  std::shared_ptr<transport::ServerSession> open_for(
      const std::string& user, transport::WireKind wire,
      std::shared_ptr<transport::Sink> unrelated) override;
  std::vector<transport::MirroredParameter> mirrored(const wire::Message& request) const override {
    return good_.mirrored(request);
  }

 private:
  transport::SessionFactory& good_;
  const std::shared_ptr<const Faults> faults_;
  const std::shared_ptr<Everybody> everybody_;  // every client of this server
  const std::shared_ptr<Memories> memories_;
  const std::shared_ptr<Afterthoughts> afterthoughts_;
};

class FaultyConduct : public transport::HttpConduct {
 public:
  // What the server answers besides, as an authorization server; nothing where it is none of that.
  using Office = std::function<std::optional<transport::HttpReply>(const transport::HttpHead&,
                                                                   std::string_view body)>;
  explicit FaultyConduct(Faults faults, Office office = nullptr)
      : faults_(std::move(faults)), office_(std::move(office)) {}
  bool does(transport::HttpDuty duty) const override;
  std::optional<transport::HttpHead> mishears(const transport::HttpHead& request,
                                              std::string_view body) const override;
  std::optional<transport::HttpReply> turn_away(const transport::HttpHead& request,
                                                std::string_view body) const override;
  void reply(const transport::HttpHead& request, std::string_view body,
             transport::HttpReply& reply) const override;
  void event(wire::SseEvent& event) const override;
  std::string session_id(std::string id) const override;

 private:
  const Faults faults_;
  const Office office_;
};

}  // namespace assay::server
