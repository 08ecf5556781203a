// mcp-assay validate: judges messages, or values of one type, by the wire model of a revision.
#include "reference/model/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "harness/cli/command.h"
#include "harness/cli/revision_option.h"
#include "harness/cli/value_reader.h"
#include "reference/wire/message.h"

namespace assay::cli {
namespace {

using model::Deviation;
using model::Deviations;
using model::Direction;
using model::Revision;
using model::Strength;

// A message of unknown direction: the one that knows its method.
Direction direction_of(Revision revision, const Json& message) {
  const auto method = message.is_object() ? message.find("method") : message.end();
  const bool is_server_method = method != message.end() && method->is_string() &&
                                !model::known_method(revision, Direction::kClientToServer,
                                                     method->get_ref<const std::string&>());
  return is_server_method ? Direction::kServerToClient : Direction::kClientToServer;
}

// A whole response whose result is of `type`.
Deviations validate_response(Revision revision, std::string_view type, const Json& message) {
  Deviations all = model::validate_message(revision, Direction::kServerToClient, message);
  for (Deviation deviation : model::validate(revision, type, message.at("result"))) {
    deviation.pointer.insert(0, "/result");
    // What the base Result asks for has been said already.
    if (std::find(all.begin(), all.end(), deviation) == all.end()) all.push_back(deviation);
  }
  return all;
}

Deviations validate_value(Revision revision, const std::string& type, const Json& value) {
  if (type.empty()) {
    if (!value.is_array() || !revision.has_batching()) {
      return model::validate_message(revision, direction_of(revision, value), value);
    }
    Deviations all;
    if (value.empty()) return model::validate_message(revision, Direction::kClientToServer, value);
    for (std::size_t i = 0; i < value.size(); ++i) {
      for (Deviation deviation : validate_value(revision, type, value[i])) {
        deviation.pointer.insert(0, "/" + std::to_string(i));
        all.push_back(std::move(deviation));
      }
    }
    return all;
  }
  const bool is_response =
      value.is_object() && value.contains("jsonrpc") && value.contains("result");
  if (is_response && !model::is_message_type(revision, type)) {
    return validate_response(revision, type, value);
  }
  return model::validate(revision, type, value);
}

bool is_breach(const Deviation& deviation) {
  return deviation.strength == Strength::kMust;
}

bool is_valid(const Deviations& deviations) {
  return std::none_of(deviations.begin(), deviations.end(), is_breach);
}

std::string as_json(std::size_t line, const Deviations& deviations) {
  Json breaches = Json::array();
  Json advice = Json::array();
  for (const Deviation& deviation : deviations) {
    Json one = {{"pointer", deviation.pointer},
                {"expected", deviation.expected},
                {"found", deviation.found}};
    if (!deviation.closest.empty()) one["closest"] = deviation.closest;
    (is_breach(deviation) ? breaches : advice).push_back(std::move(one));
  }
  // Ordered, so that a person who reads the line finds the verdict first.
  nlohmann::ordered_json result = {
      {"line", line}, {"valid", is_valid(deviations)}, {"deviations", breaches}};
  if (!advice.empty()) result["advice"] = advice;
  return result.dump(-1, ' ', true, Json::error_handler_t::replace);
}

class ValidateCommand : public Command {
 public:
  std::string_view name() const override { return "validate"; }
  std::string_view summary() const override {
    return "Validate messages, or values of a type, against a revision";
  }

  void declare(Arguments& arguments) override {
    arguments.text("--revision", revision_, "REVISION", "The revision, such as 2025-11-25");
    arguments.text("--type", type_, "NAME",
                   "What every value is, such as Tool or CallToolResult; also what the result of a "
                   "response is (default: each value is a JSON-RPC message, judged by its method)");
    arguments.flag("--json", is_json_, "Print one result object per value, on a line");
    arguments.positional("FILE", file_, false, "JSON, or JSON lines (default: standard input)");
    arguments.footer(
        "Exit status: 0 all values are valid, 1 at least one is not, 2 the command line is wrong "
        "or\n"
        "the file cannot be read. Recommendations of the specification are printed as advice and "
        "do\nnot make a value invalid.");
  }

  int run() override {
    const Revision revision = parse_revision_option(revision_);
    check_type(revision);
    if (file_.empty() || file_ == "-") return validate_all(revision, std::cin, "stdin");
    std::ifstream file(file_, std::ios::binary);
    // A folder opens, but does not read.
    if (!file || (file.peek() == std::ifstream::traits_type::eof() && file.bad())) {
      throw UsageError(fmt::format("cannot read '{}'", file_));
    }
    return validate_all(revision, file, file_);
  }

 private:
  void check_type(Revision revision) const {
    if (type_.empty() || model::is_known_type(revision, type_)) return;
    std::string known;
    for (const std::string& type : model::known_types(revision)) {
      known += (known.empty() ? "" : ", ") + type;
    }
    throw UsageError(
        fmt::format("{} knows no type '{}'; known: {}", revision.text(), type_, known));
  }

  int validate_all(Revision revision, std::istream& input, const std::string& source) {
    ValueReader reader(input);
    std::size_t values = 0;
    std::size_t invalid = 0;
    while (const std::optional<InputValue> value = reader.next()) {
      ++values;
      const Deviations deviations = judge(revision, value->decoded);
      if (!is_valid(deviations)) ++invalid;
      print(*value, deviations, source);
    }
    if (input.bad()) throw UsageError(fmt::format("cannot read '{}' to its end", source));
    std::fflush(stdout);
    if (!is_json_) fmt::print(stderr, "{} of {} values valid\n", values - invalid, values);
    return invalid == 0 ? kConformant : kViolations;
  }

  Deviations judge(Revision revision, const wire::Decoded& decoded) const {
    if (const auto* error = std::get_if<wire::DecodeError>(&decoded)) {
      return {{"",
               "JSON text",
               fmt::format("{} ({})", error->detail, wire::name(error->kind)),
               model::Rule::kShape,
               Strength::kMust,
               {}}};
    }
    return validate_value(revision, type_, std::get<wire::Message>(decoded).json());
  }

  void print(const InputValue& value, const Deviations& deviations, const std::string& source) {
    if (is_json_) {
      fmt::print("{}\n", as_json(value.line, deviations));
      return;
    }
    for (const Deviation& deviation : deviations) {
      fmt::print("{}:{}: {}{}\n", source, value.line,
                 is_breach(deviation) ? "" : "advice: ", model::to_text(deviation));
    }
  }

  std::string revision_;
  std::string type_;
  std::string file_;
  bool is_json_ = false;
};

const CommandRegistration<ValidateCommand> kValidateCommandRegistration;

}  // namespace
}  // namespace assay::cli
