// mcp-assay reference-server: a conformant server, and with --fault one that is not.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "harness/frame/revision_option.h"
#include "reference/authorization/fault.h"
#include "reference/authorization/hosted.h"
#include "reference/authorization/own_office.h"
#include "reference/authorization/proofs_of_possession.h"
#include "reference/authorization/signed_tokens.h"
#include "reference/model/revision.h"
#include "reference/server/bugs/buggy_server.h"
#include "reference/server/faults/faulty_server.h"
#include "reference/server/server.h"
#include "reference/transport/http_server.h"
#include "reference/transport/http_url.h"
#include "reference/transport/stdio_self.h"

namespace assay::cli {
namespace {

// How a server ends that was told to fail: a status like any other.
constexpr int kHungUpStatus = 70;

// SIGINT and SIGTERM as a descriptor that becomes readable. Made before any thread is started, so
// that every thread inherits the blocked signals and none is interrupted.
class StopSignals {
 public:
  StopSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    descriptor_ = ::signalfd(-1, &signals, SFD_CLOEXEC);
    std::signal(SIGPIPE, SIG_IGN);
  }
  ~StopSignals() { ::close(descriptor_); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int descriptor() const { return descriptor_; }
  // Returns when one of them has arrived.
  void wait() const {
    signalfd_siginfo info;
    while (::read(descriptor_, &info, sizeof info) < 0 && errno == EINTR) {
    }
  }

 private:
  int descriptor_ = -1;
};

// Every connection needs a descriptor, and the usual limit is far below what the server can take.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Of tokens that are only words the reference server could not tell whose they are.
authorization::Knobs with_signed_tokens(const std::string& origin) {
  authorization::Knobs knobs = authorization::sound_knobs(origin);
  knobs.signing = authorization::Signing::kEs256;
  return knobs;
}

class ReferenceServerCommand : public Command {
 public:
  std::string_view name() const override { return "reference-server"; }
  std::string_view summary() const override {
    return "Run the reference server, correct or with chosen faults";
  }

  void declare(Arguments& arguments) override {
    arguments.group("Protocol");
    arguments.choice("--transport", transport_, {"stdio", "http"},
                     "The transport (default: stdio)");
    arguments.number("--port", port_, 0, 65535, "N",
                     "The HTTP port (default: 0, which picks a free one)");
    arguments.choice("--answers", answers_, {"auto", "json", "sse"},
                     "Answer HTTP requests with JSON if that is enough (auto, the default), always "
                     "with JSON, or always with an event stream");
    arguments.texts("--revision", revisions_, "REVISION", "Speak only this revision (repeatable)");
    arguments.choice(
        "--era", era_, {"both", "handshake", "stateless"},
        "Speak the revisions with a handshake, those without, or both (default: both)");
    arguments.number("--page-size", page_size_, 1, 1'000'000, "N",
                     "Items per page of a list (default: 100)");
    arguments.group("Tokens, over HTTP");
    arguments.flag("--protected", is_protected_,
                   fmt::format("Ask for a token. Alice's is '{}', Bob's is '{}', and '{}' is "
                               "Alice's without the scope that {} needs",
                               server::kReferenceToken, server::kOtherUsersToken,
                               server::kNarrowToken, server::kScopedTool));
    arguments.text("--auth-server", auth_server_, "URL",
                   "Ask for a token that this authorization server signed for this server");
    arguments.flag("--with-auth-server", has_auth_server_,
                   "Start the reference authorization server beside it, and ask for its tokens");
    arguments.flag("--own-auth-server", is_own_office_,
                   "Be the authorization server too, as 2025-03-26 allows, and speak no later "
                   "revision");
    arguments.text("--upstream", upstream_, "URL",
                   "Add the tool test_upstream, which calls the API at this URL (without a path); "
                   "needs one of the options above");
    arguments.group("Faults and bugs");
    arguments.texts("--fault", fault_ids_, "ID",
                    "Break a rule in this way (repeatable); --list-faults shows all");
    arguments.flag("--list-faults", lists_faults_, "List the faults and exit");
    arguments.text("--bug", bug_id_, "ID",
                   "Have this planted bug, for a fuzzer to find; --list-bugs shows all");
    arguments.flag("--list-bugs", lists_bugs_, "List the planted bugs and exit");
  }

  int run() override {
    if (lists_faults_) return list_faults();
    if (lists_bugs_) return list_bugs();
    const server::Bug* bug = read_bug();
    server::Options options = read_options();
    const server::Faults faults = read_faults();
    check_protection(faults);
    server::turn_switches(faults, options);
    if (bug != nullptr && bug->inside) {
      options.switches.set(static_cast<std::size_t>(*bug->inside));
    }
    const StopSignals signals;
    server::Server good(std::move(options));
    server::FaultyServer faulty(good, faults);
    transport::SessionFactory& server =
        faults.empty() ? static_cast<transport::SessionFactory&>(good) : faulty;
    if (bug != nullptr) {
      server::BuggyServer buggy(server, *bug);
      return serve(buggy, good.options(), faults, bug, signals);
    }
    return serve(server, good.options(), faults, nullptr, signals);
  }

