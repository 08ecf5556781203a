// mcp-assay relay: what a client starts in place of a server, where 'client --stdio' judges it.
#include "reference/transport/relay.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "harness/frame/command.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

class RelayCommand : public Command {
 public:
  std::string_view name() const override { return "relay"; }
  std::string_view summary() const override {
    return "Stand in for the stdio server that 'client --stdio' plays";
  }

  void declare(Arguments& arguments) override {
    arguments.positional("SOCKET", socket_, true,
                         "The socket of the process that plays the server");
    arguments.flag(
        "--copy", is_copying_,
        "Copy the standard streams to the socket and back, instead of handing them over");
    arguments.footer(
        "A client under test starts it, through {server} or {config} in its command line. Its "
        "standard\n"
        "streams, signals and exit are those of the played server. With --copy, the server is in "
        "the "
        "process\n"
        "that listens at SOCKET, and gets each session as a connection.\n"
        "\n"
        "Exit status: the server's, or 3 if no process listens at SOCKET.");
  }

  int run() override {
    const std::string why =
        is_copying_ ? transport::run_copying_relay(socket_) : transport::run_relay(socket_);
    fmt::print(stderr, "mcp-assay relay: {}\n", reports::printable_line(why));
    return kNotTested;
  }

 private:
  std::string socket_;
  bool is_copying_ = false;
};

const CommandRegistration<RelayCommand> kRelayCommandRegistration;

}  // namespace
}  // namespace assay::cli
