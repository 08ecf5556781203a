// Telling by its name that a field is for a secret.
//
// Specification: client/elicitation, "User Interaction Model"; of 2026-07-28 server/tools,
// "x-mcp-header".
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace assay::harness {

// Names of fields that can mean nothing but a secret. Letters only, lower case.
inline constexpr std::string_view kSecrets[] = {
    "password",   "passwd",     "passphrase",   "apikey",           "accesstoken",
    "secretkey",  "privatekey", "clientsecret", "creditcardnumber", "creditcard",
    "cardnumber", "cvv",        "cvc",          "refreshtoken",     "bearertoken",
};

inline std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return letters;
}

inline bool names_a_secret(std::string_view field) {
  const std::string letters = letters_of(field);
  return std::any_of(std::begin(kSecrets), std::end(kSecrets),
                     [&](std::string_view secret) { return letters == secret; });
}

// The same with more ahead of it: "database_password".
inline bool ends_with_a_secret(std::string_view field) {
  constexpr std::size_t kShortest = 6;  // shorter ones end other words
  const std::string letters = letters_of(field);
  return std::any_of(std::begin(kSecrets), std::end(kSecrets), [&](std::string_view secret) {
    return secret.size() >= kShortest && letters.ends_with(secret);
  });
}

// Words in which a user is asked for a secret.
inline bool speaks_of_a_secret(std::string_view words) {
  const std::string letters = letters_of(words);
  return std::any_of(std::begin(kSecrets), std::end(kSecrets), [&](std::string_view secret) {
    return secret.size() > 3 && letters.find(secret) != std::string::npos;
  });
}

}  // namespace assay::harness
