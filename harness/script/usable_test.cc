#include "harness/script/usable.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

TEST(Usable, AResourceIsReadByAUriThatIsOne) {
  EXPECT_TRUE(is_readable({{"uri", "test://static-text"}}));
  EXPECT_TRUE(is_readable({{"uri", "file:///a%20b"}}));
  EXPECT_FALSE(is_readable({{"uri", "test://a b"}}));
  EXPECT_FALSE(is_readable({{"uri", 5}}));
  EXPECT_FALSE(is_readable({{"name", "a"}}));
  EXPECT_FALSE(is_readable("test://static-text"));
}

TEST(Usable, ANameIsText) {
  EXPECT_TRUE(is_named({{"name", ""}}));
  EXPECT_FALSE(is_named({{"name", 7}}));
  EXPECT_FALSE(is_named({{"title", "a"}}));
  EXPECT_FALSE(is_named(nullptr));
}

}  // namespace
}  // namespace assay::harness
