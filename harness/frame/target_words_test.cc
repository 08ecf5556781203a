// What users say of a target: what is taken, and that nothing of what is refused is repeated.
#include "harness/frame/target_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/frame/command.h"

namespace assay::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(TargetWords, AreTakenApart) {
  EXPECT_THAT(parse_headers({"A: b: c", "D:e", "F:"}),
              ElementsAre(Pair("A", "b: c"), Pair("D", "e"), Pair("F", "")));
  EXPECT_THAT(parse_environment({"A=b=c", "D="}), ElementsAre(Pair("A", "b=c"), Pair("D", "")));
}

TEST(TargetWords, AreRefusedWithoutBeingRepeated) {
  for (const char* text :
       {"Bearer s3cret", ": s3cret", "A b: s3cret", "A: s3cret\r\nB: c", "A: s3cret\n"}) {
    try {
      parse_headers({text});
      ADD_FAILURE() << "takes '" << text << "'";
    } catch (const UsageError& error) {
      EXPECT_EQ(error.text(), "--header takes 'NAME: VALUE'");
    }
  }
  for (const char* text : {"s3cret", "=s3cret"}) {
    try {
      parse_environment({text});
      ADD_FAILURE() << "takes '" << text << "'";
    } catch (const UsageError& error) {
      EXPECT_EQ(error.text(), "--env takes K=V");
    }
  }
}

}  // namespace
}  // namespace assay::cli
