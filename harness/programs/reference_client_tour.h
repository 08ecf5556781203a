// What `mcp-assay reference-client` does once it is connected: it looks at everything a server has.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/client/session.h"

namespace assay::cli {

// Told of the tools that a server lists; takes out those that are to be left out.
using OnTools = std::function<void(std::vector<Json>& tools)>;

// Takes out the tools whose parameters cannot be repeated in header fields, and says so on standard
// error: one bad definition is no reason to go without the others.
void leave_out_unfit(std::vector<Json>& tools);

// Calls a tool. Where the server misses header fields that the tools did not ask for when they were
// listed, they are listed again, and the call is repeated. Each request may take `patience`.
client::ServerAnswer call_tool(client::ClientSession& session, const Json& params,
                               std::chrono::milliseconds patience, const OnTools& on_tools);

class ReferenceClientTour {
 public:
  // Each request may take `patience`.
  ReferenceClientTour(client::ClientSession& session, std::chrono::milliseconds patience,
                      OnTools on_tools)
      : session_(session), patience_(patience), on_tools_(std::move(on_tools)) {}

  // Shows who the server is, what it lists, reads and renders, and what its safe tools answer:
  // those that say they only read and need no arguments, and the known fixtures; as a task what can
  // be called in no other way. Prints to standard
  // output; what the server said is made printable.
  void run();

 private:
  void show_server();
  // And gives what was listed.
  std::vector<Json> show_list(std::string_view capability, std::string_view method,
                              const std::string& key, std::string_view title);
  void show_tools();
  void call(const std::string& tool, const Json& arguments);
  void call_as_task(const std::string& tool, const Json& arguments);
  void show_reply(std::string_view what, const client::ServerAnswer& reply);
  client::Deadline deadline() const { return std::chrono::steady_clock::now() + patience_; }

  client::ClientSession& session_;
  std::chrono::milliseconds patience_;
  OnTools on_tools_;
};

}  // namespace assay::cli
