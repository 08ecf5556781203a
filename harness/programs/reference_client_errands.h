// What the reference client does besides, where the scenario of a conformance suite wants it done:
// such suites tell their clients which one is played, and in some what to call.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/programs/heard_notifications.h"
#include "harness/programs/reference_client_tour.h"
#include "reference/client/session.h"

namespace assay::cli {

class ReferenceClientErrands {
 public:
  // Each request may take `patience`. `heard`: told of the session's notifications. `tools`: those
  // that the server lists, without what has to be left out.
  ReferenceClientErrands(client::ClientSession& session, std::chrono::milliseconds patience,
                         HeardNotifications& heard, std::vector<Json> tools, OnTools on_tools)
      : session_(session),
        patience_(patience),
        heard_(heard),
        tools_(std::move(tools)),
        on_tools_(std::move(on_tools)) {}

  // `context`: what MCP_CONFORMANCE_CONTEXT holds; null if nothing. `is_again`: the server exited
  // in the middle of it, and was started again.
  void run(std::string_view scenario, const Json& context, bool is_again);

 private:
  void call_every_tool();
  void read_every_resource();
  void get_every_prompt();
  void give_back_schema();
  void call_two_at_once();
  void give_up(std::string_view name);  // soon
  void give_up_a_call();
  void give_up_a_busy_call();
  void listen_to_changes();
  void load_skills();
  void render_apps();
  const Json* tool(std::string_view name) const;
  void call(const Json& params);
  void call_plainly(std::string_view name);  // without arguments
  // What comes of it shows in what passes.
  void ask(std::string_view method, const Json& params);
  static void show(std::string_view method, const Json& params, const client::ServerAnswer& reply);
  client::Deadline deadline() const { return std::chrono::steady_clock::now() + patience_; }

  client::ClientSession& session_;
  const std::chrono::milliseconds patience_;
  HeardNotifications& heard_;
  const std::vector<Json> tools_;
  const OnTools on_tools_;
};

}  // namespace assay::cli
