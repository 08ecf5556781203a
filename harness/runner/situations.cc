#include "harness/runner/situations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/monitors/monitor.h"
#include "harness/runner/scenario.h"
#include "harness/script/means.h"

namespace assay::harness {
namespace {

// What brings a situation about, where it is not words of its own.
constexpr std::string_view kAskTheClient =
    "name a tool that asks the client in a --profile file (does: samples, elicits or asks-roots)";
constexpr std::string_view kSessions = "a server that assigns session ids";
constexpr std::string_view kStreams =
    "a server that answers with event streams, and a tool that takes some time in a --profile file "
    "(does: takes-time)";
constexpr std::string_view kCallTools =
    "let tools be called: name them in a --profile file, or allow them with --tools";

struct Row {
  std::string_view prefix;  // of the requirement's id; the longest that fits counts
  std::string_view why;
  std::string_view hint;
};

constexpr std::array kRows = {
    Row{"authorization.", "the server asked for no authorization",
        "a server that protects its endpoint with a token, at --url"},
    Row{"caching.", "the server gave nothing that says how long it holds", ""},
    Row{"cancellation.", "the server cancelled none of its own requests",
        "name a tool that asks the client and gives up before it is answered in a --profile file "
        "(does: samples)"},
    Row{"completion.", "no argument was completed",
        "name an argument that can be completed in a --profile file (completions)"},
    Row{"completion.unsupported", "the server declares that it completes arguments", ""},
    Row{"content.", "the server gave no such content",
        "name a tool or prompt that gives it in a --profile file"},
    Row{"deprecated.", "the server used nothing that is deprecated", ""},
    Row{"discover.", "nothing of the kind came to pass", ""},
    Row{"elicitation.", "the server asked the user for nothing of the kind",
        "name a tool that asks the user in a --profile file (does: elicits, or elicits-by-url)"},
    Row{"elicitation.completion-", "the server said of no elicitation by URL that it is complete",
        "name a tool that asks the user by URL, and says when that is done, in a --profile file "
        "(does: elicits-by-url)"},
    Row{"elicitation.required-error", "no request failed for want of an elicitation",
        "name such a tool in a --profile file (does: needs-elicitation)"},
    Row{"elicitation.url", "the server sent the user to no URL",
        "name a tool that asks the user by URL in a --profile file (does: elicits-by-url)"},
    Row{"http-sse.", "nothing of the older HTTP+SSE transport came to pass",
        "give its event stream with --sse-url"},
    Row{"http.", "the exchange that the rule is about did not come about", kStreams},
    Row{"http.stream", "no event stream showed it", kStreams},
    Row{"http.resum", "no stream could be resumed",
        "a server that gives its events ids, and a tool that takes some time in a --profile file "
        "(does: takes-time)"},
    Row{"http.event-id", "no event of a stream had an id", kStreams},
    Row{"http.get-stream", "nothing came on a GET stream",
        "a server that offers a GET stream, and a tool that changes a list in a --profile file "
        "(does: changes-tools)"},
    Row{"http.session", "the server assigned no session id", kSessions},
    Row{"http.session-delete", "the server lets clients end their sessions", ""},
    Row{"http.retry", "the server closed no stream that went on",
        "name a tool that does so in a --profile file (does: closes-stream)"},
    Row{"http.stream-p", "the server closed no stream that went on",
        "name a tool that does so in a --profile file (does: closes-stream)"},
    Row{"json-schema.", "the server gave no schema of the kind", kCallTools},
    Row{"jsonrpc.", "no message of the server was of the kind that the rule is about", ""},
    Row{"jsonrpc.request", "the server sent no request of its own", kAskTheClient},
    Row{"jsonrpc.error", "the server answered nothing with an error", ""},
    Row{"lifecycle.", "the session did not come to what the rule is about", ""},
    Row{"lifecycle.server-waits", "the server sent no request of its own", kAskTheClient},
    Row{"lifecycle.uses-negotiated", "the server used no capability of the client", kAskTheClient},
    Row{"logging.", "the server logged nothing",
        "name a tool that logs in a --profile file (does: logs, or logs-every-level)"},
    Row{"meta.", "nothing that the server sent had such a _meta",
        "name a tool whose result has a _meta in a --profile file"},
    Row{"mrtr.", "the server asked for no further input", kAskTheClient},
    Row{"pagination.", "no list of the server came in pages", "a list long enough for two pages"},
    Row{"ping.", "the server sent no ping of its own", ""},
    Row{"progress.", "the server reported no progress",
        "name a tool that reports progress in a --profile file (does: reports-progress)"},
    Row{"progress.token-type", "the server asked for no progress on a request of its own",
        kAskTheClient},
    Row{"progress.token-unique", "the server asked for no progress on two requests of its own",
        kAskTheClient},
    Row{"prompts.", "no prompt of the server gave what the rule is about",
        "name a prompt that gives that, with its arguments, in a --profile file (prompts)"},
    Row{"resources.", "no resource of the server gave what the rule is about",
        "name a resource that gives that in a --profile file (resources: read)"},
    Row{"resources.list-changed", "the list of resources did not change",
        "name a tool that changes it in a --profile file (does: changes-resources)"},
    Row{"resources.updat", "no resource changed while it was subscribed to",
        "name a tool that changes one in a --profile file (does: updates-resource)"},
    Row{"resources.subscri", "no resource changed while it was subscribed to",
        "name a tool that changes one in a --profile file (does: updates-resource)"},
    Row{"roots.", "the server did not ask for roots",
        "name a tool that does in a --profile file (does: asks-roots)"},
    Row{"sampling.", "the server asked for no sampling of the kind",
        "name a tool that does in a --profile file (does: samples)"},
    Row{"schema.", "the server sent no message of the kind", ""},
    Row{"schema.completion-result", "nothing was completed",
        "name an argument that can be completed in a --profile file (completions)"},
    Row{"schema.prompts-get-result", "no prompt was fetched", "a server with prompts"},
    Row{"schema.resources-read-result", "no resource was read", "a server with resources"},
    Row{"schema.server-notifications", "the server sent no notification",
        "name a tool that logs or reports progress in a --profile file (does: logs, "
        "reports-progress)"},
    Row{"schema.server-requests", "the server sent no request of its own", kAskTheClient},
    Row{"schema.tools-call-result", "no tool was called", kCallTools},
    Row{"security.", "nothing of the kind came to pass", ""},
    Row{"stateless.", "nothing of the kind came to pass", ""},
    Row{"stdio.", "nothing of the kind was read or written", ""},
    Row{"stdio.stderr", "the server wrote nothing to its standard error", ""},
    Row{"subscriptions.", "nothing that was subscribed to came to pass",
        "name a tool that changes a list in a --profile file (does: changes-tools)"},
    Row{"tasks.", "no tool ran as a task that could show it",
        "a server that declares tasks, and tools that may be called as tasks (--tools)"},
    Row{"tools.", "no tool that was called showed it", kCallTools},
    Row{"tools.embedding", "no tool gave an embedded resource", kCallTools},
    Row{"tools.list-changed", "the list of tools did not change",
        "name a tool that changes it in a --profile file (does: changes-tools)"},
    Row{"tools.structured", "no tool that was called gave structured content",
        "name one that does, with its arguments, in a --profile file"},
    Row{"transport.", "nothing of the kind came to pass", ""},
    Row{"versioning.", "nothing of the kind came to pass", ""},
};

const Row* row_of(std::string_view id) {
  const Row* best = nullptr;
  for (const Row& row : kRows) {
    if (!id.starts_with(row.prefix)) continue;
    if (best == nullptr || row.prefix.size() > best->prefix.size()) best = &row;
  }
  return best;
}

bool names(const auto& requirements, std::string_view id) {
  return std::any_of(requirements.begin(), requirements.end(),
                     [&](const catalogue::RequirementId& each) { return each.text() == id; });
}

struct Judges {
  bool has_any = false;
  bool has_monitor = false;
  std::string_view left_out;  // a scenario that judges it, if none of those that do is wanted
};

Judges judges_of(std::string_view id, const Wanted& wants) {
  Judges judges;
  const auto watchers = monitors();
  judges.has_monitor = std::any_of(watchers.begin(), watchers.end(), [&](MonitorFactory each) {
    return names(each()->requirements(), id);
  });
  judges.has_any = judges.has_monitor;
  bool is_wanted = false;
  for (const Scenario& each : scenarios()) {
    if (!names(each.requirements, id)) continue;
    judges.has_any = true;
    is_wanted = is_wanted || wants(each.name);
    if (judges.left_out.empty()) judges.left_out = each.name;
  }
  if (is_wanted) judges.left_out = "";
  return judges;
}

}  // namespace

bool has_situation(const catalogue::Requirement& requirement) {
  return row_of(requirement.id) != nullptr;
}

Situation situation_of(const catalogue::Requirement& requirement, const Wanted& wants) {
  const Judges judges = judges_of(requirement.id, wants);
  if (!judges.has_any) {
    return {"the suite has no check for this rule yet",
            "nothing that you can do: 'mcp-assay list requirements --uncovered' lists such rules"};
  }
  if (!judges.left_out.empty() && !judges.has_monitor) {
    return {fmt::format("the scenario {} was left out by --scenario", judges.left_out),
            fmt::format("run it: --scenario {}", judges.left_out)};
  }
  const Row* row = row_of(requirement.id);
  if (row == nullptr) return {"the situation did not arise", ""};
  return {std::string(row->why), std::string(row->hint)};
}

}  // namespace assay::harness
