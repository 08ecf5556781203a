#include "reference/wire/outline.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "reference/wire/json_text.h"

namespace assay::wire {
namespace {

// A thread keeps its buffers between messages up to this size of message; four bytes of index for
// each byte of text.
constexpr std::size_t kRetainedBytes = 256u << 10;
constexpr std::size_t kMaxPointerBytes = 1024;  // a longer path is reported by an enclosing value
constexpr std::size_t kFewKeys = 16;            // up to here keys are compared one by one

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

DecodeError invalid(std::size_t at, std::string_view what) {
  return {DecodeError::Kind::kInvalidJson, fmt::format("{} at byte {}", what, at)};
}

// An array or object that is not closed yet.
struct Frame {
  std::size_t begin;       // where it opened
  std::size_t first_key;   // of an object: where its keys start in Scanner::keys_
  std::size_t count;       // values of an array so far, the current one included
  std::uint64_t key_bits;  // of an object: a filter over its keys
  bool is_array;
  bool has_duplicate;
  Slot* slot;  // where the value that comes next is wanted, or null
};

class Scanner {
 public:
  std::optional<DecodeError> run(std::string_view bytes, const Limits& limits, Outline& outline);

 private:
  enum class Expect { kValue, kValueOrEnd, kKey, kKeyOrEnd, kColon, kCommaOrEnd, kNothing };
  using Result = std::optional<DecodeError>;

  Result find_tokens();
  Result walk();
  Result key(std::size_t at, std::string_view text);
  Result value(std::size_t at, std::string_view text);
  Result open(std::size_t at, bool is_array);
  Result string(std::size_t at, std::string_view text);
  Result number(std::size_t at, std::string_view text);
  void close(std::size_t at);
  void finish_value(std::string_view text);
  void add_key(std::string_view name);
  bool has_duplicate_key(const Frame& frame);
  Slot* slot_for(std::string_view name);
  void notice(Notice::Kind kind);
  std::string pointer() const;
  void release();

