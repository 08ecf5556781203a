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

// What it was sent stands in the words, and is no cause of its own.
TEST(CauseOfDeath, IsTheSameWhateverTheValueWas) {
  const auto python = [](std::string_view value) {
    return cause_of_death(
        "Traceback (most recent call last):\n"
        "  File \"/srv/one/main.py\", line 31, in f\n    raise Error(d)\n"
        "KeyError: " +
        std::string(value) + "\n");
  };
  EXPECT_EQ(python("'assay'"), R"(KeyError: '' (main.py", line 31, in f))");
  EXPECT_EQ(python("'assay'"), python("'hello world'"));
  EXPECT_EQ(cause_of_death("TypeError: Cannot read 'a' of 17\n    at f (file:///srv/a.mjs:8:20)\n"),
            "TypeError: Cannot read '' of # (a.mjs:8:20)");
  EXPECT_EQ(cause_of_death("Error: it didn't, and won't\n"), "Error: it didn't, and won't");
}

TEST(CauseOfDeath, IsWithinAGroupOfExceptions) {
  EXPECT_EQ(cause_of_death("  + Exception Group Traceback (most recent call last):\n"
                           "  | ExceptionGroup: unhandled errors in a TaskGroup\n"
                           "  +-+---------------- 1 ----------------\n"
                           "    | Traceback (most recent call last):\n"
                           "    |   File \"/srv/a.py\", line 3, in f\n"
                           "    | KeyError: 'x'\n"
                           "    +------------------------------------\n"),
            R"(KeyError: '' (a.py", line 3, in f))");
}

TEST(CauseOfDeath, HasNoPlaceWhereTheStackRanOut) {
  EXPECT_EQ(cause_of_death("RangeError: Maximum call stack size exceeded\n    at f (a.js:3:5)\n"),
            "RangeError: Maximum call stack size exceeded");
}

TEST(CauseOfDeath, IsALineThatSpeaksOfAnErrorWhereNoExceptionIsNamed) {
  EXPECT_EQ(cause_of_death("one\nFATAL: no room for 12 bytes\ntwo\n"),
            "FATAL: no room for # bytes");
  EXPECT_EQ(cause_of_death("one\n"), "");
}

}  // namespace
}  // namespace assay::fuzz
