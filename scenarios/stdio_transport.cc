// Scenarios about lines: how a server reads them, and how it ends with its standard input.
//
// Specification: basic/transports, "stdio"; basic/lifecycle, "Shutdown".
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/answers.h"
#include "reference/transport/stdio_child.h"
#include "reference/wire/compose.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr RequirementId kWhole("stdio.lines-read-whole");
constexpr RequirementId kLong("stdio.long-lines");
constexpr std::string_view kNoProcess = "the server is not reached over stdio";

Trait over_stdio() {
  return only_over({TransportKind::kStdio});
}

std::string ping_text(const Connection& session, const wire::Id& id) {
  return wire::encode(session.fence_request(id));
}

// An error without an id says that a line could not be read: it is no sign that it was.
bool is_read(const Reply& reply) {
  return reply.is_answered() && !has_null_id(*reply.message());
}

// The reply to a ping that was sent in the form described.
void judge_ping(Script& script, const Pending& pending, std::string_view form) {
  const Reply reply = script.session().await_before_fence(pending);
  script.check(kWhole, is_read(reply), reply,
               fmt::format("a ping {} was answered with {}", form, reply.describe()));
}

// Several messages that arrive in one piece are several messages.
void send_many_at_once(Script& script) {
  constexpr int kLines = 40;
  Connection& session = script.session();
  std::string lines;
  std::vector<wire::Id> ids;
  for (int i = 0; i < kLines; ++i) {
    ids.push_back(session.next_id());
    lines += ping_text(session, ids.back()) + "\n";
  }
  Pending pending = session.send_raw(lines, ids.front());
  for (const wire::Id& id : ids) {
    pending.id = id;
    const Reply reply = session.await_before_fence(pending);
    script.check(kWhole, is_read(reply), reply,
                 fmt::format("one of {} pings that came in one piece was answered with {}", kLines,
                             reply.describe()));
    if (!is_read(reply)) return;
  }
}

// A message that arrives in pieces, one of which ends within a character, is one message. The last
// piece has its last brace: who reads values, and not lines, may answer as soon as that has come.
void send_in_pieces(Script& script) {
  // Long enough for an idle reader to take what is there.
  constexpr std::chrono::milliseconds kBetween{20};
  Connection& session = script.session();
  const wire::Id id = wire::Id::of_string("in-pieces-\xc3\xa9-\xe2\x9c\x93");
  const std::string line = ping_text(session, id) + "\n";
  const std::size_t within = line.find('\xc3') + 1;
  const std::size_t from = session.mark();
  std::size_t sent = 0;
  for (const std::size_t end : {std::size_t{9}, within, line.size() - 2}) {
    session.send_raw(std::string_view(line).substr(sent, end - sent), id);
    sent = end;
    session.wait_for(
        session.mark(), [](const Event&) { return false; }, kBetween);
  }
  Pending pending = session.send_raw(std::string_view(line).substr(sent), id);
  pending.from = from;
  judge_ping(script, pending, "that came in four pieces");
}

// A line is a line however it is cut, and white space around a message is no part of it.
SCENARIO(stdio_reads_lines_however_they_come, in_both_eras(), in_turn(), over_stdio(),
         judges({"stdio.lines-read-whole"})) {
  Connection& session = script.session();
  if (session.child() == nullptr) {
    script.not_exercised(kWhole, std::string(kNoProcess));
    return;
  }
  send_many_at_once(script);
  send_in_pieces(script);
  const wire::Id returned = session.next_id();
  judge_ping(script, session.send_raw(ping_text(session, returned) + "\r\n", returned),
             "whose line ends with a carriage return and a newline");
  const wire::Id spaced = session.next_id();
  judge_ping(script, session.send_raw("  " + ping_text(session, spaced) + " \t\n", spaced),
             "with white space around it");
}