  std::string_view bytes_;
  Limits limits_;
  Outline* outline_ = nullptr;
  bool has_backslash_ = false;
  std::size_t values_ = 0;
  Expect expect_ = Expect::kValue;
  std::vector<Frame> frames_;
  std::vector<std::string_view> keys_;  // of all open objects, outermost first
  std::deque<std::string> unescaped_;   // what those of keys_ that had escapes point to
  std::unique_ptr<simdjson::internal::dom_parser_implementation> tokens_;
};

std::optional<DecodeError> Scanner::run(std::string_view bytes, const Limits& limits,
                                        Outline& outline) {
  bytes_ = bytes;
  limits_ = limits;
  outline_ = &outline;
  has_backslash_ = std::memchr(bytes.data(), '\\', bytes.size()) != nullptr;
  values_ = 0;
  expect_ = Expect::kValue;
  frames_.clear();
  keys_.clear();
  unescaped_.clear();
  Result error = find_tokens();
  if (!error) error = walk();
  if (bytes.size() > kRetainedBytes) release();
  return error;
}

Scanner::Result Scanner::find_tokens() {
  simdjson::error_code code = simdjson::SUCCESS;
  if (!tokens_) {
    code = simdjson::get_active_implementation()->create_dom_parser_implementation(
        std::max<std::size_t>(bytes_.size(), 4096), 1, tokens_);
  } else if (tokens_->capacity() < bytes_.size()) {
    code = tokens_->set_capacity(std::max(bytes_.size(), 2 * tokens_->capacity()));
  }
  if (code != simdjson::SUCCESS) {
    return DecodeError{DecodeError::Kind::kTooLarge, "no memory to read the message"};
  }
  code = tokens_->stage1(reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size(),
                         simdjson::stage1_mode::regular);
  if (code == simdjson::SUCCESS) return std::nullopt;
  if (!simdjson::validate_utf8(bytes_)) {
    return DecodeError{DecodeError::Kind::kInvalidUtf8, "the bytes are not UTF-8"};
  }
  if (code == simdjson::EMPTY) {
    return DecodeError{DecodeError::Kind::kEmpty, "there is nothing but white space"};
  }
  return DecodeError{DecodeError::Kind::kInvalidJson,
                     code == simdjson::UNESCAPED_CHARS
                         ? "a string holds a control character that is not escaped"
                         : "a string is not closed"};
}

Scanner::Result Scanner::walk() {
  const std::uint32_t* const index = tokens_->structural_indexes.get();
  const std::size_t count = tokens_->n_structural_indexes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = index[i];
    std::size_t end = i + 1 < count ? index[i + 1] : bytes_.size();
    while (end > at + 1 && is_space(bytes_[end - 1])) --end;
    const std::string_view text = bytes_.substr(at, end - at);
    const char c = text.front();
    Result error;
    switch (expect_) {
      case Expect::kKeyOrEnd:
      case Expect::kKey:
        if (c == '}' && expect_ == Expect::kKeyOrEnd) {
          close(at);
        } else {
          error = key(at, text);
        }
        break;
      case Expect::kColon:
        if (c != ':') return invalid(at, "no colon after a member's name");
        expect_ = Expect::kValue;
        break;
      case Expect::kValueOrEnd:
      case Expect::kValue:
        if (c == ']' && expect_ == Expect::kValueOrEnd) {
          close(at);
        } else {
          error = value(at, text);
        }
        break;
      case Expect::kCommaOrEnd: {
        const bool is_array = frames_.back().is_array;
        if (c == ',') {
          expect_ = is_array ? Expect::kValue : Expect::kKey;
        } else if (c == (is_array ? ']' : '}')) {
          close(at);
        } else {
          return invalid(at, "neither a comma nor the end of an array or object");
        }
        break;
      }
      case Expect::kNothing:
        return invalid(at, "something follows the JSON value");
    }
    if (error) return error;
  }
  if (expect_ != Expect::kNothing) return invalid(bytes_.size(), "the text ends in mid-value");
  return std::nullopt;
}

Scanner::Result Scanner::key(std::size_t at, std::string_view text) {
  if (text.front() != '"') return invalid(at, "no member name where one must be");
  if (Result error = string(at, text)) return error;
  std::string_view name = text.substr(1, text.size() - 2);
  if (has_backslash_ && name.find('\\') != std::string_view::npos) {
    name = unescaped_.emplace_back(unescape(name, LoneSurrogate::kKeep));
  }
  add_key(name);
  frames_.back().slot = slot_for(name);
  expect_ = Expect::kColon;
  return std::nullopt;
}

Scanner::Result Scanner::value(std::size_t at, std::string_view text) {
  if (++values_ > limits_.max_values) {
    return DecodeError{DecodeError::Kind::kTooLarge,
                       fmt::format("more than {} values in one message", limits_.max_values)};
  }
  if (!frames_.empty() && frames_.back().is_array) {
    if (++frames_.back().count > limits_.max_members && frames_.size() == 1) {
      return DecodeError{DecodeError::Kind::kTooLarge,
                         fmt::format("more than {} members in a batch", limits_.max_members)};
    }
  }
  Result error;
  switch (text.front()) {
    case '{':
      return open(at, false);
    case '[':
      return open(at, true);
    case '"':
      error = string(at, text);
      break;
    case 't':
    case 'f':
    case 'n':
      if (text != "true" && text != "false" && text != "null") error = invalid(at, "no JSON value");
      break;
    default:
      error = number(at, text);
      break;
  }
  if (!error) finish_value(text);
  return error;
}

Scanner::Result Scanner::open(std::size_t at, bool is_array) {
  if (frames_.size() >= limits_.max_depth) {
    return DecodeError{DecodeError::Kind::kTooDeep,
                       fmt::format("nested deeper than {} levels", limits_.max_depth)};
  }
  if (frames_.size() == 1 && frames_.front().slot == &outline_->error) {
    outline_->code = outline_->message = {};
  }
  frames_.push_back({at, keys_.size(), 0, 0, is_array, false, nullptr});
  expect_ = is_array ? Expect::kValueOrEnd : Expect::kKeyOrEnd;
  return std::nullopt;
}

Scanner::Result Scanner::string(std::size_t at, std::string_view text) {
  if (text.size() < 2 || text.back() != '"') return invalid(at, "a string that is not closed");
  if (!has_backslash_) return std::nullopt;
  const Escapes escapes = check_escapes(text.substr(1, text.size() - 2));
  if (!escapes.is_valid) return invalid(at, "a string with an unknown escape");
  if (escapes.has_lone_surrogate) {
    outline_->needs_repair = true;
    notice(Notice::Kind::kLoneSurrogate);
  }
  return std::nullopt;
}

Scanner::Result Scanner::number(std::size_t at, std::string_view text) {
  if (number_form(text) == NumberForm::kNone) return invalid(at, "no JSON value");
  if (exceeds_double(text)) {
    outline_->needs_repair = true;
    notice(Notice::Kind::kNumberOutOfRange);
  }
  return std::nullopt;
}

void Scanner::close(std::size_t at) {
  const Frame frame = frames_.back();
  const bool has_duplicate = !frame.is_array && has_duplicate_key(frame);
  frames_.pop_back();
  keys_.resize(frame.first_key);
  if (keys_.empty()) unescaped_.clear();
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
  if (frames_.size() == 1 && frame.is_array) outline_->elements.push_back(text);
  expect_ = Expect::kCommaOrEnd;
}

void Scanner::add_key(std::string_view name) {
  Frame& frame = frames_.back();
  const std::size_t count = keys_.size() - frame.first_key;
  if (count < kFewKeys && !frame.has_duplicate) {
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
  if (frame.has_duplicate || keys_.size() - frame.first_key <= kFewKeys) return frame.has_duplicate;
  const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(frame.first_key);
  std::sort(begin, keys_.end());
  return std::adjacent_find(begin, keys_.end()) != keys_.end();
}

Slot* Scanner::slot_for(std::string_view name) {
  if (frames_.size() == 1) {
    if (name == "jsonrpc") return &outline_->jsonrpc;
    if (name == "id") return &outline_->id;
    if (name == "method") return &outline_->method;
    if (name == "params") return &outline_->params;
    if (name == "result") return &outline_->result;
    if (name == "error") return &outline_->error;
  } else if (frames_.size() == 2 && frames_.front().slot == &outline_->error) {
    if (name == "code") return &outline_->code;
    if (name == "message") return &outline_->message;
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
      const bool reads_name = i + 1 == frames_.size() && expect_ != Expect::kValue &&
                              expect_ != Expect::kValueOrEnd && expect_ != Expect::kCommaOrEnd;
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
  tokens_.reset();
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
