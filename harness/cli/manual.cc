// mcp-assay manual: the manual page, mcp-assay(1), made from what the subcommands declare.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/frame/command.h"
#include "harness/frame/command_info.h"
#include "harness/frame/version.h"

namespace assay::cli {
namespace {

// Text as roff takes it: no backslash, hyphen or dot at the start of a line means anything.
std::string roff_text(std::string_view text) {
  std::string out;
  bool is_line_start = true;
  for (const char c : text) {
    if (is_line_start && (c == '.' || c == '\'')) out += "\\&";
    is_line_start = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

// Lines that stand as they are: examples and lists.
std::string roff_verbatim(std::string_view text) {
  return fmt::format(".PP\n.nf\n{}\n.fi\n", roff_text(text));
}

std::string roff_option(const OptionInfo& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + roff_text(name) + "\\fR");
  const std::string value =
      option.placeholder.empty() ? "" : " \\fI" + roff_text(option.placeholder) + "\\fR";
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "), value, roff_text(option.help));
}

std::string roff_synopsis(const CommandInfo& command) {
  std::string out = fmt::format(".PP\n\\fBmcp\\-assay {}\\fR", roff_text(command.name));
  if (!command.options.empty()) out += " [\\fIOPTIONS\\fR]";
  for (const PositionalInfo& each : command.positionals) {
    const std::string name =
        "\\fI" + roff_text(each.name) + "\\fR" + (each.is_repeatable ? "..." : "");
    out += each.is_required ? " " + name : " [" + name + "]";
  }
  if (!command.command_line_help.empty()) out += " [\\-\\- \\fICOMMAND\\fR [\\fIARG\\fR...]]";
  return out + "\n";
}

std::string roff_command(const CommandInfo& command) {
  std::string out = fmt::format(".SS {}\n{}.\n{}", roff_text(command.name),
                                roff_text(command.summary), roff_synopsis(command));
  for (const PositionalInfo& each : command.positionals) {
    out += fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff_text(each.name), roff_text(each.help));
  }
  std::string group;
  for (const OptionInfo& option : command.options) {
    if (option.group != group) out += fmt::format(".PP\n\\fB{}\\fR\n", roff_text(option.group));
    group = option.group;
    out += roff_option(option);
  }
  if (!command.command_line_help.empty()) {
    out += fmt::format(".TP\n\\fB\\-\\-\\fR \\fICOMMAND\\fR [\\fIARG\\fR...]\n{}\n",
                       roff_text(command.command_line_help));
  }
  if (!command.footer.empty()) out += roff_verbatim(command.footer);
  return out;
}

struct Variable {
  std::string_view names;
  std::string_view text;
};
constexpr Variable kVariables[] = {
    {"NO_COLOR", "If it is not empty, no colours, unless --color always asks for them."},
    {"TERM", "With \"dumb\", no colours, and no line that is drawn again."},
    {"MCP_ASSAY_CA",
     "A file of certification authorities (PEM) that are trusted, too, as by --ca."},
    {"XDG_STATE_HOME",
     "Where the paths of the last reports are kept, for show; without it, ~/.local/state."},
    {"SSL_CERT_FILE, SSL_CERT_DIR",
     "Where the certification authorities are that are trusted, in place of the system's."},
    {"XDG_RUNTIME_DIR, TMPDIR",
     "Where a socket of watch is made that was given no path; TMPDIR also for what else is "
     "temporary. Without them, /tmp."},
    {"BROWSER", "What --login and show open the browser with; without it, xdg-open."},
    {"MCP_ASSAY_CLIENT_ID, MCP_ASSAY_CLIENT_SECRET, MCP_ASSAY_REFRESH_TOKEN",
     "With what server --login and --grant, and authorization, log in."},
    {"MCP_ASSAY_WATCH", "The socket of the watch to which tap shows what passes."},
    {"MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_PROTOCOL_VERSION, MCP_CONFORMANCE_CONTEXT",
     "Set by client for the client that it certifies, as the official conformance suite does."},
    {"MCP_CONFORMANCE_AUTH_SERVER_URL",
     "Set by server --auth-server for the server that it certifies."},
    {"MCP_CONFORMANCE_UPSTREAM_URL", "Set by server --upstream for the server that it certifies."},
    {"MCP_ASSAY_SANDBOX", "Set by fuzz --sandbox for the server: the folder that it may serve."}};

std::string manual_page() {
  std::string out = fmt::format(
      ".TH MCP\\-ASSAY 1 \"\" \"mcp\\-assay {}\" \"User Commands\"\n"
      ".SH NAME\nmcp\\-assay \\- conformance suite and protocol fuzzer for the Model Context "
      "Protocol\n"
      ".SH SYNOPSIS\n\\fBmcp\\-assay\\fR \\fISUBCOMMAND\\fR [\\fIOPTIONS\\fR] [\\-\\- "
      "\\fICOMMAND\\fR [\\fIARG\\fR...]]\n"
      ".SH DESCRIPTION\n{}\n"
      "It certifies servers, clients and authorization servers of the Model Context Protocol "
      "against each revision of the specification, over stdio and HTTP, and shows for each verdict "
      "which rule it rests on and what was sent and received. It judges recorded traffic, and "
      "fuzzes and measures running servers.\n.SH SUBCOMMANDS\n",
      ASSAY_VERSION, kSummary);
  for (const CommandInfo& command : describe_commands()) out += roff_command(command);
  out +=
      ".SH EXIT STATUS\n"
      ".TP\n0\nNo violation that was not expected; or done.\n"
      ".TP\n1\nViolations that were not expected.\n"
      ".TP\n2\nThe command line, or a file that it names, is wrong.\n"
      ".TP\n3\nThe target, or one of the revisions, could not be tested.\n"
      ".TP\n130\nInterrupted, or stopped by \\fB\\-\\-max\\-time\\fR.\n"
      ".SH ENVIRONMENT\n";
  for (const Variable& each : kVariables) {
    out += fmt::format(".TP\n{}\n{}\n", roff_text(each.names), roff_text(each.text));
  }
  out += ".SH FILES\n.TP\nmcp\\-assay.yaml\n";
  out += roff_text(
      "What server does in a project, here or above; init writes the first one, and 'schema --of "
      "project' prints its format.\n");
  return out;
}

class ManualCommand : public Command {
 public:
  std::string_view name() const override { return "manual"; }
  std::string_view summary() const override { return "Print the manual page, mcp-assay(1)"; }
  void declare(Arguments& arguments) override {
    arguments.footer("Read it at once: mcp-assay manual | man -l -");
  }
  int run() override {
    fmt::print("{}", manual_page());
    return kConformant;
  }
};

const CommandRegistration<ManualCommand> kManualCommandRegistration;

}  // namespace
}  // namespace assay::cli