// A line of 3 MiB is a message like any other. Who finds it too long says so, and goes on.
SCENARIO(stdio_reads_long_lines, in_both_eras(), heavy_session(),
         in_turn("client without capabilities"), over_stdio(), judges({"stdio.long-lines"})) {
  constexpr std::size_t kLength = std::size_t{3} << 20;
  constexpr int kMostPings = 4;
  Connection& session = script.session();
  if (session.child() == nullptr) {
    script.not_exercised(kLong, std::string(kNoProcess));
    return;
  }
  const std::string padding(kLength, 'x');
  // No rule says how fast three megabytes are read; a ping behind them shows that they have been.
  const Pending pending =
      session.start(session.fence_method(), {{"_meta", {{"assay/padding", padding}}}});
  Reply after = session.probe();
  for (int i = 1; i < kMostPings && !after.is_answered(); ++i) after = session.probe();
  if (after.kind() == Reply::Kind::kSilence) {
    script.unclear(kLong, fmt::format("a line of {} MiB was not dealt with in time", kLength >> 20),
                   after.events());
    return;
  }
  script.check(kLong, after.is_answered(), after,
               fmt::format("after a line of {} MiB a ping was answered with {}", kLength >> 20,
                           after.describe()));
  if (!after.is_answered()) return;
  const Reply reply = session.await(pending);
  // A line that is refused by its length is not parsed: its error has no id.
  if (const EventPtr refusal = session.error_without_id(pending.from)) {
    return script.check(kLong, true, {refusal}, "");
  }
  script.check(
      kLong, reply.is_answered(), reply,
      fmt::format("a ping of {} MiB was answered with {}", kLength >> 20, reply.describe()));
  if (!reply.is_answered()) return;
  for (const char* tool : {"test_echo", "echo"}) {
    if (!script.may_call(tool)) continue;
    const Json params = {{"name", tool}, {"arguments", {{"message", padding}}}};
    const Reply echo = session.await(session.start("tools/call", params), session.patience().start);
    script.check(kLong, echo.is_answered(), echo,
                 fmt::format("a call that brings back {} MiB was answered with {}", kLength >> 20,
                             echo.describe()));
    return;
  }
}

// Waits for the end of the child in steps: between them a stop of the run is noticed.
std::optional<transport::ProcessExit> await_exit(Connection& session) {
  constexpr std::chrono::milliseconds kStep{100};
  const auto deadline = Clock::now() + session.patience().close;
  while (true) {
    const auto exit = session.child()->wait_for_exit(std::min(deadline, Clock::now() + kStep));
    if (exit || Clock::now() >= deadline) return exit;
    session.wait_for(
        session.mark(), [](const Event&) { return false; }, std::chrono::milliseconds(0));
  }
}

// When its input ends a server exits by itself, or at the latest when it is told to. On a session
// that has just begun: what a server starts then may keep it from its end.
SCENARIO(stdio_server_exits_with_its_input, in_both_eras(), last_in_turn("exit"), lengthy(),
         over_stdio(), judges({"stdio.exits-on-eof", "stdio.exits-on-sigterm"})) {
  Connection& session = script.session();
  transport::StdioChild* child = session.child();
  if (child == nullptr || !session.fence()) {
    script.not_exercised("stdio.exits-on-eof", std::string(kNoProcess));
    script.not_exercised("stdio.exits-on-sigterm", std::string(kNoProcess));
    return;
  }
  const std::size_t from = session.mark();
  child->close_stdin();
  auto exit = await_exit(session);
  if (exit) {
    script.check("stdio.exits-on-eof", !exit->signal, session.transcript().events(from),
                 fmt::format("when its input ended, the server was ended by signal {}",
                             exit->signal.value_or(0)));
    script.not_exercised("stdio.exits-on-sigterm", "the server exits when its input ends");
    return;
  }
  script.check("stdio.exits-on-eof", false, session.transcript().events(from),
               fmt::format("the server still ran {} ms after its input had ended",
                           session.patience().close.count()),
               Awaited{"the exit of the process"});
  child->signal(SIGTERM);
  exit = await_exit(session);
  script.check(
      "stdio.exits-on-sigterm", exit.has_value(), session.transcript().events(from),
      fmt::format("the server still ran {} ms after SIGTERM", session.patience().close.count()),
      Awaited{"the exit of the process"});
}

}  // namespace
}  // namespace assay::scenarios
