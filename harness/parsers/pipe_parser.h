// A parser in any language, behind a pipe.
//
// The line protocol: we write the bytes of one text as base64 on a line (an empty line is the empty
// text); the parser answers with one line, which is `refuse`, or `accept`, or `accept` and a space
// and the value as JSON text. What follows `refuse` and a space is for people. The answers come in
// the order of the questions.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/parsers/comparison.h"

namespace assay::harness {

// Reads one answer; nothing if the line is none.
std::optional<ParserAnswer> read_answer(std::string_view line);

class PipeParser {
 public:
  // What ended a round of questions before its end.
  enum class End {
    kAll,      // nothing did
    kExited,   // the parser is gone
    kHung,     // no answer in time
    kDamaged,  // a line that is no answer, or one that nobody asked for
  };
  struct Round {
    std::vector<ParserAnswer> answers;  // to the first questions
    End end = End::kAll;
    std::string detail;  // of another end than kAll: one sentence, printable
  };

  // Longest answer that is read; a longer one is damaged.
  static constexpr std::size_t kMaxAnswerBytes = 1u << 20;

  PipeParser(std::vector<std::string> command, std::chrono::milliseconds patience);
  ~PipeParser();
  PipeParser(const PipeParser&) = delete;
  PipeParser& operator=(const PipeParser&) = delete;

  // Starts the command, anew if it runs. Otherwise: why it cannot, in one sentence.
  std::optional<std::string> start();
  // Asks all at once and collects the answers. Another end than kAll leaves it stopped.
  Round ask(std::span<const std::string> texts);

 private:
  class Impl;
  const std::vector<std::string> command_;
  const std::chrono::milliseconds patience_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::harness
