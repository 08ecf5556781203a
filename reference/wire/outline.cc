#include "reference/wire/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <utility>

#include "reference/wire/json_text.h"
#include "reference/wire/message.h"
#include "reference/wire/tokens.h"

namespace assay::wire {
namespace {

// A thread keeps its buffers between messages up to this size of message; four bytes of index for
// each byte of text.
constexpr std::size_t kRetainedMessageBytes = 256u << 10;
constexpr std::size_t kMaxPointerBytes = 1024;  // a longer path is reported by an enclosing value
constexpr std::size_t kAlwaysInRange = 300;     // digits of an integer; the largest double has 309
constexpr std::size_t kFewKeys = 16;            // up to here keys are compared one by one

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// An array or object that is not closed yet.
struct Frame {
  std::size_t begin;       // where it opened
  std::size_t first_key;   // of an object: where its keys start in Scanner::keys_
  std::size_t count;       // values or keys so far, the current one included
  std::uint64_t key_bits;  // of an object: a filter over its keys
  bool is_array;
  bool has_duplicate;
  Slot* slot;  // where the value that comes next is wanted, or null
};

class Scanner {
 public:
  std::optional<DecodeError> run(std::string_view bytes, const Limits& limits, Outline& outline);

 private:
  enum class Expect : char { kValue, kValueOrEnd, kKey, kKeyOrEnd, kCommaOrEnd, kNothing };

  // Each returns false where the text is refused; error_ then says why.
  bool find_tokens();
  bool walk();
  bool key(std::size_t at, std::string_view text);
  bool value(std::size_t at, std::size_t end);
  bool open(std::size_t at, bool is_array);
  bool separator(std::size_t at);
  bool string(std::size_t at, std::string_view text);
  [[gnu::noinline]] bool escapes(std::size_t at, std::string_view text);
  bool number(std::size_t at, std::string_view text);
  void close(std::size_t at);
  void finish_value(std::string_view text);
  [[gnu::noinline]] void add_element(std::string_view text);
  [[gnu::cold]] bool fail(DecodeError::Kind kind, std::string detail);
  [[gnu::cold]] bool invalid(std::size_t at, const char* what);
  [[gnu::cold]] bool too_many(const char* what, std::size_t limit);

  std::string_view trimmed(std::size_t at, std::size_t end) const;
  bool is_outermost(const Frame& frame) const { return &frame == frames_.data(); }
  bool has_escape(std::string_view text) const;
  void add_key(std::string_view name);
  bool has_duplicate_key(const Frame& frame);
  Slot* slot_for(std::string_view name);
  void notice(Notice::Kind kind);
  std::string pointer() const;
  void release();

