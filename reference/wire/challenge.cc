#include "reference/wire/challenge.h"

#include <algorithm>

#include "reference/wire/http_text.h"

namespace assay::wire {
namespace {

// More than any server has reason to send.
constexpr std::size_t kMostChallenges = 16;
constexpr std::size_t kMostParameters = 64;

class ChallengeReader {
 public:
  explicit ChallengeReader(std::string_view text) : text_(text) {}

  std::vector<Challenge> read() {
    std::vector<Challenge> challenges;
    skip_commas();
    while (!text_.empty() && challenges.size() < kMostChallenges) {
      const std::string_view scheme = take_token();
      if (scheme.empty()) break;
      Challenge& challenge = challenges.emplace_back();
      challenge.scheme = scheme;
      if (!read_parameters(challenge)) break;
      skip_commas();
    }
    return challenges;
  }

  bool is_at_end() const { return text_.empty(); }

 private:
  void skip_blanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t"), text_.size()));
  }
  void skip_commas() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t,"), text_.size()));
  }
  std::string_view take_token() {
    std::size_t length = 0;
    while (length < text_.size() && is_token(text_.substr(length, 1))) ++length;
    const std::string_view token = text_.substr(0, length);
    text_.remove_prefix(length);
    return token;
  }

  // False where the text is none of a challenge. A token without "=" behind it is the scheme of the
  // next challenge, and is left where it is.
  bool read_parameters(Challenge& challenge) {
    for (std::size_t count = 0; count < kMostParameters; ++count) {
      skip_commas();
      const std::string_view before = text_;
      const std::string_view name = take_token();
      skip_blanks();
      if (name.empty() || !text_.starts_with('=')) {
        text_ = before;
        return !name.empty() || text_.empty();
      }
      text_.remove_prefix(1);
      skip_blanks();
      // The end of a token68, such as "abc==": the scheme has that in place of parameters.
      if (text_.empty() || text_.starts_with('=') || text_.starts_with(',')) {
        text_.remove_prefix(std::min(text_.find_first_not_of('='), text_.size()));
        return true;
      }
      auto value = take_value();
      if (!value) return false;
      std::string key(name);
      std::transform(key.begin(), key.end(), key.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      challenge.parameters.emplace_back(std::move(key), *std::move(value));
    }
    return false;
  }

  std::optional<std::string> take_value() {
    if (!text_.starts_with('"')) {
      const std::string_view token = take_token();
      if (token.empty()) return std::nullopt;
      return std::string(token);
    }
    std::string value;
    for (std::size_t i = 1; i < text_.size(); ++i) {
      if (text_[i] == '"') {
        text_.remove_prefix(i + 1);
        return value;
      }
      if (text_[i] == '\\' && ++i == text_.size()) break;
      value += text_[i];
    }
    return std::nullopt;
  }

  std::string_view text_;
};

}  // namespace

bool Challenge::is_of(std::string_view other_scheme) const {
  return equals_without_case(scheme, other_scheme);
}

std::optional<std::string> Challenge::parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<Challenge> read_challenges(std::string_view field) {
  return ChallengeReader(field).read();
}

bool breaks_off_in(std::string_view field, std::string_view scheme) {
  ChallengeReader reader(field);
  const std::vector<Challenge> challenges = reader.read();
  const bool is_too_much =
      challenges.size() == kMostChallenges ||
      (!challenges.empty() && challenges.back().parameters.size() == kMostParameters);
  return !reader.is_at_end() && !is_too_much && !challenges.empty() &&
         challenges.back().is_of(scheme);
}

std::string write_challenge(const Challenge& challenge) {
  std::string text = challenge.scheme;
  for (const auto& [name, value] : challenge.parameters) {
    text += text.size() == challenge.scheme.size() ? " " : ", ";
    text += name + "=\"";
    for (const char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text;
}

}  // namespace assay::wire
