// What the reference client does where it is asked for certain acts, as clients are in a matrix
// (harness/interop/client_word.h): each of them, and says how it went.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "harness/programs/heard_notifications.h"
#include "harness/programs/reference_client_tour.h"
#include "reference/client/session.h"

namespace assay::cli {

// That it does not connect, so that no act is begun; nothing where it is asked for none.
void tell_that_it_does_not_connect(const std::string& why);

class ReferenceClientActs {
 public:
  // Each request may take `patience`. `log`: where it says how an act went; empty: nowhere.
  ReferenceClientActs(client::ClientSession& session, std::chrono::milliseconds patience,
                      HeardNotifications& heard, OnTools on_tools, std::string log)
      : session_(session),
        patience_(patience),
        heard_(heard),
        on_tools_(std::move(on_tools)),
        log_(std::move(log)) {}

  // `plan`: what MCP_ASSAY_ACTS holds.
  void run(const Json& plan);

 private:
  // Why an act did not work; empty if it did. Nothing: it cannot be done here.
  using Went = std::optional<std::string>;

  Went act(std::string_view name, const Json& errand);
  Went list();
  Went page() const;
  Went call(const Json& errand);
  Went progress(const Json& errand);
  Went cancel(const Json& errand);
  Went subscribe(const Json& errand);
  Went ask(std::string_view method, const Json& params);
  Went is_alive();
  static std::string why(std::string_view method, const client::ServerAnswer& reply);
  static Json call_params(const Json& errand);
  client::Deadline deadline() const { return std::chrono::steady_clock::now() + patience_; }

  client::ClientSession& session_;
  const std::chrono::milliseconds patience_;
  HeardNotifications& heard_;
  const OnTools on_tools_;
  const std::string log_;
  std::size_t most_pages_ = 0;  // of one list
};

}  // namespace assay::cli