  std::string_view bytes_;
  Limits limits_;
  Outline* outline_ = nullptr;
  const char* backslash_ = nullptr;  // the first one that no string read so far has; or the end
  std::size_t values_ = 0;
  Expect expect_ = Expect::kValue;
  std::optional<DecodeError> error_;
  std::vector<Frame> frames_;
  std::vector<std::string_view> keys_;     // of all open objects, outermost first
  std::deque<std::string> unescaped_;      // what those of keys_ that had escapes point to
  std::span<const std::uint32_t> tokens_;  // see TokenFinder::find()
  TokenFinder finder_;
};

const char* find_backslash(const char* from, const char* end) {
  const void* const found = std::memchr(from, '\\', static_cast<std::size_t>(end - from));
  return found == nullptr ? end : static_cast<const char*>(found);
}

std::optional<DecodeError> Scanner::run(std::string_view bytes, const Limits& limits,
                                        Outline& outline) {
  bytes_ = bytes;
  limits_ = limits;
  outline_ = &outline;
  values_ = 0;
  expect_ = Expect::kValue;
  frames_.clear();
  keys_.clear();
  if (!unescaped_.empty()) unescaped_.clear();
  const bool is_read = find_tokens() && walk();
  if (bytes.size() > kRetainedMessageBytes) release();
  return is_read ? std::nullopt : std::exchange(error_, std::nullopt);
}

bool Scanner::fail(DecodeError::Kind kind, std::string detail) {
  error_ = DecodeError{kind, std::move(detail)};
  return false;
}

bool Scanner::invalid(std::size_t at, const char* what) {
  return fail(DecodeError::Kind::kInvalidJson, fmt::format("{} at byte {}", what, at));
}

bool Scanner::too_many(const char* what, std::size_t limit) {
  return fail(DecodeError::Kind::kTooLarge, fmt::format("more than {} {}", limit, what));
}

bool Scanner::find_tokens() {
  tokens_ = finder_.find(bytes_);
  outline_->tokens = tokens_.size();
  const char* const end = bytes_.data() + bytes_.size();
  backslash_ = finder_.is_plain() ? end : find_backslash(bytes_.data(), end);
  outline_->has_escapes = backslash_ != end;
  if (tokens_.empty()) error_ = finder_.why_none();
  return !tokens_.empty();
}

bool Scanner::walk() {
  const std::uint32_t* const starts = tokens_.data();
  const std::size_t count = tokens_.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = starts[i];
    bool is_good = true;
    switch (expect_) {
      case Expect::kKeyOrEnd:
      case Expect::kKey:
        if (bytes_[at] == '}' && expect_ == Expect::kKeyOrEnd) {
          close(at);
          break;
        }
        is_good = key(at, trimmed(at, starts[i + 1]));
        if (!is_good) break;
        if (++i == count || bytes_[starts[i]] != ':') {
          return invalid(starts[i], "no colon after a member's name");
        }
        expect_ = Expect::kValue;
        break;
      case Expect::kValueOrEnd:
      case Expect::kValue:
        if (bytes_[at] == ']' && expect_ == Expect::kValueOrEnd) {
          close(at);
        } else {
          is_good = value(at, starts[i + 1]);
        }
        break;
      case Expect::kCommaOrEnd:
        is_good = separator(at);
        break;
      case Expect::kNothing:
        return invalid(at, "something follows the JSON value");
    }
    if (!is_good) return false;
  }
  return expect_ == Expect::kNothing || invalid(bytes_.size(), "the text ends in mid-value");
}

// A token's text: from `at` to where the next one starts, less the white space between. A token
// does not start with any.
std::string_view Scanner::trimmed(std::size_t at, std::size_t end) const {
  while (is_space(bytes_[end - 1])) --end;
  return {bytes_.data() + at, end - at};
}

bool Scanner::has_escape(std::string_view text) const {
  return backslash_ < text.data() + text.size();
}

bool Scanner::key(std::size_t at, std::string_view text) {
  if (text.front() != '"') return invalid(at, "no member name where one must be");
  const bool is_escaped = has_escape(text);
  if (!string(at, text)) return false;
  std::string_view name = text.substr(1, text.size() - 2);
  if (is_escaped) name = unescaped_.emplace_back(unescape(name, LoneSurrogate::kKeep));
  add_key(name);
  frames_.back().slot = slot_for(name);
  return true;
}

bool Scanner::value(std::size_t at, std::size_t end) {
  if (++values_ > limits_.max_values) return too_many("values in one message", limits_.max_values);
  if (!frames_.empty() && frames_.back().is_array) {
    Frame& frame = frames_.back();
    if (++frame.count > limits_.max_members && is_outermost(frame)) {
      return too_many("members in a batch", limits_.max_members);
    }
  }
  const char first = bytes_[at];
  if (first == '{' || first == '[') return open(at, first == '[');
  const std::string_view text = trimmed(at, end);
  const bool is_good = first == '"' ? string(at, text)
                       : first == 't' || first == 'f' || first == 'n'
                           ? is(text, "true") || is(text, "false") || is(text, "null") ||
                                 invalid(at, "no JSON value")
                           : number(at, text);
  if (is_good) finish_value(text);
  return is_good;
}

bool Scanner::open(std::size_t at, bool is_array) {
  if (frames_.size() >= limits_.max_depth) {
    return fail(DecodeError::Kind::kTooDeep,
                fmt::format("nested deeper than {} levels", limits_.max_depth));
  }
  if (frames_.size() == 1 && frames_.front().slot == &outline_->error) {
    outline_->code = outline_->message = {};
  }
  frames_.push_back({at, keys_.size(), 0, 0, is_array, false, nullptr});
  expect_ = is_array ? Expect::kValueOrEnd : Expect::kKeyOrEnd;
  return true;
}

// What stands between two values, or closes the array or object they are in.
bool Scanner::separator(std::size_t at) {
  const bool is_array = frames_.back().is_array;
  if (bytes_[at] == ',') {
    expect_ = is_array ? Expect::kValue : Expect::kKey;
    return true;
  }
  if (bytes_[at] != (is_array ? ']' : '}')) {
    return invalid(at, "neither a comma nor the end of an array or object");
  }
  close(at);
  return true;
}

bool Scanner::string(std::size_t at, std::string_view text) {
  if (text.size() < 2 || text.back() != '"') return invalid(at, "a string that is not closed");
  return !has_escape(text) || escapes(at, text);
}

bool Scanner::escapes(std::size_t at, std::string_view text) {
  backslash_ = find_backslash(text.data() + text.size(), bytes_.data() + bytes_.size());
  const Escapes found = check_escapes(text.substr(1, text.size() - 2));
  if (!found.is_valid) return invalid(at, "a string with an unknown escape");
  if (found.has_lone_surrogate) {
    outline_->needs_repair = true;
    notice(Notice::Kind::kLoneSurrogate);
  }
  return true;
}

bool Scanner::number(std::size_t at, std::string_view text) {
  const NumberForm form = number_form(text);
  if (form == NumberForm::kNone) return invalid(at, "no JSON value");
  if (form == NumberForm::kInteger && text.size() < kAlwaysInRange) return true;
  if (exceeds_double(text)) {
    outline_->needs_repair = true;
    notice(Notice::Kind::kNumberOutOfRange);
  }
  return true;
}

void Scanner::close(std::size_t at) {
  const Frame frame = frames_.back();
  const bool has_duplicate = !frame.is_array && has_duplicate_key(frame);
  frames_.pop_back();
  keys_.resize(frame.first_key);
  if (keys_.empty() && !unescaped_.empty()) unescaped_.clear();
  if (has_duplicate) notice(Notice::Kind::kDuplicateMember);
  finish_value(bytes_.substr(frame.begin, at + 1 - frame.begin));
}

void Scanner::finish_value(std::string_view text) {
  if (frames_.empty()) {
    outline_->root.text = text;
    expect_ = Expect::kNothing;
    return;
  }
  Frame& frame = frames_.back();
  if (frame.slot != nullptr) frame.slot->text = text;
  if (frame.is_array && is_outermost(frame)) add_element(text);
  expect_ = Expect::kCommaOrEnd;
}

void Scanner::add_element(std::string_view text) {
  outline_->elements.push_back(text);
}

void Scanner::add_key(std::string_view name) {
  Frame& frame = frames_.back();
  if (frame.count++ < kFewKeys && !frame.has_duplicate) {
    const auto first = static_cast<unsigned char>(name.empty() ? 0 : name.front());
    const auto last = static_cast<unsigned char>(name.empty() ? 0 : name.back());
    const std::uint64_t bit = 1ull << ((name.size() * 7 + first * 5u + last) & 63u);
    if ((frame.key_bits & bit) != 0) {
      const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(frame.first_key);
      frame.has_duplicate = std::find(begin, keys_.end(), name) != keys_.end();
    }
    frame.key_bits |= bit;
  }
  keys_.push_back(name);
}

// Called when the object ends: its keys may be put into another order.
bool Scanner::has_duplicate_key(const Frame& frame) {
  if (frame.has_duplicate || frame.count <= kFewKeys) return frame.has_duplicate;
  const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(frame.first_key);
  std::sort(begin, keys_.end());
  return std::adjacent_find(begin, keys_.end()) != keys_.end();
}

Slot* Scanner::slot_for(std::string_view name) {
  if (is_outermost(frames_.back())) {
    if (is(name, "jsonrpc")) return &outline_->jsonrpc;
    if (is(name, "id")) return &outline_->id;
    if (is(name, "method")) return &outline_->method;
    if (is(name, "params")) return &outline_->params;
    if (is(name, "result")) return &outline_->result;
    if (is(name, "error")) return &outline_->error;
  } else if (frames_.size() == 2 && frames_.front().slot == &outline_->error) {
    if (is(name, "code")) return &outline_->code;
    if (is(name, "message")) return &outline_->message;
  }
  return nullptr;
}

void Scanner::notice(Notice::Kind kind) {
  if (outline_->notices.size() < kMaxNotices) outline_->notices.push_back({kind, pointer()});
}

// The value being read; of a member whose name is being read, the object.
std::string Scanner::pointer() const {
  std::string path;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const Frame& frame = frames_[i];
    std::string step;
    if (frame.is_array) {
      step = fmt::format("/{}", frame.count - 1);
    } else {
      const std::size_t next = i + 1 < frames_.size() ? frames_[i + 1].first_key : keys_.size();
      const bool reads_name =
          i + 1 == frames_.size() && (expect_ == Expect::kKey || expect_ == Expect::kKeyOrEnd);
      if (next == frame.first_key || reads_name) break;
      const std::string_view name = keys_[next - 1];
      if (path.size() + name.size() > kMaxPointerBytes) break;
      step = "/";
      for (const char c : name) {
        if (c == '~') {
          step += "~0";
        } else if (c == '/') {
          step += "~1";
        } else {
          step += c;
        }
      }
    }
    path += step;
  }
  // Lone surrogates were kept as ED A0..BF xx: U+FFFD is as long.
  for (std::size_t i = 0; i + 2 < path.size(); ++i) {
    if (path[i] == '\xED' && static_cast<unsigned char>(path[i + 1]) >= 0xA0) {
      path.replace(i, 3, "\xEF\xBF\xBD");
    }
  }
  return path;
}

void Scanner::release() {
  tokens_ = {};
  finder_.release();
  frames_ = {};
  keys_ = {};
  unescaped_ = {};
}

}  // namespace

std::optional<DecodeError> read_outline(std::string_view bytes, const Limits& limits,
                                        Outline& outline) {
  thread_local Scanner scanner;
  return scanner.run(bytes, limits, outline);
}

}  // namespace assay::wire
