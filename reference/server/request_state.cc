#include "reference/server/request_state.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "reference/transport/random_id.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "reference/wire/peer_json.h"

namespace assay::server {
namespace {

constexpr std::size_t kMarkDigits = 64;  // of 256 bits

std::string to_hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

// Of lower case digits, as to_hex() writes them: no state has two spellings.
std::optional<std::string> from_hex(std::string_view text) {
  const auto value_of = [](char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
  };
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = value_of(text[i]);
    const int low = value_of(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// What makes a request this one: its method and params, without what differs from round to round.
std::string salient(const wire::Message& request) {
  Json params = request.params();
  if (params.is_object()) {
    for (const char* key : {"_meta", "inputResponses", "requestState"}) params.erase(key);
  }
  return std::string(request.method()) + '\n' + wire::encode(params);
}

// As it was written, where nobody unsealed has changed it.
bool is_whole(const Json& content) {
  return content.is_object() && content.contains("data") && content.contains("request") &&
         content.contains("user") && content.contains("until") &&
         content["until"].is_number_integer();
}

}  // namespace

StateSeal::StateSeal(const Switches& switches)
    : key_(transport::random_id() + transport::random_id()), switches_(switches) {}

bool StateSeal::has(Switch which) const {
  return switches_.test(static_cast<std::size_t>(which));
}

std::string StateSeal::mark(std::string_view text) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), bytes.data(), &size);
  return to_hex({reinterpret_cast<const char*>(bytes.data()), size});
}

std::string StateSeal::seal_of(std::string_view text) const {
  if (!has(Switch::kSealsStateBySum)) return mark(text);
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha256(), nullptr);
  return to_hex({reinterpret_cast<const char*>(bytes.data()), size});
}

std::string StateSeal::name_of(std::string_view user) const {
  if (has(Switch::kNamesUserBehindState)) return "";
  const bool is_plain = has(Switch::kBelievesNameInState) || has(Switch::kSealsStateBySum);
  return is_plain ? std::string(user) : mark(user);
}

std::string StateSeal::seal(const wire::Message& request, std::string_view user, const Json& data,
                            std::chrono::milliseconds ttl) const {
  const Json content = {{"data", data},
                        {"until", now() + ttl.count()},
                        {"request", mark(salient(request))},
                        {"user", name_of(user)}};
  const std::string text = to_hex(wire::encode(content));
  const std::string state = text + seal_of(text);
  return has(Switch::kNamesUserBehindState) ? state + '.' + std::string(user) : state;
}

std::optional<Json> StateSeal::open(const wire::Message& request, std::string_view user,
                                    std::string_view state) const {
  if (has(Switch::kNamesUserBehindState)) {
    const std::size_t dot = std::min(state.find('.'), state.size());
    if (state.substr(std::min(dot + 1, state.size())) != user) return std::nullopt;
    state = state.substr(0, dot);
  }
  if (state.size() < kMarkDigits) return std::nullopt;
  const std::string_view text = state.substr(0, state.size() - kMarkDigits);
  const std::string expected = seal_of(text);
  // In the same time for every mark, so that none can be guessed digit by digit.
  const bool is_sealed =
      CRYPTO_memcmp(expected.data(), state.substr(text.size()).data(), kMarkDigits) == 0;
  if (!is_sealed && !has(Switch::kBelievesNameInState)) return std::nullopt;
  const std::optional<std::string> bytes = from_hex(text);
  const Json content = bytes ? wire::parse_of_peer(*bytes) : Json(nullptr);
  if (!is_whole(content)) return std::nullopt;
  const bool is_expired = content.at("until").get<std::int64_t>() < now();
  if (is_expired && !has(Switch::kTakesStateForEver)) return std::nullopt;
  const bool is_of_it = content.at("request") == mark(salient(request));
  if (!is_of_it && !has(Switch::kTakesStateOfOthers)) return std::nullopt;
  const bool is_of_user = content.at("user") == name_of(user);
  if (!is_of_user && !has(Switch::kTakesStateOfOtherUsers)) return std::nullopt;
  return content.at("data");
}

}  // namespace assay::server
