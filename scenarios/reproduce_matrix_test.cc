// The command that a report prints for a breach over stdio shows the breach again: those that send
// messages are run in a shell, against the fault that was found with them, and what comes back has to be
// like the evidence. (The others play a scenario again, as each matrix does.)
//
// To stay short it takes a part of the rows, and each of the four tests a part of these;
// ASSAY_FAULTS names others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
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

std::string output_of(const std::string& command) {
  const std::string script = "timeout 20 sh -c " + reports::shell_word(command) + " 2>/dev/null";
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

bool is_like(const std::string& line, const reports::Evidence& evidence) {
  if (line == evidence.text) return true;
  if (evidence.is_cut) return line.size() >= 40 && evidence.text.starts_with(line.substr(0, 40));
  const Json one = Json::parse(line, nullptr, false);
  const Json other = Json::parse(evidence.text, nullptr, false);
  if (one.is_discarded() || other.is_discarded()) return false;
  return outline_of(one) == outline_of(other);
}

bool is_absence(const Verdict& verdict) {
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
  if (is_absence(verdict) || is_end) return !is_answered(lines, verdict);
  bool is_any = false;
  for (const reports::Evidence& evidence : verdict.evidence) {
    if (evidence.party != "server" || evidence.is_context || evidence.text.empty()) continue;
    is_any = true;
    const bool is_there = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return is_like(line, evidence);
    });
    if (!is_there) return false;
  }
  return is_any;
}

struct Tally {
  std::mutex mutex;  // guards all below
  int sent = 0;      // commands that send messages
  int others = 0;    // commands that play a scenario again
  std::vector<std::string> failed;
};

void try_command(const Fault& fault, const Verdict& verdict, Tally& tally) {
  if (verdict.reproduce.empty() || verdict.reproduce.starts_with(kSuite)) {
    const std::lock_guard lock(tally.mutex);
    ++tally.others;
    return;
  }
  // A machine that is busy may be too slow once.
  std::string output = output_of(verdict.reproduce);
  if (!is_shown(output, verdict)) output = output_of(verdict.reproduce);
  const bool is_good = is_shown(output, verdict);
  const std::lock_guard lock(tally.mutex);
  ++tally.sent;
  if (!is_good) {
    tally.failed.push_back(fmt::format("{}: {} by {}: {}\n    {}\n    printed: {}", fault.id,
                                       verdict.requirement, verdict.scenario, verdict.detail,
                                       verdict.reproduce, output.substr(0, 400)));
  }
}

void try_commands(const Fault& fault, const harness::TargetAccess& access, Tally& tally) {
  for (const Verdict& verdict : violated(options_of(access, revision_for(fault)))) {
    try_command(fault, verdict, tally);
  }
}

void expect_all_shown(Tally& tally, std::string_view what) {
  std::sort(tally.failed.begin(), tally.failed.end());
  std::cout << fmt::format(
      "{}: {} commands sent messages, and {} of them showed nothing; {} played "
      "a scenario\n",
      what, tally.sent, tally.failed.size(), tally.others);
  for (const std::string& each : tally.failed) ADD_FAILURE() << each;
}

constexpr std::size_t kShards = 4;
constexpr std::size_t kRowsLeftOut = 8;  // of so many rows, one is taken

// A breach that shows only after something else, or beside it: the printed messages lack that yet.
bool needs_more_than_its_messages(const Fault& fault) {
  return fault.id == "discovered-once" || fault.id == "ping-refused-at-work" ||
         fault.id == "subscription-unacknowledged";
}

// The rows of a shard among those that `is_seen` takes.
std::vector<const Fault*> rows_of(std::size_t shard, bool (*is_seen)(const Fault&)) {
  const bool is_asked = std::getenv("ASSAY_FAULTS") != nullptr;
  std::vector<const Fault*> rows;
  std::size_t number = 0;
  for (const Fault& fault : server::all_faults()) {
    if (!is_wanted_fault(fault.id) || !is_seen(fault)) continue;
    const std::size_t place = is_asked ? number : number / kRowsLeftOut;
    const bool is_taken = is_asked || number % kRowsLeftOut == 0;
    if (is_taken && place % kShards == shard) rows.push_back(&fault);
    ++number;
  }
  return rows;
}

class Reproduction : public testing::TestWithParam<std::size_t> {};

TEST_P(Reproduction, EveryCommandOverStdioShowsTheBreachAgain) {
  Tally tally;
  {
    harness::WorkerPool pool(8);
    for (const Fault* fault : rows_of(GetParam(), [](const Fault& each) {
           return is_seen_over_a_pipe(each) && !each.needs_protection &&
                  !needs_more_than_its_messages(each);
         })) {
      pool.add([&tally, fault] {
        server::Options options = options_for(*fault);
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

INSTANTIATE_TEST_SUITE_P(Shards, Reproduction, testing::Range(std::size_t{0}, kShards));

}  // namespace
}  // namespace assay::scenarios
