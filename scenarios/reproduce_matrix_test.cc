// The command that a report prints for a violation shows the violation again: it is run in a shell,
// against the fault that was found with it. What comes back of messages has to be like the
// evidence; a scenario that is played again has to find the same rule broken. (Those that run a
// whole revision do what each matrix does.)
//
// A row takes seconds, of which it waits most: each run of the tests takes a part of the rows, by
// their names. ASSAY_WHOLE_MATRIX=1 takes all of them, and ASSAY_FAULTS those that it names.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/runner.h"
#include "harness/runner/worker_pool.h"
#include "reference/server/faults/fault.h"
#include "reference/wire/message.h"
#include "reports/escape.h"
#include "scenarios/fault_matrix_testing.h"
#include "scenarios/mutation_testing.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using reports::Verdict;
using server::Fault;

constexpr std::string_view kSuite = "mcp-assay server ";

// The newest revision in which the fault breaks something.
model::Revision revision_for(const Fault& fault) {
  const auto all = model::Revision::all();
  for (std::size_t i = all.size(); i-- > 0;) {
    // What breaks all of them is looked for where most faults are.
    const bool is_too_new = fault.concerns == nullptr && !all[i].has_handshake();
    if (all[i].satisfies(fault.concerns) && !is_too_new) return all[i];
  }
  return all.back();
}

harness::CertifyOptions options_of(const harness::TargetAccess& access, model::Revision revision) {
  harness::CertifyOptions options;
  options.accesses = {access};
  options.revisions = {revision};
  options.patience.request = std::chrono::milliseconds(400);
  options.patience.start = std::chrono::milliseconds(2000);
  options.jobs = 4;
  return options;
}

std::vector<Verdict> violated(const harness::CertifyOptions& options) {
  NoEvents events;
  std::vector<Verdict> all;
  for (const reports::Run& run : harness::certify(options, events).runs) {
    for (const Verdict& verdict : run.verdicts) {
      if (verdict.outcome == reports::Outcome::kViolated) all.push_back(verdict);
    }
  }
  return all;
}

// The program offers all extensions.
server::Options as_the_program_has_them(const Fault& fault) {
  server::Options options = options_for(fault);
  options.has_tasks_extension = options.has_skills_extension = options.has_apps_extension = true;
  return options;
}

std::string output_of(const std::string& command) {
  const std::string script = "timeout 60 sh -c " + reports::shell_word(command) + " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(script.c_str(), "r"), ::pclose);
  std::string out;
  if (!pipe) return out;
  char block[4096];
  while (const std::size_t size = std::fread(block, 1, sizeof block, pipe.get())) {
    out.append(block, size);
    if (out.size() > (8u << 20)) break;
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    if (line.starts_with("data: ")) line.erase(0, 6);
    if (!line.empty()) lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

std::set<std::string> keys_of(const Json& json) {
  std::set<std::string> keys;
  if (!json.is_object()) return keys;
  for (const auto& [key, value] : json.items()) keys.insert(key);
  return keys;
}

// What of a message tells whether it is like another: what is made anew each time is left out.
Json outline_of(const Json& message) {
  if (!message.is_object()) return message.type_name();
  Json outline = Json::object();
  outline["keys"] = keys_of(message);
  for (const char* key : {"id", "method", "jsonrpc"}) {
    if (message.contains(key)) outline[key] = message[key];
  }
  if (message.contains("error") && message["error"].is_object()) {
    outline["code"] = message["error"].value("code", Json());
  }
  if (message.contains("result")) outline["result"] = keys_of(message["result"]);
  // The ids of the server's own requests are as it likes.
  if (message.contains("method")) outline.erase("id");
  return outline;
}

// "HTTP 404" of a report, and "HTTP/1.1 404 Not Found" of curl.
std::string status_in(std::string_view text) {
  if (!text.starts_with("HTTP")) return "";
  const std::size_t blank = text.find(' ');
  return blank == text.npos ? "" : std::string(text.substr(blank + 1, 3));
}

bool is_like(const std::string& line, const reports::Evidence& evidence) {
  if (line == evidence.text) return true;
  // A message that holds a line break comes in two lines.
  if (evidence.text.substr(0, evidence.text.find('\n')) == line) return true;
  const std::string status = status_in(evidence.text);
  if (!status.empty()) return status_in(line) == status;
  if (evidence.is_cut) return line.size() >= 40 && evidence.text.starts_with(line.substr(0, 40));
  const Json one = Json::parse(line, nullptr, false);
  const Json other = Json::parse(evidence.text, nullptr, false);
  if (one.is_discarded() || other.is_discarded()) return false;
  return outline_of(one) == outline_of(other);
}

bool is_absence(const Verdict& verdict) {
  if (verdict.detail.ends_with("without a JSON-RPC answer")) return true;
  return !verdict.history.empty() &&
         verdict.history.front().detail.find("waited") != std::string::npos;
}

// An answer to the last request that the evidence shows.
bool is_answered(const std::vector<std::string>& lines, const Verdict& verdict) {
  Json id;
  for (const reports::Evidence& evidence : verdict.evidence) {
    if (evidence.party != "client" || evidence.is_context) continue;
    const Json request = Json::parse(evidence.text, nullptr, false);
    if (request.is_object() && request.contains("id")) id = request["id"];
  }
  if (id.is_null()) return false;
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const Json message = Json::parse(line, nullptr, false);
    return message.is_object() && !message.contains("method") && message.value("id", Json()) == id;
  });
}

