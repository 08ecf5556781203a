#include "fuzz/live/target/text.h"

#include <gtest/gtest.h>

namespace assay::fuzz {
namespace {

TEST(LastWords, AreTheExceptionAndItsPlace) {
  EXPECT_EQ(last_words("file:///srv/a.mjs:8\n  call(x)\n      ^\n\n"
                       "TypeError: x is null\n"
                       "    at Interface.<anonymous> (file:///srv/a.mjs:8:20)\n"
                       "    at Interface.emit (node:events:524:28)\n\nNode.js v20.20.2\n"),
            "; its last words: TypeError: x is null (file:///srv/a.mjs:8:20)");
  EXPECT_EQ(last_words("Traceback (most recent call last):\n"
                       "  File \"main.py\", line 3, in <module>\n    f()\n"
                       "  File \"main.py\", line 2, in f\n    d[1]\nKeyError: 1\n"),
            "; its last words: KeyError: 1 (File \"main.py\", line 2, in f)");
  EXPECT_EQ(last_words("thread 'main' panicked at src/main.rs:3:5:\n"),
            "; its last words: thread 'main' panicked at src/main.rs:3:5:");
}

TEST(LastWords, AreTheLastLineWhereNoExceptionIsNamed) {
  EXPECT_EQ(last_words("one\ntwo\n \n"), "; its last words: two");
  EXPECT_EQ(last_words("gone\n\nNode.js v20.20.2\n"), "; its last words: gone");
  EXPECT_EQ(last_words("at \n"), "; its last words: at");
  EXPECT_EQ(last_words(""), "");
}

}  // namespace
}  // namespace assay::fuzz
