#include "fuzz/live/target/ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "fuzz/live/target/text.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using wire::Message;
using wire::MessageKind;

constexpr double kLargestExact = 9007199254740992.0;  // 2^53: beyond it parsers differ

bool has_only_known_members(const Json& json) {
  return std::all_of(json.items().begin(), json.items().end(), [](const auto& member) {
    return member.key() == "jsonrpc" || member.key() == "id" || member.key() == "method" ||
           member.key() == "params";
  });
}

}  // namespace

std::string id_key(const wire::Id& id) {
  switch (id.kind()) {
    case wire::Id::Kind::kString: {
      const Json value = wire::to_json(id);
      return "s" + (value.is_string() ? value.get<std::string>() : id.json_text());
    }
    case wire::Id::Kind::kInteger:
    case wire::Id::Kind::kNumber:
      // Adding zero makes one of the two zeroes.
      return fmt::format("n{:.17g}", std::strtod(id.json_text().c_str(), nullptr) + 0.0);
    case wire::Id::Kind::kNull:
    case wire::Id::Kind::kOther:
      return "o" + id.json_text();
  }
  return "";
}

std::vector<std::string> ids_in(std::string_view line) {
  static constexpr std::string_view kName = "\"id\"";
  constexpr std::size_t kMost = 2000;
  std::vector<std::string> keys;
  std::size_t at = line.find(kName);
  for (; at != std::string_view::npos && keys.size() < kMost; at = line.find(kName, at + 1)) {
    std::size_t begin = line.find_first_not_of(" \t\r\n:", at + kName.size());
    if (begin == std::string_view::npos) break;
    std::size_t end = begin;
    if (line[begin] == '"') {
      end = begin + 1;
      while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, line.size());
    } else {
      end = std::min(line.find_first_of(",}] \t\r\n", begin), line.size());
    }
    keys.push_back(id_key(wire::Id::from_json_text(std::string(line.substr(begin, end - begin)))));
  }
  return keys;
}

bool is_plain_request(const Message& message) {
  if (message.kind() != MessageKind::kRequest || !message.notices().empty()) return false;
  const std::string_view bytes = message.bytes();
  if (bytes.size() > kLongestPlain || bytes.find('\r') != std::string_view::npos) return false;
  if (!message.id() || !message.id()->is_valid()) return false;
  if (message.id()->kind() == wire::Id::Kind::kInteger &&
      std::abs(std::strtod(message.id()->json_text().c_str(), nullptr)) >= kLargestExact) {
    return false;
  }
  if (message.has_params() && !message.params().is_object()) return false;
  return nesting(bytes) <= kDeepestPlain && has_only_known_members(message.json());
}

}  // namespace assay::fuzz
