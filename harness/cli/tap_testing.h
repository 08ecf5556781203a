// `mcp-assay tap` as a process between two others, of which we are one: for its tests.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "harness/runner/passive.h"
#include "harness/transcript/transcript.h"
#include "reference/transport/stdio_child.h"
#include "reports/json.h"

namespace assay::cli {

using harness::Event;
using harness::EventPtr;
using transport::Party;
using Kind = transport::Observation::Kind;

// Where mcp-assay is; tap_test.cc knows it.
extern const std::string kProgram;

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

class Tap : public testing::Test {
 protected:
  Tap() {
    std::string name = (std::filesystem::temp_directory_path() / "tap_test_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Tap() override {
    if (child_) child_->close(soon());
    std::filesystem::remove_all(folder_);
  }

  static harness::Clock::time_point soon() {
    return harness::Clock::now() + std::chrono::seconds(30);
  }
  std::string path(const std::string& name) const { return folder_ / name; }

  // We are the client, and see what one sees.
  void start(const std::vector<std::string>& server) {
    transport::StdioOptions options;
    options.spawn.command = launcher_;
    for (const std::string& word :
         {kProgram, std::string("tap"), std::string("--report"), "json=" + path("{party}.json"),
          std::string("--transcript"), path("transcript.jsonl")}) {
      options.spawn.command.push_back(word);
    }
    options.spawn.command.insert(options.spawn.command.end(), more_.begin(), more_.end());
    options.spawn.command.emplace_back("--");
    options.spawn.command.insert(options.spawn.command.end(), server.begin(), server.end());
    options.exit_grace = std::chrono::seconds(20);
    child_ = std::make_unique<transport::StdioChild>(options, seen_);
    ASSERT_EQ(child_->open(), std::nullopt);
  }
  void start_shell(const std::string& script) { start({"/bin/sh", "-c", script}); }

  // The next line that came from the server.
  std::string next_line() {
    while (const EventPtr event = seen_.wait_for(next_, soon())) {
      ++next_;
      if (event->observation.kind == Kind::kExit) break;
      if (event->is_from_server() && event->observation.kind == Kind::kLine) {
        return std::string(event->observation.bytes());
      }
    }
    return "";
  }
  std::string errors() const {
    std::string out;
    for (const EventPtr& event : seen_.events()) {
      if (event->observation.kind == Kind::kStderr) out += event->observation.bytes();
    }
    return out;
  }
  transport::ProcessExit exit() { return child_->wait_for_exit(soon()).value(); }

  // A polite client's tour, line by line.
  void converse() {
    std::vector<std::string> lines = {
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
        R"("capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}})",
        R"({"jsonrpc":"2.0","method":"notifications/initialized"})"};
    int id = 0;
    for (const char* method : {"ping", "tools/list", "resources/list", "prompts/list", "ping"}) {
      lines.push_back(R"({"jsonrpc":"2.0","id":)" + std::to_string(++id) + R"(,"method":")" +
                      method + "\"}");
    }
    for (const std::string& line : lines) {
      child_->send(line);
      const bool is_request = line.find("\"id\"") != std::string::npos;
      if (is_request && !await_answer()) return;
    }
  }
  // False if the server has ended.
  bool await_answer() {
    for (std::string line = next_line(); !line.empty(); line = next_line()) {
      const Json json = Json::parse(line, nullptr, false);
      if (json.is_object() && json.contains("id") && !json.contains("method")) return true;
    }
    return false;
  }

  std::map<std::string, reports::Outcome> tapped(Party party) const {
    const auto parsed =
        reports::parse_json(text_of(path(std::string(transport::name(party)) + ".json")));
    if (const auto* result = std::get_if<reports::Result>(&parsed)) return outcomes(*result);
    ADD_FAILURE() << std::get<std::string>(parsed);
    return {};
  }
  // What the same monitors say of what we saw ourselves.
  std::map<std::string, reports::Outcome> direct(Party party) const {
    harness::PassiveJudge judge(party);
    harness::RecordedSession session;
    session.events = seen_.events();
    session.is_whole = true;
    judge.add(session);
    return outcomes(judge.finish({}));
  }
  static std::map<std::string, reports::Outcome> outcomes(const reports::Result& result) {
    std::map<std::string, reports::Outcome> out;
    for (const reports::Run& run : result.runs) {
      for (const reports::Verdict& verdict : run.verdicts) {
        // What a server says on its standard error goes past the tap.
        if (verdict.requirement == "stdio.stderr-logging") continue;
        out[run.revision + " " + verdict.requirement] = verdict.outcome;
      }
    }
    return out;
  }

  std::filesystem::path folder_;
  harness::Transcript seen_;
  std::unique_ptr<transport::StdioChild> child_;
  std::size_t next_ = 0;
  std::vector<std::string> launcher_;  // what starts the tap, where it is not us
  std::vector<std::string> more_;      // options of the tap
};

}  // namespace assay::cli
