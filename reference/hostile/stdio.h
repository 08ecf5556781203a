// What a hostile peer can do with its standard streams.
//
// Specification: basic/transports, "stdio".
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "reference/wire/message_fwd.h"

namespace assay::hostile {

// Writing ends the process once nobody reads any more, so that no peer outlives its client by
// accident; whoever wants to stay does not write.
//
// Thread safety: one thread may read while others write.
class Stdio {
 public:
  // The next line without its newline; nothing at the end of input.
  std::optional<std::string> read_line();
  // Exactly these bytes, to standard output.
  void write(std::string_view bytes);
  // A line.
  void say(std::string_view text);
  // The sound answer, if one is due.
  void answer(const wire::Message& message);
  // Exactly these bytes, to standard error.
  void complain(std::string_view bytes);

 private:
  std::string unread_;
  std::size_t looked_at_ = 0;  // of unread_, for a newline
  std::mutex writing_;         // guards standard output: what is written at once stays together
};

// Sees each message before it is answered. True: it has been dealt with, and is not answered.
using StdioHook = std::function<bool(const wire::Message&)>;

// Answers every line as polite_answer() does, but for what the hook takes; returns at the end of
// input.
void serve(Stdio& stdio, const StdioHook& hook = {});

// Writes `unit` again and again, in large blocks, until nobody reads.
[[noreturn]] void flood(Stdio& stdio, std::string_view unit);
// Writes `unit` again and again, with a pause after each.
[[noreturn]] void drip(Stdio& stdio, std::string_view unit, int pause_ms);
// Waits for a signal that ends the process.
[[noreturn]] void stay();
void wait_ms(int milliseconds);

}  // namespace assay::hostile
