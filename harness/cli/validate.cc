// mcp-assay validate: judges messages, values of one type, or what the target of a transcript sent,
// by the wire model of a revision.
#include "reference/model/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/message_judge.h"
#include "harness/cli/value_reader.h"
#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "harness/frame/extension_option.h"
#include "harness/frame/revision_option.h"
#include "harness/transcript/transcript_file.h"
#include "reference/wire/message.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

using model::Deviation;
using model::Deviations;
using model::Direction;
using model::Protocol;
using model::Strength;

// A value of one type, or a whole response whose result is of it.
Deviations validate_as(Protocol protocol, const std::string& type, const Json& value) {
  const bool is_response =
      value.is_object() && value.contains("jsonrpc") && value.contains("result");
  if (is_response && !model::is_message_type(protocol, type)) {
    return validate_response(protocol, type, value);
  }
  return model::validate(protocol, type, value);
}

bool is_breach(const Deviation& deviation) {
  return deviation.strength == Strength::kMust;
}

bool is_valid(const Deviations& deviations) {
  return std::none_of(deviations.begin(), deviations.end(), is_breach);
}

std::string as_json(std::size_t line, const JudgedMessage& judged) {
  Json breaches = Json::array();
  Json advice = Json::array();
  for (const Deviation& deviation : judged.deviations) {
    Json one = {{"pointer", deviation.pointer},
                {"expected", deviation.expected},
                {"found", deviation.found}};
    if (!deviation.closest.empty()) one["closest"] = deviation.closest;
    (is_breach(deviation) ? breaches : advice).push_back(std::move(one));
  }
  // Ordered, so that a person who reads the line finds the verdict first.
  nlohmann::ordered_json result = {{"line", line},
                                   {"valid", is_valid(judged.deviations)},
                                   {"judged_as", judged.judged_as},
                                   {"deviations", breaches}};
  if (!advice.empty()) result["advice"] = advice;
  return result.dump(-1, ' ', true, Json::error_handler_t::replace);
}

JudgedMessage unreadable(const wire::DecodeError& error) {
  const std::string found = fmt::format("{} ({})", error.detail, wire::name(error.kind));
  return {{{"", "JSON text", found, model::Rule::kShape, Strength::kMust, {}}}, "text", 0, 0};
}

bool is_transcript_event(const Json& value) {
  return value.is_object() && value.contains("n") && value.contains("at_ms") &&
         value.contains("lane") && value.contains("kind") && !value.contains("jsonrpc");
}

// Whether it has to be a message, the revisions do not say.
bool is_refusal(const harness::Event& event) {
  const auto* http = event.observation.http();
  return event.observation.kind == transport::Observation::Kind::kHttpBody && http != nullptr &&
         transport::may_be_no_message(*http);
}

