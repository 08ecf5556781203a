// The last line of a run says what was suspected and not proved, and whether it fails the run.
#include "fuzz/live/fuzz_summary.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::fuzz {
namespace {

ServerFinding left_open(Oracle oracle, std::size_t seen_again, Proof proof) {
  ServerFinding finding;
  finding.suspicion = {oracle, "about", "It did"};
  finding.seen_again = seen_again;
  finding.proof = proof;
  return finding;
}

std::string last_line(const FuzzOutcome& done, std::size_t most_suspected) {
  RunFacts facts;
  testing::internal::CaptureStdout();
  print_summary({facts, done, "out", most_suspected, false});
  std::string said = testing::internal::GetCapturedStdout();
  if (!said.empty()) said.pop_back();
  return said.substr(said.rfind('\n') + 1);
}

TEST(Summary, EndsWithWhatWasNotProved) {
  FuzzOutcome done;
  done.unproved = {left_open(Oracle::kHang, 1, Proof::kNotTried),
                   left_open(Oracle::kMissing, 0, Proof::kNotTried),
                   left_open(Oracle::kMissing, 3, Proof::kNotTried),
                   left_open(Oracle::kInvalid, 3, Proof::kNotTried),
                   left_open(Oracle::kCrash, 1, Proof::kNotShownAgain)};
  EXPECT_EQ(open_questions(done), 2u);
  EXPECT_EQ(last_line(done, 0),
            "5 suspected and not proved, 2 of them hangs or lost answers that were seen more than "
            "once, which fails the run: give more --time");
  EXPECT_EQ(last_line(done, 2),
            "5 suspected and not proved, 2 of them hangs or lost answers that were seen more than "
            "once: give more --time");
  done.unproved.resize(1);
  done.unproved[0].seen_again = 0;
  EXPECT_EQ(last_line(done, 0), "1 suspected and not proved");
}

}  // namespace
}  // namespace assay::fuzz