 private:
  server::Options read_options() const {
    server::Options options;
    options.page_size = static_cast<std::size_t>(page_size_);
    options.upstream = upstream_of_options();
    for (const std::string& text : revisions_) check_revision(text);
    const auto is_left_out = [this](model::Revision revision) {
      return !revisions_.empty() &&
             std::none_of(revisions_.begin(), revisions_.end(),
                          [&](const std::string& text) { return text == revision.text(); });
    };
    std::erase_if(options.revisions, is_left_out);
    std::erase_if(options.stateless_revisions, is_left_out);
    if (is_own_office_) {
      const auto is_later = [](model::Revision revision) {
        return revision.has_resource_metadata();
      };
      std::erase_if(options.revisions, is_later);
      options.stateless_revisions.clear();
    }
    if (era_ == "handshake") options.stateless_revisions.clear();
    if (era_ == "stateless") options.revisions.clear();
    if (options.revisions.empty() && options.stateless_revisions.empty()) {
      throw UsageError(fmt::format("--era {} leaves no revision to speak", era_));
    }
    return options;
  }

  // Paths are put behind it.
  std::string upstream_of_options() const {
    if (upstream_.empty()) return "";
    const auto parsed = transport::HttpUrl::parse(upstream_);
    if (const auto* failure = std::get_if<transport::Failure>(&parsed)) {
      throw UsageError("--upstream: " + failure->detail);
    }
    return std::get<transport::HttpUrl>(parsed).origin();
  }

  static void check_revision(const std::string& text) {
    if (model::Revision::parse(text)) return;
    throw UsageError(why_no_revision(text, {}));
  }

  server::Faults read_faults() const {
    auto selected = server::select_faults(fault_ids_);
    if (const auto* unknown = std::get_if<std::string>(&selected)) {
      throw UsageError(
          fmt::format("unknown fault '{}'{}", *unknown,
                      did_you_mean_or(*unknown, ids_of(server::all_faults()), "--list-faults")));
    }
    server::Faults faults = std::get<server::Faults>(std::move(selected));
    for (const server::Fault* fault : faults) {
      using server::SeenOver;
      const bool is_stdio = transport_ == "stdio";
      const bool is_in_vain = is_stdio ? fault->seen_over == SeenOver::kHttpOnly
                                       : fault->seen_over == SeenOver::kStdioOnly ||
                                             fault->seen_over == SeenOver::kProcessOnly;
      if (is_in_vain) {
        throw UsageError(
            fmt::format("the fault '{}' has no effect over {}", fault->id, transport_));
      }
    }
    return faults;
  }

  bool takes_signed_tokens() const { return !auth_server_.empty() || has_auth_server_; }

  void check_protection(const server::Faults& faults) const {
    if ((is_protected_ || takes_signed_tokens()) && transport_ == "stdio") {
      throw UsageError(fmt::format("{} is for --transport http: over stdio clients send no token",
                                   is_protected_      ? "--protected"
                                   : has_auth_server_ ? "--with-auth-server"
                                                      : "--auth-server"));
    }
    if (has_auth_server_ && !auth_server_.empty()) {
      throw UsageError("--with-auth-server starts another one than --auth-server names");
    }
    if (!upstream_.empty() &&
        (transport_ == "stdio" || (!is_protected_ && !takes_signed_tokens()))) {
      throw UsageError("--upstream needs --transport http, and --protected or --auth-server");
    }
    for (const server::Fault* fault : faults) {
      if (fault->needs_upstream && upstream_.empty()) {
        throw UsageError(fmt::format("the fault '{}' shows with --upstream only", fault->id));
      }
      if ((fault->overlooks || fault->needs_signed_tokens) && !takes_signed_tokens()) {
        throw UsageError(fmt::format("the fault '{}' shows with --auth-server only", fault->id));
      }
      if (fault->needs_office && !is_own_office_) {
        throw UsageError(
            fmt::format("the fault '{}' shows with --own-auth-server only", fault->id));
      }
      if (!is_own_office_ && fault->needs_protection && !is_protected_ && !takes_signed_tokens()) {
        throw UsageError(fmt::format("the fault '{}' shows with --protected only", fault->id));
      }
    }
  }

  const server::Bug* read_bug() const {
    if (bug_id_.empty()) return nullptr;
    const server::Bug* bug = server::find_bug(bug_id_);
    if (bug == nullptr) {
      throw UsageError(
          fmt::format("unknown bug '{}'{}", bug_id_,
                      did_you_mean_or(bug_id_, ids_of(server::all_bugs()), "--list-bugs")));
    }
    const auto other =
        transport_ == "http" ? server::SeenOver::kStdioOnly : server::SeenOver::kHttpOnly;
    if (bug->seen_over == other) {
      throw UsageError(fmt::format("the bug '{}' has no effect over {}", bug->id, transport_));
    }
    return bug;
  }

