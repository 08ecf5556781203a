#include "reports/event_lines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "reports/json.h"
#include "reports/progress.h"
#include "reports/result_testing.h"

namespace assay::reports {
namespace {

nlohmann::json parsed_line(const std::string& line) {
  EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
  return nlohmann::json::parse(line, nullptr, false);
}

TEST(EventLines, TellEachEventOnALineOfItsOwn) {
  std::ostringstream out;
  std::ostringstream shown;
  Progress progress(shown, {.line_interval = std::chrono::milliseconds(0)});
  EventLines lines(out, progress);
  lines.run_started({2, 4});
  lines.scenario_finished({"2025-11-25", "stdio"}, "ping", 7);
  lines.verdict({"2025-11-25", "stdio"}, testing::violation());
  std::istringstream in(out.str());
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(
      nlohmann::json::parse(line),
      nlohmann::json(
          {{"event", "started"}, {"schema", "mcp-assay-events/1"}, {"runs", 2}, {"scenarios", 4}}));
  std::getline(in, line);
  EXPECT_EQ(nlohmann::json::parse(line)["scenario"], "ping");
  std::getline(in, line);
  EXPECT_EQ(nlohmann::json::parse(line)["outcome"], "violated");
  EXPECT_FALSE(std::getline(in, line));
  EXPECT_NE(shown.str(), "") << "the next reader of events gets none";
}

TEST(EventLines, EndWithTheReportAndWhatFailsInIt) {
  const Result result = testing::sample();
  const nlohmann::json last = parsed_line(finished_line(result, 1));
  EXPECT_EQ(last["conformant"], false);
  EXPECT_EQ(last["exit_status"], 1);
  EXPECT_EQ(last["report"], nlohmann::json::parse(render_json(result)));
  ASSERT_EQ(last["failures"].size(), 1u);
  const nlohmann::json& failure = last["failures"][0];
  EXPECT_EQ(failure["requirement"], testing::violation().requirement);
  EXPECT_FALSE(failure["runs"].empty());
  const std::string text = failure["text"];
  EXPECT_NE(last["text"].get<std::string>().find(text), std::string::npos);
}

TEST(EventLines, StayOnOneLineWhateverTheTargetSays) {
  const nlohmann::json last = parsed_line(finished_line(testing::hostile(), 1));
  EXPECT_FALSE(last.is_discarded());
}

}  // namespace
}  // namespace assay::reports
