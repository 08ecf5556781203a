#include "fuzz/live/client/client_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <span>

#include "fuzz/live/target/text.h"
#include "reference/transport/signals.h"

namespace assay::fuzz {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLeastQuiet{300};
constexpr milliseconds kMostQuiet{10'000};
constexpr milliseconds kLeastGrace{2000};
// What is slow on a busy machine is no hang.
constexpr milliseconds kProvingGrace{8000};
constexpr milliseconds kProvingGraceForMebibyte{2000};
constexpr int kProvingProcessorShare = 25;  // in percent
constexpr int kPauses = 2;     // times the longest pause of a sound launch is a silence
constexpr int kDurations = 5;  // times the duration of a sound launch is long
// What a client may hold of each byte that it is sent, and besides.
constexpr std::size_t kMemoryForByte = 24;
constexpr std::size_t kMemoryBesides = 96u << 20;
constexpr std::size_t kMostMemory = std::size_t{1} << 30;
// Of one request.
constexpr std::size_t kMostRepeats = 200;

// How those who check programs while they run begin what they find.
constexpr std::string_view kSanitizers[] = {"ERROR: AddressSanitizer", "ERROR: LeakSanitizer",
                                            "WARNING: ThreadSanitizer", "WARNING: MemorySanitizer",
                                            "runtime error: "};
// How programs end over what nobody catches.
constexpr std::string_view kUncaught[] = {"Traceback (most recent call last)",
                                          "terminate called",
                                          "panicked at",
                                          "goroutine ",
                                          "Unhandled exception",
                                          "Uncaught",
                                          "\n    at ",
                                          "Exception in thread"};

bool holds_any(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

// Exceptions that come of a mistake in the program, and not of a refusal: no program throws them for
// what is wrong with an answer. A TypeError may be one of the network's ("fetch failed").
constexpr std::string_view kMistakes[] = {
    "TypeError: Cannot ",    "TypeError: undefined ", "TypeError: object null ",
    "ReferenceError: ",      "RangeError: Maximum ",  "RangeError: Invalid array ",
    "RangeError: Invalid s", "AttributeError: ",      "KeyError",
    "IndexError: ",          "NameError: ",           "UnboundLocalError: ",
    "RecursionError: ",      "ZeroDivisionError: ",   "OverflowError: ",
    "java.lang.Null",        "java.lang.ClassCast",   "java.lang.ArrayIndexOutOf",
    "java.lang.IndexOutOf",  "java.lang.StackOver",   "System.NullReference",
    "System.InvalidCast",    "System.IndexOutOf"};
constexpr std::string_view kMistakenUse[] = {" is not a function", " is not iterable", "NoneType",
                                             "object is not subscriptable", "indices must be"};

bool is_mistake(const std::string& errors) {
  const std::string exception = thrown_in(errors).exception;
  const bool begins_so =
      std::any_of(std::begin(kMistakes), std::end(kMistakes),
                  [&](std::string_view words) { return exception.starts_with(words); });
  return begins_so || (exception.starts_with("TypeError") && holds_any(exception, kMistakenUse));
}

// Sent by those who end processes, or by a pipe that nobody reads any more.
bool is_polite(int signal) {
  return signal == SIGPIPE || signal == SIGHUP || signal == SIGTERM || signal == SIGINT ||
         signal == SIGKILL;
}

std::optional<ClientSuspicion> death_in(const LaunchReport& report,
                                        const ClientBaseline& baseline) {
  using Kind = harness::GuestEnd::Kind;
  if (report.end.kind != Kind::kExited) return std::nullopt;
  const std::string cause = cause_of_death(report.end.errors);
  const std::string words = last_words(report.end.errors);
  if (holds_any(report.end.errors, kSanitizers) && !holds_any(baseline.errors, kSanitizers)) {
    return ClientSuspicion{ClientOracle::kCrash, cause, "A sanitizer found a fault in it" + words,
                           true};
  }
  const auto signal = report.end.exit.signal;
  if (signal) {
    if (is_polite(*signal) || baseline.signals.contains(*signal)) return std::nullopt;
    return ClientSuspicion{
        ClientOracle::kCrash, cause,
        fmt::format("It was ended by {}{}", transport::signal_words(*signal), words), true};
  }
  const int code = report.end.exit.code;
  // Programs that end over everything with one status tell a refusal from a mistake by their words.
  const bool is_new = !baseline.statuses.contains(code) ||
                      (is_mistake(report.end.errors) && !baseline.causes.contains(cause));
  if (code == 0 || !is_new || !holds_any(report.end.errors, kUncaught)) return std::nullopt;
  return ClientSuspicion{
      ClientOracle::kCrash, cause,
      fmt::format("It ended over what it did not catch, with status {}{}", code, words)};
}

std::optional<ClientSuspicion> hang_in(const LaunchReport& report) {
  if (!report.was_late || report.had_too_many || !report.notes.was_reached) return std::nullopt;
  if (report.was_busy) {
    return ClientSuspicion{
        ClientOracle::kHang, "busy",
        "Everything was closed, and it kept a processor busy until it was ended"};
  }
  if (report.notes.may_wait) return std::nullopt;
  return ClientSuspicion{ClientOracle::kHang, "idle",
                         "Everything was answered and closed, and it did not end"};
}

std::size_t memory_bound(const LaunchReport& report, const ClientBaseline& baseline) {
  return baseline.memory + std::max(kMemoryBesides, baseline.memory) +
         kMemoryForByte * report.notes.sent_bytes;
}

}  // namespace

void ClientBaseline::learn(const LaunchReport& report) {
  if (report.end.exit.signal) signals.insert(*report.end.exit.signal);
  if (!report.end.exit.signal) statuses.insert(report.end.exit.code);
  duration = std::max(duration, report.duration);
  pause = std::max(pause, report.notes.longest_pause);
  memory = std::max(memory, report.peak_memory);
  repeats = std::max(repeats, report.notes.most_repeats);
  requests = std::max(requests, report.notes.requests);
  errors += report.end.errors;
  causes.insert(cause_of_death(report.end.errors));
}

LaunchLimits ClientBaseline::limits(int patience) const {
  constexpr std::size_t kMostRequests = 2000;
  constexpr int kRequests = 20;
  LaunchLimits limits;
  limits.quiet = std::clamp(kLeastQuiet + pause * kPauses, kLeastQuiet, kMostQuiet);
  limits.grace = std::max(kLeastGrace, duration) * patience;
  if (patience > 1) {
    limits.waiting_grace = kProvingGrace;
    limits.grace = std::max(limits.grace, kProvingGrace);
    limits.grace_for_mebibyte = kProvingGraceForMebibyte;
    limits.processor_share = kProvingProcessorShare;
  }
  limits.total = std::max(duration * kDurations, milliseconds(20'000));
  limits.requests = kMostRequests + kRequests * requests;
  limits.memory = memory + kMostMemory;
  return limits;
}

ClientSuspicions judge_launch(const LaunchReport& report, const ClientBaseline& baseline,
                              const std::set<ClientOracle>& checks) {
  if (report.was_stopped()) return {};
  ClientSuspicions all = report.notes.suspicions;
  if (auto death = death_in(report, baseline)) all.push_back(*std::move(death));
  if (auto hang = hang_in(report)) all.push_back(*std::move(hang));
  if (report.peak_memory > memory_bound(report, baseline)) {
    all.push_back(
        {ClientOracle::kMemory, "",
         fmt::format("It took {} MiB for {} KiB that it was sent, and {} MiB when nothing "
                     "was wrong",
                     report.peak_memory >> 20U, report.notes.sent_bytes >> 10U,
                     baseline.memory >> 20U)});
  }
  for (const std::string& hit : report.fetched) {
    all.push_back({ClientOracle::kFetched, "",
                   fmt::format("It asked a server that it was only told of: {}", shown(hit, 80))});
  }
  if (report.notes.most_repeats > std::max(kMostRepeats, 4 * baseline.repeats)) {
    all.push_back({ClientOracle::kUndue, "",
                   fmt::format("It sent one request {} times: {}", report.notes.most_repeats,
                               shown(report.notes.most_repeated, 120))});
  }
  std::erase_if(all, [&](const ClientSuspicion& each) { return !checks.contains(each.oracle); });
  // One of a kind is enough.
  std::set<ClientOracle> seen;
  std::erase_if(all, [&](const ClientSuspicion& each) { return !seen.insert(each.oracle).second; });
  return all;
}

}  // namespace assay::fuzz