std::string counted(std::size_t count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

// What was judged, and what was not.
struct Tally {
  std::size_t values = 0;
  std::size_t invalid = 0;
  std::size_t envelopes_only = 0;
  std::size_t unknown_methods = 0;
  std::size_t of_the_suite = 0;     // messages of a transcript that its target did not send
  std::size_t other_events = 0;     // of a transcript, without a message
  std::size_t other_revisions = 0;  // messages of a transcript in revisions that are not asked for

  std::string text() const {
    std::string out = fmt::format("{} of {} values valid\n", values - invalid, values);
    const auto say = [&out](std::size_t count, const std::string& what) {
      if (count > 0) out += "  " + what + "\n";
    };
    say(envelopes_only,
        fmt::format("{}: only the envelope was judged, for nothing says which method was asked "
                    "(give its request before it, --method or --type)",
                    counted(envelopes_only, "response", "responses")));
    say(unknown_methods, fmt::format("{} that the revision does not know: judged as plain JSON-RPC",
                                     counted(unknown_methods, "method", "methods")));
    say(of_the_suite,
        fmt::format("not judged: {} to the target",
                    counted(of_the_suite, "message that was sent", "messages that were sent")));
    say(other_events,
        fmt::format("not judged: {} no message (HTTP heads, standard error, ends)",
                    counted(other_events, "event that carries", "events that carry")));
    say(other_revisions, fmt::format("not judged: {} another revision",
                                     counted(other_revisions, "message in", "messages in")));
    return out;
  }
};

class ValidateCommand : public Command {
 public:
  std::string_view name() const override { return "validate"; }
  std::string_view summary() const override {
    return "Validate messages, or values of a type, against a revision";
  }

  void declare(Arguments& arguments) override {
    arguments.text("--revision", revision_name_, "REVISION",
                   "The revision, such as 2025-11-25 (default: what a transcript says). From a "
                   "transcript, only messages of this revision are judged");
    arguments.texts("--extension", extension_names_, "ID",
                    "An extension whose messages are known as well, such as tasks (repeatable)");
    arguments.text(
        "--method", method_, "METHOD",
        "The method, such as tools/call, of responses whose requests are not in the input");
    arguments.text("--type", type_, "NAME",
                   "The type of each value, or of the result of each response, such as Tool or "
                   "CallToolResult (default: each value is a JSON-RPC message)");
    arguments.flag("--json", is_json_, "Print one line with a JSON object for each value");
    arguments.positional("FILE", file_, false,
                         "JSON, JSON lines, or a transcript (default: standard input)");
    arguments.footer(
        "The result of a response is judged by the method of the request with the same id before "
        "it, or by\n"
        "--method. From a transcript, only what the target sent is judged.\n"
        "\n"
        "Examples:\n"
        "  mcp-assay validate --revision 2025-11-25 session.jsonl\n"
        "  curl -s ... | mcp-assay validate --revision 2025-11-25 --method tools/list\n"
        "  mcp-assay validate transcript.jsonl\n"
        "\n"
        "Exit status: 0 all values are valid, 1 at least one is not, 2 wrong command line, or the "
        "file cannot\n"
        "be read. Recommendations of the specification are printed as advice: they do not make a "
        "value\n"
        "invalid.");
  }

  int run() override {
    extensions_ = parse_extension_options(extension_names_);
    if (!revision_name_.empty()) {
      conversation_.emplace(protocol_of(parse_revision_option(revision_name_), extensions_), "");
    }
    check_type_and_method();
    if (file_.empty() || file_ == "-") return validate_all(std::cin, "stdin");
    errno = 0;
    std::ifstream file(file_, std::ios::binary);
    // A folder opens, but does not read.
    if (!file || (file.peek() == std::ifstream::traits_type::eof() && file.bad())) {
      throw UsageError(fmt::format("cannot read '{}': {}", reports::printable_line(file_),
                                   std::strerror(errno == 0 ? EISDIR : errno)));
    }
    return validate_all(file, file_);
  }

 private:
  void check_type_and_method() {
    if (!type_.empty() && !method_.empty()) throw UsageError("give --type or --method, not both");
    if (!conversation_) {
      if (!type_.empty() || !method_.empty()) (void)parse_revision_option("");
      return;
    }
    const Protocol protocol = conversation_->protocol();
    if (!method_.empty()) {
      const auto is_request = [&](Direction direction) {
        return model::known_method(protocol, direction, method_) == model::MessageForm::kRequest;
      };
      if (!is_request(Direction::kClientToServer) && !is_request(Direction::kServerToClient)) {
        throw UsageError(fmt::format("{} knows no request '{}'", protocol.revision.text(),
                                     reports::printable_line(reports::cut(method_, 80))));
      }
      conversation_.emplace(protocol, method_);
    }
    if (type_.empty() || model::is_known_type(protocol, type_)) return;
    throw UsageError(fmt::format("{} knows no type '{}'{}", protocol.revision.text(),
                                 reports::printable_line(reports::cut(type_, 80)),
                                 meant_or_known(type_, model::known_types(protocol))));
  }

  int validate_all(std::istream& input, const std::string& source) {
    source_ = source;
    ValueReader reader(input);
    while (const std::optional<InputValue> value = reader.next()) {
      has_read_nothing_ = false;
      judge(*value);
    }
    if (input.bad()) throw UsageError(fmt::format("cannot read '{}' to its end", source));
    if (has_read_nothing_) {
      throw UsageError(fmt::format("'{}' is empty: there is nothing to validate",
                                   reports::printable_line(source)));
    }
    std::fflush(stdout);
    if (!is_json_) fmt::print(stderr, "{}", tally_.text());
    return tally_.invalid == 0 ? kConformant : kViolations;
  }

  void judge(const InputValue& value) {
    if (const auto* error = std::get_if<wire::DecodeError>(&value.decoded)) {
      return tell(value.line, unreadable(*error));
    }
    const auto& message = std::get<wire::Message>(value.decoded);
    const Json& json = message.json();
    if (!type_.empty()) {
      return tell(value.line, {validate_as(conversation_->protocol(), type_, json), type_, 0, 0});
    }
    if (const auto run = harness::connection_run(json)) return begin_connection(*run);
    if (is_transcript_event(json)) return judge_event(value.line, json);
    tell(value.line, needed_conversation().judge(json));
  }

  // "2025-11-25 stdio"
  void begin_connection(const std::string& run) {
    const std::string name =
        reports::printable_line(reports::cut(run.substr(0, run.find(' ')), 40));
    is_wanted_ = revision_name_.empty() || name == revision_name_;
    if (!is_wanted_) return;
    conversation_.emplace(protocol_of(parse_revision_option(name), extensions_), method_);
  }

  void judge_event(std::size_t line, const Json& json) {
    const auto read = harness::read_observation(json);
    if (const auto* error = std::get_if<std::string>(&read)) {
      throw UsageError(fmt::format("line {} is no event of a transcript: {}", line, *error));
    }
    const harness::Event event(
        harness::KeptObservation(std::get<harness::RecordedObservation>(read).observation));
    if (!event.carries_message() || is_refusal(event) || event.observation.is_truncated) {
      ++tally_.other_events;
    } else if (!is_wanted_) {
      ++tally_.other_revisions;
    } else if (event.is_from_client()) {
      ++tally_.of_the_suite;
      if (event.message() != nullptr) {
        needed_conversation().note(event.message()->json(), Direction::kClientToServer);
      }
    } else if (const wire::DecodeError* error = event.decode_error()) {
      tell(line, unreadable(*error));
    } else {
      tell(line, needed_conversation().judge(event.message()->json(), Direction::kServerToClient));
    }
  }

  MessageJudge& needed_conversation() {
    if (!conversation_) (void)parse_revision_option(revision_name_);  // says that it is missing
    return *conversation_;
  }

  void tell(std::size_t line, const JudgedMessage& judged) {
    ++tally_.values;
    if (!is_valid(judged.deviations)) ++tally_.invalid;
    tally_.envelopes_only += judged.envelopes_only;
    tally_.unknown_methods += judged.unknown_methods;
    print(line, judged);
  }

  void print(std::size_t line, const JudgedMessage& judged) const {
    if (is_json_) {
      fmt::print("{}\n", as_json(line, judged));
      return;
    }
    for (const Deviation& deviation : judged.deviations) {
      fmt::print("{}:{}: {}{}\n", source_, line,
                 is_breach(deviation) ? "" : "advice: ", model::to_text(deviation));
    }
  }

  std::string revision_name_;
  std::vector<std::string> extension_names_;
  std::vector<const model::Extension*> extensions_;
  std::string method_;
  std::string type_;
  std::string file_;
  bool is_json_ = false;
  bool has_read_nothing_ = true;
  std::string source_;
  std::optional<MessageJudge> conversation_;  // none until somebody says the revision
  bool is_wanted_ = true;                     // the connection of the transcript that is read
  Tally tally_;
};

const CommandRegistration<ValidateCommand> kValidateCommandRegistration;

}  // namespace
}  // namespace assay::cli
