// What a watch shows on a terminal, or where there is none as plain lines.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "harness/watch/board.h"

namespace assay::harness {

// One line for what has come, and none of a stranger's control characters.
std::string as_text(const WatchBoard::Line& line);
std::string as_text(const WatchedSession& session);

// A screen of sessions, violations and the last messages.
class WatchScreen {
 public:
  void take(const WatchBoard::News& news);
  // `rows` lines of at most `columns`, each with its newline.
  std::string draw(std::size_t columns, std::size_t rows) const;

 private:
  static constexpr std::size_t kMost = 200;

  std::vector<WatchedSession> sessions_;
  std::deque<std::string> violations_;  // the last of each
  std::deque<std::string> messages_;
};

}  // namespace assay::harness
