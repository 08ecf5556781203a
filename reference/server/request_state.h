// The `requestState` that a client carries from one round of a request to the next: opaque to it,
// and of no use to it but for that.
//
// Specification: basic/patterns/mrtr, "Server Requirements (Basic Workflow)".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "reference/server/options.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::server {

// Signs with a key that no other process has.
//
// Thread safety: any thread may call any member.
class StateSeal {
 public:
  // Without the checks that the switches turn off.
  explicit StateSeal(const Switches& switches = {});

  // `data`, bound to the request and to its user (empty: nobody knows), to be used within `ttl`.
  std::string seal(const wire::Message& request, std::string_view user, const Json& data,
                   std::chrono::milliseconds ttl) const;
  // The data; nothing where the state is not ours, was altered, has expired, or is of another
  // request or user.
  std::optional<Json> open(const wire::Message& request, std::string_view user,
                           std::string_view state) const;

 private:
  std::string mark(std::string_view text) const;
  std::string seal_of(std::string_view text) const;
  // By which the state names its user.
  std::string name_of(std::string_view user) const;
  bool has(Switch which) const;

  const std::string key_;
  const Switches switches_;
};

}  // namespace assay::server
