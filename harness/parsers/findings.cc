#include "harness/parsers/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::harness {

bool ParserFindings::add(const Disagreement& disagreement, std::string_view bytes,
                         std::string_view canonical) {
  const auto [found, is_new] = all_.try_emplace(disagreement);
  Example& example = found->second;
  ++example.seen;
  if (!is_new && example.bytes.size() <= bytes.size()) return false;
  example.bytes = bytes;
  example.canonical = canonical;
  return true;
}

void ParserFindings::replace(const Disagreement& disagreement, std::string bytes,
                             std::string canonical) {
  const auto found = all_.find(disagreement);
  if (found == all_.end()) return;
  found->second.bytes = std::move(bytes);
  found->second.canonical = std::move(canonical);
}

std::string minimize(std::string bytes, std::size_t most_asked,
                     const std::function<bool(const std::string&)>& still) {
  std::size_t asked = 0;
  for (std::size_t piece = std::max<std::size_t>(bytes.size() / 2, 1); piece > 0; piece /= 2) {
    for (std::size_t at = 0; at < bytes.size();) {
      if (asked++ >= most_asked) return bytes;
      std::string smaller = bytes;
      smaller.erase(at, piece);
      if (still(smaller)) {
        bytes = std::move(smaller);
      } else {
        at += piece;
      }
    }
  }
  return bytes;
}

std::string printable_bytes(std::string_view bytes, std::size_t most) {
  std::string text;
  for (const char c : bytes) {
    if (text.size() >= most) return text + "...";
    if (c == '\\') {
      text += "\\";
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    }
  }
  return text;
}

std::string to_text(const Disagreement& disagreement, const ParserFindings::Example& example) {
  std::string text = fmt::format("{} {}: {}", name(disagreement.kind), disagreement.what,
                                 printable_bytes(example.bytes));
  if (disagreement.kind == Disagreement::Kind::kChanges) {
    text += fmt::format(" becomes {}", printable_bytes(example.canonical));
  }
  return text;
}

}  // namespace assay::harness
