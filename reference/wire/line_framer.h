// Splits a byte stream into lines, as the stdio transport frames messages.
//
// Specification: basic/transports, "stdio": messages are delimited by newlines. A push parser:
// feeding it byte by byte or all at once gives the same lines, and it never holds more than its
// limit.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "reference/wire/budget.h"

namespace assay::wire {

class LineFramer {
 public:
  struct Line {
    std::string_view bytes;            // without the newline; valid only during the call
    bool has_carriage_return = false;  // the line ended in CRLF; `bytes` ends before the CR
    bool is_truncated = false;         // longer than the limit: `bytes` is its beginning only
    bool is_unterminated = false;      // the stream ended without a newline
  };
  using Handler = std::function<void(const Line&)>;

  static constexpr std::size_t kDefaultLimit = 64u << 20;  // wire::Limits::max_bytes

  // `limit` bounds one line, and thereby the memory held. A line that is held in part takes of the
  // budget what it takes of memory; where that is refused the line is cut as at the limit.
  explicit LineFramer(Handler handler, std::size_t limit = kDefaultLimit,
                      BudgetPtr budget = nullptr);

  // Calls the handler for every line that `bytes` completes. Empty lines are reported too.
  void feed(std::string_view bytes);
  // The stream has ended: reports what is left as an unterminated line, if anything is.
  void finish();
  // Of the line that is not yet complete something has been lost: its length, or the budget.
  bool is_cutting() const { return length_ > partial_.size() + (ends_in_cr_ ? 1 : 0); }
  // Bytes held of a line not yet complete.
  std::size_t pending() const;

 private:
  void keep(std::string_view bytes);
  void emit_partial(bool is_unterminated);
  void emit(std::string_view begin, std::size_t length, bool has_carriage_return,
            bool is_unterminated);

  Handler handler_;
  std::size_t limit_;
  Share share_;              // for partial_, and for the copies that are made of it
  std::string partial_;      // the beginning of a line not yet complete, at most limit_
  std::size_t length_ = 0;   // the bytes of that line so far, kept or not
  bool ends_in_cr_ = false;  // the last of them is a carriage return
};

}  // namespace assay::wire
