#include "reference/wire/optional_message.h"

#include <gtest/gtest.h>

#include <utility>

#include "reference/wire/message.h"
#include "reference/wire/message_testing.h"

namespace assay::wire {
namespace {

OptionalMessage holding(const char* text) {
  return OptionalMessage(must_decode(text));
}

TEST(OptionalMessage, HoldsNoneUntilItIsGivenOne) {
  EXPECT_EQ(OptionalMessage().get(), nullptr);
  const OptionalMessage held = holding(R"({"jsonrpc":"2.0","method":"a"})");
  ASSERT_NE(held.get(), nullptr);
  EXPECT_EQ(held.get()->method(), "a");
}

TEST(OptionalMessage, IsMovedWithTheBytesWhereTheyLie) {
  OptionalMessage from = holding(R"({"jsonrpc":"2.0","method":"a"})");
  const char* const bytes = from.get()->bytes().data();
  OptionalMessage to = std::move(from);
  EXPECT_EQ(from.get(), nullptr);
  ASSERT_NE(to.get(), nullptr);
  EXPECT_EQ(to.get()->bytes().data(), bytes);

  OptionalMessage other = holding(R"({"jsonrpc":"2.0","method":"b"})");
  other = std::move(to);
  EXPECT_EQ(to.get(), nullptr);
  ASSERT_NE(other.get(), nullptr);
  EXPECT_EQ(other.get()->method(), "a");
  other = OptionalMessage();
  EXPECT_EQ(other.get(), nullptr);
}

}  // namespace
}  // namespace assay::wire