// Whether what the command printed shows what the verdict says.
bool is_shown(const std::string& output, const Verdict& verdict) {
  const std::vector<std::string> lines = lines_of(output);
  const bool is_end = verdict.detail.find("ended") != std::string::npos ||
                      verdict.detail.find("closed") != std::string::npos;
  // A server that says nothing at all may not have been started, unless it has begun with silence.
  const bool is_there = !lines.empty() || verdict.detail.starts_with("to initialize") ||
                        verdict.reproduce.find("initialize") == std::string::npos;
  if (is_absence(verdict) || is_end) return is_there && !is_answered(lines, verdict);
  bool is_any = false;
  for (const reports::Evidence& evidence : verdict.evidence) {
    if (evidence.party != "server" || evidence.is_context || evidence.text.empty()) continue;
    // How the exchange ended is no part of what was sent.
    if (evidence.text.starts_with("closed")) continue;
    is_any = true;
    const bool is_seen = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return is_like(line, evidence);
    });
    if (!is_seen) return false;
  }
  return is_any;
}

// Whether a run of the suite that wrote its JSON report found the rule broken.
bool is_found(const std::string& report, const Verdict& verdict) {
  const Json json = Json::parse(report, nullptr, false);
  if (!json.is_object() || !json.contains("runs")) return false;
  for (const Json& run : json["runs"]) {
    for (const Json& each : run.value("verdicts", Json::array())) {
      if (each.value("requirement", "") == verdict.requirement &&
          each.value("outcome", "") == reports::name(reports::Outcome::kViolated)) {
        return true;
      }
    }
  }
  return false;
}

struct Tally {
  std::mutex mutex;  // guards all below
  int sent = 0;      // commands that send messages
  int played = 0;    // commands that play a scenario again
  std::vector<std::string> failed;
};

// The program of this build stands for the one that a user has in the path; beside it is a small
// one, of the peers alone.
std::string suite_command(const std::string& command) {
  const auto program = std::filesystem::path(ASSAY_PROGRAM).parent_path() / "mcp-assay";
  return fmt::format("{} server --report json=- --timeout 2 {}",
                     reports::shell_word(program.string()), command.substr(kSuite.size()));
}

// Runs a whole revision, as the matrices do.
bool is_of_whole_revision(const Verdict& verdict) {
  return verdict.reproduce.starts_with(kSuite) &&
         verdict.reproduce.find(" --scenario ") == std::string::npos;
}

