#include <algorithm>

#include "reference/wire/http.h"
#include "reference/wire/http_text.h"

// What a parser makes of the lines of a head.
namespace assay::wire {
namespace {

std::uint32_t distance(const char* from, const char* to) {
  return static_cast<std::uint32_t>(to - from);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A version as it ends a request line. Anything but a digit behind the dot is no version at all.
HttpFault read_version(std::string_view text, int& minor) {
  if (text.size() != 8 || !text.starts_with("HTTP/") || !is_digit(text[5]) || text[6] != '.' ||
      !is_digit(text[7])) {
    return HttpFault::kNotHttp;
  }
  if (text[5] != '1') return HttpFault::kVersion;
  minor = text[7] - '0';
  return HttpFault::kNone;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// What is wrong with the name of a field of a request that is no token before a colon.
HttpFault name_fault(std::string_view line, std::size_t colon) {
  if (colon == line.size()) return HttpFault::kNoColon;
  if (colon == 0) return HttpFault::kNoName;
  const std::string_view name = line.substr(0, colon);
  return std::any_of(name.begin(), name.end(), is_blank) ? HttpFault::kBlankInName
                                                         : HttpFault::kBadName;
}

}  // namespace

HttpFault HttpParser::take_first_line(std::string_view line) {
  keeps_open_ = true;
  wants_close_ = wants_keep_alive_ = has_coding_ = has_body_ = false;
  length_.reset();
  left_ = taken_ = 0;
  extension_bytes_ = 0;
  return role_ == Role::kRequests ? take_request_line(line) : take_status_line(line);
}

HttpFault HttpParser::take_request_line(std::string_view line) {
  const std::size_t first = count_token_bytes(line);
  const std::size_t last = line.rfind(' ');
  if (first == 0 || last == std::string_view::npos || first >= last || line[first] != ' ') {
    return HttpFault::kNotHttp;
  }
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_request_target(target)) return HttpFault::kNotHttp;
  request_line_ = {distance(block_.data(), line.data()), static_cast<std::uint32_t>(first),
                   distance(block_.data(), target.data()),
                   static_cast<std::uint32_t>(target.size())};
  return read_version(line.substr(last + 1), minor_version_);
}

// "HTTP/1.1 200 OK"; the phrase may be missing, and the blank before it too.
HttpFault HttpParser::take_status_line(std::string_view line) {
  constexpr std::size_t kCode = 9;
  constexpr std::size_t kEnd = 12;
  if (line.size() < kEnd || !is_digit(line[7]) || line[8] != ' ') return HttpFault::kNotHttp;
  if (line.size() > kEnd && line[kEnd] != ' ') return HttpFault::kNotHttp;
  const auto status = read_number(line.substr(kCode, 3), 10);
  if (!status || *status < 100) return HttpFault::kNotHttp;
  status_ = static_cast<int>(*status);
  minor_version_ = line[7] - '0';
  return HttpFault::kNone;
}

HttpFault HttpParser::take_field(std::string_view line) {
  const bool is_request = role_ == Role::kRequests;
  if (is_blank(line.front())) {
    if (is_request) return HttpFault::kFolded;
    unfold(line);
    return HttpFault::kNone;
  }
  if (places_.size() == limits_.fields) return HttpFault::kTooManyFields;
  std::size_t colon = count_token_bytes(line);
  const bool is_name = colon > 0 && colon < line.size() && line[colon] == ':';
  if (!is_name) {
    colon = std::min(line.find(':'), line.size());
    if (is_request) return name_fault(line, colon);
  }
  const std::string_view name =
      is_name ? line.substr(0, colon) : trim_blanks(line.substr(0, colon));
  const std::string_view value = trim_blanks(line.substr(std::min(colon + 1, line.size())));
  const std::uint32_t at = distance(block_.data(), name.data());
  places_.push_back({at, static_cast<std::uint32_t>(name.size()),
                     value.empty() ? at : distance(block_.data(), value.data()),
                     static_cast<std::uint32_t>(value.size())});
  return is_request && state_ == State::kHead ? take_meaning(name, value) : HttpFault::kNone;
}

// The line goes on with the value of the field before it, or is nobody's.
void HttpParser::unfold(std::string_view line) {
  const std::string_view more = trim_blanks(line);
  if (more.empty() || places_.empty()) return;
  Place& last = places_.back();
  const std::uint32_t begin = distance(block_.data(), more.data());
  if (last.value_size == 0) last.value = begin;
  last.value_size = begin + static_cast<std::uint32_t>(more.size()) - last.value;
}

// The length of a name tells most of the fields apart that do not matter here.
HttpFault HttpParser::take_meaning(std::string_view name, std::string_view value) {
  switch (name.size()) {
    case 10:
      if (equals_without_case(name, "connection")) {
        wants_close_ = wants_close_ || lists_token(value, "close");
        wants_keep_alive_ = wants_keep_alive_ || lists_token(value, "keep-alive");
      }
      return HttpFault::kNone;
    case 14:
      return equals_without_case(name, "content-length") ? take_length(value) : HttpFault::kNone;
    case 17:
      return equals_without_case(name, "transfer-encoding") ? take_coding(value) : HttpFault::kNone;
    default:
      return HttpFault::kNone;
  }
}

// That of a response may have other codings beside: they do not hide where the body ends.
HttpFault HttpParser::take_coding(std::string_view value) {
  const bool is_request = role_ == Role::kRequests;
  if (is_request && (has_coding_ || !equals_without_case(value, "chunked"))) {
    return HttpFault::kUnknownCoding;
  }
  has_coding_ = has_coding_ || lists_token(value, "chunked");
  return HttpFault::kNone;
}

HttpFault HttpParser::take_length(std::string_view value) {
  if (length_ && role_ == Role::kRequests) return HttpFault::kSeveralLengths;
  const auto length = read_number(value, 10);
  if (!length) return HttpFault::kBadLength;
  if (length_ && length_ != length) return HttpFault::kSeveralLengths;
  length_ = length;
  return HttpFault::kNone;
}

void HttpParser::place_fields() {
  fields_.reserve(places_.size());
  for (const Place& place : places_) {
    fields_.push_back(
        {block_.substr(place.name, place.name_size), block_.substr(place.value, place.value_size)});
  }
}

HttpParser::Event HttpParser::end_head() {
  place_fields();
  const bool is_request = role_ == Role::kRequests;
  const HttpFault fault = is_request ? choose_body() : choose_body_of_response();
  if (fault != HttpFault::kNone) return break_off(fault);
  has_body_ = state_ != State::kEnd;
  is_block_out_ = true;
  if (is_request) {
    method_ = block_.substr(request_line_.name, request_line_.name_size);
    target_ = block_.substr(request_line_.value, request_line_.value_size);
    return Event::kHead;
  }
  if (status_ >= 200 || status_ == 101) return Event::kHead;
  if (++interims_ > limits_.interims) return break_off(HttpFault::kTooManyInterims);
  state_ = State::kHead;
  return Event::kInterim;
}

bool HttpParser::persists() const {
  return minor_version_ == 0 ? wants_keep_alive_ && !wants_close_ : !wants_close_;
}

HttpFault HttpParser::choose_body() {
  if (has_coding_ && minor_version_ == 0) return HttpFault::kUnknownCoding;
  if (has_coding_ && length_) return HttpFault::kLengthAndCoding;
  keeps_open_ = persists();
  state_ = has_coding_ ? State::kChunkSize : State::kEnd;
  return length_ ? await_length() : HttpFault::kNone;
}

// RFC 9112, section 6.3. A field that may not stand where it stands matters only if it is needed.
HttpFault HttpParser::choose_body_of_response() {
  HttpFault trouble = HttpFault::kNone;
  for (const HttpField& field : fields_) {
    const HttpFault fault = take_meaning(field.name, field.value);
    if (trouble == HttpFault::kNone) trouble = fault;
  }
  keeps_open_ = persists() && status_ != 101;
  state_ = State::kEnd;
  if (expects_no_body_ || status_ < 200 || status_ == 204 || status_ == 304)
    return HttpFault::kNone;
  if (has_coding_) {
    // Others may see its end elsewhere.
    if (length_ || minor_version_ == 0) keeps_open_ = false;
    length_.reset();
    state_ = State::kChunkSize;
    return HttpFault::kNone;
  }
  if (trouble != HttpFault::kNone) return trouble;
  if (length_) return await_length();
  keeps_open_ = false;
  state_ = State::kUntilClose;
  return HttpFault::kNone;
}

HttpFault HttpParser::await_length() {
  if (*length_ > limits_.body_bytes) return HttpFault::kBodyTooLong;
  left_ = *length_;
  if (left_ > 0) state_ = State::kLength;
  return HttpFault::kNone;
}

}  // namespace assay::wire
