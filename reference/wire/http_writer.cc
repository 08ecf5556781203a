#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "reference/wire/http.h"
#include "reference/wire/http_text.h"

namespace assay::wire {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kColon = ": ";

constexpr std::array<std::pair<int, std::string_view>, 24> kPhrases = {{
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
}};

void append_number(std::string& out, std::uint64_t number, int base) {
  char digits[24];
  const auto written = std::to_chars(digits, digits + sizeof digits, number, base);
  out.append(digits, written.ptr);
}

}  // namespace

void HttpWriter::request_line(std::string_view method, std::string_view target) {
  is_expressible_ = is_expressible_ && is_token(method) && is_request_target(target);
  out_.append(method).append(" ").append(target).append(" HTTP/1.1").append(kLineEnd);
}

void HttpWriter::status_line(int status) {
  is_expressible_ = is_expressible_ && status >= 100 && status <= 999;
  if (!is_expressible_) return;
  char begin[] = "HTTP/1.1 000 ";
  int rest = status;
  for (std::size_t at = 12; at-- > 9; rest /= 10) begin[at] = static_cast<char>('0' + rest % 10);
  out_.append(begin, sizeof begin - 1).append(reason_phrase(status)).append(kLineEnd);
}

void HttpWriter::field(std::string_view name, std::string_view value) {
  is_expressible_ = is_expressible_ && is_token(name) && is_field_value(value);
  out_.append(name).append(kColon).append(value).append(kLineEnd);
}

void HttpWriter::content_length(std::uint64_t bytes) {
  constexpr std::string_view kName = "Content-Length: ";
  out_.append(kName);
  append_number(out_, bytes, 10);
  out_.append(kLineEnd);
}

bool HttpWriter::end_head() {
  if (is_expressible_) {
    out_.append(kLineEnd);
  } else {
    out_.resize(begin_);
  }
  return is_expressible_;
}

void HttpWriter::chunk(std::string& out, std::string_view bytes) {
  if (bytes.empty()) return;
  append_number(out, bytes.size(), 16);
  out.append(kLineEnd).append(bytes).append(kLineEnd);
}

void HttpWriter::last_chunk(std::string& out) {
  out.append("0\r\n\r\n");
}

std::string_view reason_phrase(int status) {
  const auto found = std::find_if(kPhrases.begin(), kPhrases.end(),
                                  [status](const auto& entry) { return entry.first == status; });
  return found == kPhrases.end() ? "Unknown" : found->second;
}

std::string_view describe(HttpFault fault) {
  switch (fault) {
    case HttpFault::kNone:
      return "nothing is wrong";
    case HttpFault::kNotHttp:
      return "the first line is not one of HTTP/1.1";
    case HttpFault::kVersion:
      return "its version of HTTP is not 1.1";
    case HttpFault::kHeadTooLong:
      return "the head is too long";
    case HttpFault::kTooManyFields:
      return "the head has too many fields";
    case HttpFault::kNoColon:
      return "a field has no colon";
    case HttpFault::kNoName:
      return "a field has no name";
    case HttpFault::kBlankInName:
      return "the name of a field has a blank in it, or before its colon";
    case HttpFault::kBadName:
      return "the name of a field has a byte that no name may have";
    case HttpFault::kFolded:
      return "a field goes on in the next line";
    case HttpFault::kBareCarriageReturn:
      return "a carriage return stands without a line feed";
    case HttpFault::kBareLineFeed:
      return "a line feed stands without a carriage return";
    case HttpFault::kNul:
      return "there is a NUL in it";
    case HttpFault::kBadLength:
      return "Content-Length is not a plain number";
    case HttpFault::kSeveralLengths:
      return "there is more than one Content-Length";
    case HttpFault::kLengthAndCoding:
      return "Content-Length and Transfer-Encoding stand together";
    case HttpFault::kUnknownCoding:
      return "Transfer-Encoding is not 'chunked' alone";
    case HttpFault::kBodyTooLong:
      return "the body is too long";
    case HttpFault::kBadChunkSize:
      return "a chunk has no size";
    case HttpFault::kBadChunkEnd:
      return "a chunk is longer than its size";
    case HttpFault::kChunkLinesTooLong:
      return "the sizes and extensions of its chunks are too long";
    case HttpFault::kTooManyInterims:
      return "there are too many answers of status 1xx before the answer";
    case HttpFault::kCutOff:
      return "the connection ended in the middle";
  }
  return {};
}

}  // namespace assay::wire
