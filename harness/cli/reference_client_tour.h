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

class ReferenceClientTour {
 public:
  // Each request may take `patience`. `on_tools` is told of the tools that the server lists.
  ReferenceClientTour(client::ClientSession& session, std::chrono::milliseconds patience,
                      std::function<void(const std::vector<Json>& tools)> on_tools)
      : session_(session), patience_(patience), on_tools_(std::move(on_tools)) {}

  // Shows who the server is, what it lists, reads and renders, and what its safe tools answer:
  // those that say they only read and need no arguments, and the known fixtures. Prints to standard
  // output; what the server said is made printable.
  void run();

 private:
  void show_server();
  void show_list(std::string_view capability, std::string_view method, const std::string& key,
                 std::string_view title);
  void show_tools();
  void call(const std::string& tool, const Json& arguments);
  void show_reply(std::string_view what, const client::ServerAnswer& reply);
  client::Deadline deadline() const { return std::chrono::steady_clock::now() + patience_; }

  client::ClientSession& session_;
  std::chrono::milliseconds patience_;
  std::function<void(const std::vector<Json>&)> on_tools_;
};

}  // namespace assay::cli