void try_command(const Fault& fault, const Verdict& verdict, Tally& tally) {
  if (is_of_whole_revision(verdict)) return;
  const bool plays = verdict.reproduce.starts_with(kSuite);
  const auto shows = [&](const std::string& output) {
    return plays ? is_found(output, verdict) : is_shown(output, verdict);
  };
  const std::string command = plays ? suite_command(verdict.reproduce) : verdict.reproduce;
  std::string output = output_of(command);
  // A machine that is busy may be too slow once.
  if (!shows(output)) output = output_of(command);
  const bool is_good = !verdict.reproduce.empty() && shows(output);
  const std::lock_guard lock(tally.mutex);
  ++(plays ? tally.played : tally.sent);
  if (is_good) return;
  std::string evidence;
  for (const reports::Evidence& each : verdict.evidence) {
    evidence += fmt::format("\n    {}: {}", each.party, each.text.substr(0, 300));
  }
  tally.failed.push_back(fmt::format("{}: {} by {}: {}{}\n    {}\n    printed: {}", fault.id,
                                     verdict.requirement, verdict.scenario, verdict.detail,
                                     evidence, verdict.reproduce, output.substr(0, 400)));
}

void try_commands(const Fault& fault, const harness::TargetAccess& access, Tally& tally) {
  for (const Verdict& verdict : violated(options_of(access, revision_for(fault)))) {
    try_command(fault, verdict, tally);
  }
}

void expect_all_shown(Tally& tally, std::string_view what) {
  std::sort(tally.failed.begin(), tally.failed.end());
  std::cout << fmt::format(
      "{}: {} commands sent messages, {} played a scenario, {} showed nothing\n", what, tally.sent,
      tally.played, tally.failed.size());
  for (const std::string& each : tally.failed) ADD_FAILURE() << each;
}

// By its name, so that a new fault moves no other. FNV-1a.
bool is_in_part(std::string_view id) {
  constexpr std::uint32_t kParts = 24;
  std::uint32_t hash = 2166136261u;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash % kParts == 0;
}

std::vector<const Fault*> rows_of(bool (*is_seen)(const Fault&)) {
  std::vector<const Fault*> rows;
  for (const Fault& fault : server::all_faults()) {
    const bool is_taken = is_whole_matrix() || is_in_part(fault.id);
    if (is_taken && is_wanted_fault(fault.id) && is_seen(fault)) rows.push_back(&fault);
  }
  return rows;
}

TEST(Reproduction, EveryCommandOverStdioShowsTheBreachAgain) {
  Tally tally;
  {
    harness::WorkerPool pool(8);
    for (const Fault* fault : rows_of([](const Fault& each) {
           return is_seen_over_a_pipe(each) && each.needs_nothing_else();
         })) {
      pool.add([&tally, fault] {
        server::Options options = as_the_program_has_them(*fault);
        const bool has_handshake = revision_for(*fault).has_handshake();
        (has_handshake ? options.stateless_revisions : options.revisions).clear();
        harness::TargetAccess access = reference_over_pipe(options, {fault});
        access.shell_form =
            fmt::format("{} reference-server --fault {} --era {} --page-size {}",
                        reports::shell_word(ASSAY_PROGRAM), fault->id,
                        has_handshake ? "handshake" : "stateless", options.page_size);
        try_commands(*fault, access, tally);
      });
    }
  }
  expect_all_shown(tally, "stdio");
}

TEST(Reproduction, EveryCommandOverHttpShowsTheBreachAgain) {
  Tally tally;
  {
    harness::WorkerPool pool(4);
    for (const Fault* fault : rows_of([](const Fault& each) {
           return each.seen_over == server::SeenOver::kHttpOnly && each.needs_nothing_else();
         })) {
      pool.add([&tally, fault] {
        server::Options options = as_the_program_has_them(*fault);
        (revision_for(*fault).has_handshake() ? options.stateless_revisions : options.revisions)
            .clear();
        const ReferenceOverHttp reference(options, ReferenceOverHttp::Answers::kAuto, {fault});
        harness::TargetAccess access = reference.http();
        access.shell_form = reports::shell_word(reference.url());
        try_commands(*fault, access, tally);
      });
    }
  }
  expect_all_shown(tally, "HTTP");
}

}  // namespace
}  // namespace assay::scenarios
