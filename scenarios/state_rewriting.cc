#include "scenarios/state_rewriting.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "reference/wire/base64.h"
#include "reference/wire/pkce.h"

namespace assay::scenarios {
namespace {

std::optional<std::string> read_hex(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (text.empty() || text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t high = kDigits.find(text[i]);
    const std::size_t low = kDigits.find(text[i + 1]);
    if (high == kDigits.npos || low == kDigits.npos) return std::nullopt;
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

std::string write_hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

std::optional<std::string> as_it_is(std::string_view text) {
  return std::string(text);
}

std::string with_name(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// How a state, or a part of one between dots, may be written.
struct Writing {
  std::optional<std::string> (*read)(std::string_view text);
  std::string (*write)(std::string_view bytes);
};
// Base64 without padding may be of either kind; what has parts is mostly of that for URLs.
constexpr std::array kWritings = {
    Writing{read_hex, write_hex}, Writing{wire::decode_base64url, wire::encode_base64url},
    Writing{wire::decode_base64, wire::encode_base64},
    Writing{as_it_is, [](std::string_view text) { return std::string(text); }}};

// What a state may be sealed by that needs no key: SHA-256.
std::string sum_of(std::string_view text) {
  return wire::decode_base64url(wire::s256_challenge(text)).value_or("");
}
constexpr std::size_t kSumDigits = 64;

std::vector<std::string> parts_of(std::string_view state) {
  std::vector<std::string> parts;
  while (true) {
    const std::string_view part = state.substr(0, state.find('.'));
    parts.emplace_back(part);
    if (part.size() == state.size()) return parts;
    state.remove_prefix(part.size() + 1);
  }
}

std::string joined_by_dots(const std::vector<std::string>& parts) {
  std::string text = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) text += '.' + parts[i];
  return text;
}

// A part that is the sum of another one as it was becomes that of the other one as it is.
void renew_sums(const std::vector<std::string>& before, std::vector<std::string>& now,
                const Writing& writing) {
  for (std::size_t sum = 0; sum < before.size(); ++sum) {
    for (std::size_t of = 0; of < before.size(); ++of) {
      if (before[of] == now[of]) continue;
      for (const Writing& how : kWritings) {
        if (before[sum] == how.write(sum_of(before[of]))) now[sum] = how.write(sum_of(now[of]));
        const auto read = writing.read(before[of]);
        const auto changed = writing.read(now[of]);
        if (!read || !changed || before[sum] != how.write(sum_of(*read))) continue;
        now[sum] = how.write(sum_of(*changed));
      }
    }
  }
}

// The same without dots: the sum's digits stand behind the text.
std::optional<std::string> text_before_sum(std::string_view state) {
  if (state.size() <= kSumDigits) return std::nullopt;
  const std::string_view text = state.substr(0, state.size() - kSumDigits);
  if (write_hex(sum_of(text)) != state.substr(text.size())) return std::nullopt;
  return std::string(text);
}

}  // namespace

std::optional<std::string> state_renamed(const std::string& state, std::string_view own,
                                         std::string_view other) {
  if (const auto text = text_before_sum(state)) {
    const auto renamed = state_renamed(*text, own, other);
    if (!renamed) return std::nullopt;
    return *renamed + write_hex(sum_of(*renamed));
  }
  const std::vector<std::string> before = parts_of(state);
  for (const Writing& writing : kWritings) {
    std::vector<std::string> now = before;
    for (std::string& part : now) {
      const auto read = writing.read(part);
      const bool names = read && read->find(own) != std::string::npos;
      if (names) part = writing.write(with_name(*read, own, other));
    }
    if (now == before) continue;
    renew_sums(before, now, writing);
    return joined_by_dots(now);
  }
  return std::nullopt;
}

}  // namespace assay::scenarios
