// Header values and addresses that a stranger may send, into what reads them: Accept, Origin, Host,
// Content-Type, Last-Event-ID, MCP-Protocol-Version, and the URLs of endpoints. The first byte
// chooses the reader.
//
// Each is compared with a second, plainer reading, or with itself after a change that must not
// matter.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"
#include "reference/model/revision.h"
#include "reference/transport/accept.h"
#include "reference/transport/http_conduct.h"
#include "reference/transport/http_guard.h"
#include "reference/transport/http_url.h"
#include "reference/transport/sse_body.h"

namespace {

using assay::fuzz::require;
using namespace assay::transport;

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

void check_accept(const std::string& value) {
  for (const char* type : {"application/json", "text/event-stream"}) {
    const bool is_accepted = accepts({{"Accept", value}}, type);
    require(is_accepted == accepts({{"aCCEPT", upper(value)}}, type), "case does not matter");
    require(accepts({{"Accept", value + ", */*"}}, type), "what also accepts all accepts this");
    require(is_accepted == accepts({{"Accept", "x/y"}, {"Accept", value}}, type),
            "several headers are one list");
    const std::string small = lower_case(value);
    const bool is_named = small.find(type) != std::string::npos ||
                          small.find("*/*") != std::string::npos ||
                          small.find("/*") != std::string::npos;
    require(is_named || !is_accepted, "what is not named is not accepted");
  }
}

// The names that mean this machine: nothing else may pass, however it is written.
bool is_local(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]" || host == "ours.example";
}

void check_origin(const std::string& value) {
  const std::string host = host_name(value);
  require(host == host_name(upper(value)), "a host name has no case");
  require(host == host_name(host) || host.find("://") != std::string::npos,
          "the host of a host is itself");
  require(host.find_first_of("/?#") == std::string::npos, "a host has no path");
  static const HttpConduct conduct;
  static const HttpGuard guard({"Ours.example"}, conduct);
  for (const char* header : {"Origin", "Host"}) {
    const auto refusal = guard.check_origin({"POST", "/mcp", 0, {{header, value}}});
    require(refusal.has_value() == !is_local(host), "strangers are refused, and only they");
    require(!refusal || refusal->status == 403, "with 403");
  }
}

void check_content_type(const std::string& value) {
  const std::string type = media_type({{"content-type", value}});
  require(type == media_type({{"Content-Type", upper(value) + "; charset=utf-8"}}),
          "neither case nor parameters matter");
  require(type.find(';') == std::string::npos, "a media type has no parameters");
}

void check_event_id(const std::string& value) {
  const auto place = parse_event_id(value);
  if (!place) return;
  const auto again = parse_event_id(to_event_id(*place));
  require(again && again->stream == place->stream && again->sequence == place->sequence,
          "an event id survives being written");
}

void check_revision(const std::string& value) {
  const auto revision = assay::model::Revision::parse(value);
  require(!revision || revision->text() == value, "a revision is written in one way");
}

void check_url(const std::string& value) {
  const std::size_t cut = value.find('\n');
  const auto url = HttpUrl::parse(value.substr(0, cut));
  if (const auto* failure = std::get_if<Failure>(&url)) {
    require(!failure->detail.empty(), "a refusal says why");
    return;
  }
  const auto& read = std::get<HttpUrl>(url);
  require(!read.host.empty(), "a URL has a host");
  require(read.target.find_first_of("\r\n ") == std::string::npos, "no target breaks a request");
  require(read.authority().find_first_of("\r\n ") == std::string::npos, "no host breaks one");
  const auto again = HttpUrl::parse(read.text());
  const auto* copy = std::get_if<HttpUrl>(&again);
  require(copy != nullptr && *copy == read, "a URL survives being written");
  if (cut == std::string::npos) return;
  const auto resolved = read.resolve(value.substr(cut + 1));
  if (const auto* other = std::get_if<HttpUrl>(&resolved)) {
    require(other->target.find_first_of("\r\n ") == std::string::npos, "nor a resolved one");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string value(assay::fuzz::view(data + 1, size - 1));
  switch (data[0] % 6) {
    case 0:
      check_accept(value);
      break;
    case 1:
      check_origin(value);
      break;
    case 2:
      check_content_type(value);
      break;
    case 3:
      check_event_id(value);
      break;
    case 4:
      check_revision(value);
      break;
    default:
      check_url(value);
  }
  return 0;
}
