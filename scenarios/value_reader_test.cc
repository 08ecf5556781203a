// A server that reads JSON values from its standard input, and not lines: it may answer before the
// newline has come, and nobody may accuse it of that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "harness/runner/runner.h"
#include "reference/transport/stdio_child.h"
#include "reference/wire/compose.h"
#include "reference/wire/line_framer.h"
#include "reference/wire/message.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

// Cuts a stream of bytes into objects, by their braces.
class ObjectReader {
 public:
  // The object that `c` completes.
  std::optional<std::string> take(char c) {
    if (depth_ == 0 && c != '{') return std::nullopt;
    text_ += c;
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (c == '"') {
      is_string_ = !is_string_;
    } else if (is_string_) {
      is_escaped_ = c == '\\';
    } else if (c == '{') {
      ++depth_;
    } else if (c == '}' && --depth_ == 0) {
      return std::exchange(text_, {});
    }
    return std::nullopt;
  }

 private:
  std::string text_;
  int depth_ = 0;
  bool is_string_ = false;
  bool is_escaped_ = false;
};

// Observed as a child's standard streams are: what is sent line by line, when its newline is sent.
class ValueReader : public transport::ClientTransport {
 public:
  explicit ValueReader(transport::Observer& observer)
      : observer_(observer),
        sent_([this](const auto& line) { observe(transport::Party::kClient, line.bytes); }) {}

  std::optional<transport::Failure> open() override { return std::nullopt; }
  transport::Lane send(std::string_view message) override {
    return send_raw(std::string(message) + "\n");
  }
  transport::Lane send_raw(std::string_view bytes) override {
    sent_.feed(bytes);
    for (const char c : bytes) {
      if (const auto object = reader_.take(c)) answer(*object);
    }
    return {};
  }
  void close(transport::Deadline) override {}

 private:
  void answer(const std::string& text) {
    const auto decoded = wire::decode(text);
    const auto* message = std::get_if<wire::Message>(&decoded);
    if (message == nullptr || !message->id() || message->method().empty()) return;
    Json result = Json::object();
    if (message->method() == "initialize") {
      result = {{"protocolVersion", message->params()["protocolVersion"]},
                {"capabilities", Json::object()},
                {"serverInfo", {{"name", "values"}, {"version", "1"}}}};
    }
    observe(transport::Party::kServer, wire::encode(wire::make_result(*message->id(), result)));
  }

  void observe(transport::Party speaker, std::string_view line) {
    transport::Observation observation;
    observation.kind = transport::Observation::Kind::kLine;
    observation.speaker = speaker;
    observation.bytes = line;
    observer_.observe(observation);
  }

  transport::Observer& observer_;
  wire::LineFramer sent_;
  ObjectReader reader_;
};

// A wire of that kind, and a child that was never started: scenarios about lines ask for one.
class ValueReaderTarget {
 public:
  harness::TargetAccess access() {
    harness::TargetAccess access;
    access.kind = harness::TransportKind::kStdio;
    access.connect = [this](transport::Observer& observer) {
      harness::Link link;
      link.transport = std::make_unique<ValueReader>(observer);
      link.child = &child_;
      return link;
    };
    return access;
  }

 private:
  class Nobody : public transport::Observer {
    void observe(const transport::Observation&) override {}
  };

  Nobody nobody_;
  transport::StdioChild child_{{}, nobody_};
};

TEST(ValueReader, IsNotAccusedForAnsweringBeforeTheNewline) {
  ValueReaderTarget target;
  harness::CertifyOptions options;
  options.accesses = {target.access()};
  options.revisions = {model::Revision::v2025_11_25};
  options.wants = [](std::string_view name) {
    return name == "stdio_reads_lines_however_they_come";
  };
  NoEvents events;
  const reports::Run run = harness::certify(options, events).runs.at(0);
  for (const reports::Verdict& verdict : run.verdicts) {
    EXPECT_NE(verdict.outcome, reports::Outcome::kViolated)
        << verdict.requirement << ": " << verdict.detail;
    if (verdict.requirement == "stdio.lines-read-whole") {
      EXPECT_EQ(verdict.outcome, reports::Outcome::kSatisfied) << verdict.detail;
    }
  }
}

}  // namespace
}  // namespace assay::scenarios