  static int list_bugs() {
    const std::string elsewhere =
        fmt::format(", in {}", model::Revision::newest_stateless().text());
    for (const server::Bug& bug : server::all_bugs()) {
      fmt::print("{:26} {}\n{:26} shows as {}{}\n", bug.id, bug.description, "", bug.shows_as,
                 bug.has_handshake ? "" : elsewhere);
    }
    return kConformant;
  }

  int serve(transport::SessionFactory& server, const server::Options& options,
            const server::Faults& faults, const server::Bug* bug,
            const StopSignals& signals) const {
    if (transport_ == "stdio") return serve_stdio(server, options, bug, signals);
    if (bug != nullptr && (bug->neglects || bug->reply)) {
      return serve_http(server, options, server::BuggyConduct(*bug), signals);
    }
    const auto office = is_own_office_ ? std::make_shared<authorization::OwnOffice>() : nullptr;
    server::FaultyConduct::Office asked;
    if (office) {
      asked = [office](const transport::HttpHead& request, std::string_view body) {
        return office->handle(request, body);
      };
    }
    return serve_http(server, options, server::FaultyConduct(faults, asked), signals, office);
  }

  static int list_faults() {
    for (const server::Fault& fault : server::all_faults()) {
      fmt::print("{:36} {}\n{:36} breaks {}\n", fault.id, fault.description, "",
                 fmt::join(fault.breaks, ", "));
    }
    return kConformant;
  }

  int serve_stdio(transport::SessionFactory& server, const server::Options& options,
                  const server::Bug* bug, const StopSignals& signals) const {
    using server::Switch;
    const transport::StdioLapses lapses = {
        .takes_reads_for_lines = options.has(Switch::kTakesReadsForLines),
        .loses_lines_behind_first = options.has(Switch::kLosesLinesBehindFirst),
        .loses_long_lines = options.has(Switch::kLosesLongLines),
        .chokes_on_white_space = options.has(Switch::kChokesOnWhiteSpace)};
    const transport::StdioEnd end =
        transport::serve_stdio(server, {.lapses = lapses,
                                        .on_read = bug == nullptr ? nullptr : bug->read,
                                        .stop = signals.descriptor()});
    if (end == transport::StdioEnd::kHungUp) return kHungUpStatus;
    if (end != transport::StdioEnd::kInputEnded) return kConformant;
    if (options.has(Switch::kCrashesAtEnd)) {
      std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would catch it and exit
      std::raise(SIGSEGV);
    }
    if (options.has(Switch::kIgnoresStdinClose)) signals.wait();
    while (options.has(Switch::kIgnoresSigterm)) signals.wait();
    return kConformant;
  }

  int serve_http(transport::SessionFactory& server, const server::Options& server_options,
                 const transport::HttpConduct& conduct, const StopSignals& signals,
                 const std::shared_ptr<transport::TokenReader>& office = nullptr) const {
    using Answers = transport::HttpServerOptions::Answers;
    transport::HttpServerOptions options;
    options.port = static_cast<int>(port_);
    options.revisions = server_options.all_revisions();
    options.answers = answers_ == "json"  ? Answers::kJson
                      : answers_ == "sse" ? Answers::kSse
                                          : Answers::kAuto;
    if (is_protected_) options.protection = server::protection_of_reference();
    authorization::HostedServer beside;
    std::string auth_server = auth_server_;
    if (has_auth_server_) {
      if (const auto trouble = beside.start(with_signed_tokens)) {
        fmt::print(stderr, "mcp-assay reference-server: {}\n", *trouble);
        return kNotTested;
      }
      auth_server = beside.origin();
    }
    if (!auth_server.empty()) {
      options.protection = server::protection_by(
          std::make_shared<authorization::SignedTokens>(auth_server,
                                                        server::overlooked(read_faults())),
          auth_server,
          std::make_shared<authorization::ProofsOfPossession>(server::overlooked(read_faults())));
    }
    if (office) options.protection = server::protection_by(office, "");
    raise_descriptor_limit();
    transport::HttpServer http(server, std::move(options), &conduct);
    if (const std::optional<std::string> trouble = http.start()) {
      fmt::print(stderr, "mcp-assay reference-server: {}\n", *trouble);
      return kNotTested;
    }
    fmt::print("listening on {}\n", http.url());
    std::fflush(stdout);
    signals.wait();
    return kConformant;
  }

  std::string transport_ = "stdio";
  std::string answers_ = "auto";
  std::string era_ = "both";
  bool is_protected_ = false;
  std::string auth_server_;
  bool has_auth_server_ = false;
  std::string upstream_;
  bool is_own_office_ = false;
  std::int64_t port_ = 0;
  std::vector<std::string> revisions_;
  std::int64_t page_size_ = 100;
  std::vector<std::string> fault_ids_;
  bool lists_faults_ = false;
  std::string bug_id_;
  bool lists_bugs_ = false;
};

const CommandRegistration<ReferenceServerCommand> kReferenceServerCommandRegistration;

}  // namespace
}  // namespace assay::cli
