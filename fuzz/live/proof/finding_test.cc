// What of a finding's transcript stands in a report.
#include "fuzz/live/proof/finding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::fuzz {
namespace {

using transport::Observation;

void add_line_of(harness::Transcript& transcript, transport::Party speaker, std::string text) {
  Observation line;
  line.kind = Observation::Kind::kLine;
  line.speaker = speaker;
  line.bytes = std::move(text);
  transcript.observe(line);
}

void add_ping_and_answer(harness::Transcript& transcript, int number, bool is_answered = true) {
  add_line_of(transcript, transport::Party::kClient,
              fmt::format(R"({{"jsonrpc":"2.0","id":"assay-ping-{}","method":"ping"}})", number));
  if (!is_answered) return;
  add_line_of(transcript, transport::Party::kServer,
              fmt::format(R"({{"jsonrpc":"2.0","id":"assay-ping-{}","result":{{}}}})", number));
}

std::string evidence_in_report(const harness::Transcript& transcript) {
  ServerFinding finding;
  finding.id = "hang-0badcafe";
  finding.suspicion = {Oracle::kHang, "no answer to a ping", "It did not answer"};
  finding.transcript = transcript.events();
  std::string text;
  const reports::Result result = to_result({}, {finding});
  for (const auto& verdict : result.runs.at(0).verdicts) {
    for (const auto& evidence : verdict.evidence) text += evidence.text + "\n";
  }
  return text;
}

TEST(FindingEvidence, IsNotPushedOutByPings) {
  harness::Transcript transcript;
  for (int i = 1; i < 9; ++i) add_ping_and_answer(transcript, i);
  add_line_of(transcript, transport::Party::kClient, "the request");
  add_line_of(transcript, transport::Party::kServer, "the answer");
  for (int i = 9; i < 12; ++i) add_ping_and_answer(transcript, i);
  add_ping_and_answer(transcript, 12, false);
  EXPECT_EQ(evidence_in_report(transcript),
            "the request\nthe answer\n"
            "{\"jsonrpc\":\"2.0\",\"id\":\"assay-ping-12\",\"method\":\"ping\"}\n");
}

void add_exchange(harness::Transcript& transcript, std::uint64_t lane, const std::string& method,
                  const std::string& sent, const std::string& answer) {
  Observation each;
  each.lane = {transport::Lane::Kind::kHttp, lane};
  each.http.emplace();
  each.http->method = method;
  each.http->target = "/mcp";
  each.kind = Observation::Kind::kHttpRequest;
  each.speaker = transport::Party::kClient;
  each.bytes = sent;
  transcript.observe(each);
  each.kind = Observation::Kind::kHttpResponse;
  each.speaker = transport::Party::kServer;
  each.bytes.clear();
  each.http->status = 200;
  transcript.observe(each);
  each.kind = Observation::Kind::kHttpBody;
  each.bytes = answer;
  if (!answer.empty()) transcript.observe(each);
  each.http.reset();
  each.bytes = "answered";
  each.kind = Observation::Kind::kClosed;
  transcript.observe(each);
}

TEST(FindingEvidence, IsWhatWasSaidOverHttp) {
  harness::Transcript transcript;
  add_exchange(transcript, 1, "GET", "", "");
  add_exchange(transcript, 2, "POST", "the request", "the answer");
  add_exchange(transcript, 3, "DELETE", "", "");
  add_exchange(transcript, 4, "DELETE", "", "");
  EXPECT_EQ(evidence_in_report(transcript), "POST /mcp the request\nthe answer\n");
}

}  // namespace
}  // namespace assay::fuzz
