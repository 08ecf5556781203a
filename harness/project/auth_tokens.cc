#include "harness/project/auth_tokens.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "harness/frame/command.h"
#include "reports/escape.h"
#include "reports/output.h"
#include "reports/redact.h"

namespace assay::cli {
namespace {

using harness::UserToken;

constexpr std::string_view kDefaultUser = "default";
constexpr std::size_t kLongestUser = 80;

bool is_in_field(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

// In a token '=' stands at the end only (RFC 6750, b64token), so what it ends with names nobody.
std::size_t end_of_user(std::string_view text) {
  const std::size_t equals = text.find('=');
  const bool is_padding =
      equals != std::string_view::npos && text.find_first_not_of('=', equals) == text.npos;
  return is_padding ? std::string_view::npos : equals;
}

UserToken::Standing standing_of(std::string_view user) {
  if (user == harness::kForeignName) return UserToken::Standing::kForeign;
  if (user == harness::kExpiredName) return UserToken::Standing::kExpired;
  return UserToken::Standing::kGood;
}

void warn_of_readers(const std::string& path) {
  struct ::stat status {};
  constexpr unsigned kOthers = S_IRGRP | S_IROTH;
  if (::stat(path.c_str(), &status) != 0 || (status.st_mode & kOthers) == 0) return;
  if (!S_ISREG(status.st_mode)) return;
  fmt::print(stderr,
             "mcp-assay: other users can read the tokens in '{}' (chmod 600 keeps them out)\n",
             reports::printable_line(path));
}

}  // namespace

UserToken parse_auth_token(const std::string& text, const std::string& what) {
  const std::size_t end = end_of_user(text);
  UserToken token;
  token.user = end == std::string::npos ? std::string(kDefaultUser) : text.substr(0, end);
  token.text = end == std::string::npos ? text : text.substr(end + 1);
  token.standing = standing_of(token.user);
  if (token.user.empty() || token.user.size() > kLongestUser || !is_in_field(token.user)) {
    throw UsageError(fmt::format("{} is NAME=TOKEN, or a token alone", what));
  }
  if (token.text.size() < reports::kShortestSecret || !is_in_field(token.text)) {
    throw UsageError(fmt::format("{} holds no token: {} visible characters at least, and no blanks",
                                 what, reports::kShortestSecret));
  }
  return token;
}

void check_auth_tokens(const std::vector<UserToken>& tokens, const std::string& what) {
  if (tokens.empty()) return;
  if (std::none_of(tokens.begin(), tokens.end(), [](const auto& each) { return each.is_good(); })) {
    throw UsageError(
        fmt::format("{}: one of the tokens has to be a user's that the server takes", what));
  }
  for (auto one = tokens.begin(); one != tokens.end(); ++one) {
    const auto other = std::find_if(one + 1, tokens.end(),
                                    [&](const UserToken& each) { return each.text == one->text; });
    if (other == tokens.end()) continue;
    throw UsageError(fmt::format("{}: '{}' and '{}' have the same token", what,
                                 reports::printable_line(one->user),
                                 reports::printable_line(other->user)));
  }
}

std::vector<UserToken> read_auth_tokens(const std::vector<std::string>& texts,
                                        const std::string& file) {
  std::vector<UserToken> tokens;
  for (const std::string& text : texts) tokens.push_back(parse_auth_token(text, "--auth-token"));
  if (file.empty()) {
    check_auth_tokens(tokens, "--auth-token");
    return tokens;
  }
  const reports::FileText read = reports::read_file(file);
  if (!read.error.empty()) throw UsageError(read.error);
  warn_of_readers(file);
  const std::string shown = reports::printable_line(reports::cut(file, 80));
  std::istringstream lines(read.text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    tokens.push_back(parse_auth_token(line, fmt::format("'{}', line {}", shown, number)));
  }
  if (tokens.empty()) throw UsageError(fmt::format("'{}' holds no token", shown));
  check_auth_tokens(tokens, fmt::format("'{}'", shown));
  return tokens;
}

}  // namespace assay::cli
