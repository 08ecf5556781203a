// What a process makes of the end of its input.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fuzz/live/proof/prober.h"
#include "harness/runner/target.h"

namespace assay::fuzz {
namespace {

// What looks wrong of a shell that reads its input to the end, and then does this.
std::string said_at_the_end(const std::string& what) {
  const harness::TargetAccess access =
      harness::over_stdio({{"sh", "-c", "while read -r line; do :; done; " + what}, {}, ""});
  Vocabulary words;
  words.initialize_params = Json::object();
  Prober prober(access, words, {}, {});
  Step step;
  step.bytes = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  step.end = Step::End::kHalfClose;
  const auto read = from_jsonl(to_jsonl({step}));
  std::string said;
  for (const Suspicion& each : prober.run({std::get<Steps>(read), true, 0}, prober.waits())) {
    said += each.signature();
  }
  return said;
}

TEST(EndOfInput, MayBeTheEndOfTheProcess) {
  EXPECT_EQ(said_at_the_end("exit 0"), "");
  EXPECT_EQ(said_at_the_end("exit 3"), "");
  EXPECT_EQ(said_at_the_end("echo gone >&2; exit 1"), "");
  // The last line has no end, and is answered all the same.
  EXPECT_EQ(said_at_the_end(R"(echo '{"jsonrpc":"2.0","id":1,"result":{}}')"), "");
  EXPECT_EQ(said_at_the_end(
                R"(echo '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}')"),
            "");
}

TEST(EndOfInput, IsNoReasonToCrash) {
  EXPECT_EQ(said_at_the_end("kill -ABRT $$"), "crash: ended by signal 6");
  EXPECT_NE(said_at_the_end(R"(printf 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nKeyError: 7\n' >&2; exit 1)")
                .find("crash: exit status 1, KeyError: #"),
            std::string::npos);
}

// It may log what it dealt with, and always end with that status.
TEST(EndOfInput, MayFollowAnExceptionThatWasLogged) {
  EXPECT_EQ(said_at_the_end("echo 'ValueError: bad line ignored' >&2; exit 1"), "");
}

}  // namespace
}  // namespace assay::fuzz
