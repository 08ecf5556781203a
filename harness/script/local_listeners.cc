#include "harness/script/local_listeners.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "harness/script/listener_diagnosis.h"

namespace assay::harness {
namespace {

constexpr std::string_view kListening = "0A";  // a state of the table

template <typename Number>
std::optional<Number> from_hex(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Addresses stand in the table as 32-bit words in the byte order of the machine.
std::optional<std::array<std::uint32_t, 4>> words_of(std::string_view hex) {
  std::array<std::uint32_t, 4> words{};
  if (hex.size() != 8 && hex.size() != 32) return std::nullopt;
  for (std::size_t i = 0; i * 8 < hex.size(); ++i) {
    const auto word = from_hex<std::uint32_t>(hex.substr(i * 8, 8));
    if (!word) return std::nullopt;
    words.at(i) = *word;
  }
  return words;
}

// The fourth field of a row. Told without a copy: a busy machine has many thousand rows.
std::string_view state_of(std::string_view row) {
  std::string_view field;
  for (int i = 0; i < 4; ++i) {
    row.remove_prefix(std::min(row.find_first_not_of(' '), row.size()));
    field = row.substr(0, row.find(' '));
    row.remove_prefix(field.size());
  }
  return field;
}

std::optional<Listener> read_address(std::string_view hex) {
  const auto words = words_of(hex);
  if (!words) return std::nullopt;
  return listener_at(hex.size() == 8 ? AF_INET : AF_INET6, words->data());
}

void read_table(const char* path, std::uint16_t port, std::vector<Listener>& listeners) {
  std::ifstream file(path);
  std::string table;
  std::string line;
  std::getline(file, line);  // the names of the columns
  while (std::getline(file, line)) {
    if (state_of(line) == kListening) table += line + "\n";
  }
  for (Listener& listener : parse_listeners(table, port)) listeners.push_back(std::move(listener));
}

void add_of_family(int family, const char* path, std::uint16_t port,
                   std::vector<Listener>& listeners) {
  auto diagnosed = diagnosed_listeners(family, port);
  if (!diagnosed) return read_table(path, port, listeners);
  for (Listener& listener : *diagnosed) listeners.push_back(std::move(listener));
}

}  // namespace

std::optional<Listener> listener_at(int family, const void* bytes) {
  char text[INET6_ADDRSTRLEN] = "";
  if (::inet_ntop(family, bytes, text, sizeof text) == nullptr) return std::nullopt;
  const std::string address(text);
  const bool is_loopback =
      address == "::1" || address.starts_with("127.") || address.starts_with("::ffff:127.");
  return Listener{address, is_loopback};
}

std::vector<Listener> parse_listeners(std::string_view table, std::uint16_t port) {
  std::vector<Listener> listeners;
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string number, local, remote, state;
    if (!(fields >> number >> local >> remote >> state) || state != kListening) continue;
    const std::size_t colon = local.find(':');
    if (colon == std::string::npos) continue;
    if (from_hex<std::uint16_t>(std::string_view(local).substr(colon + 1)) != port) continue;
    if (auto listener = read_address(std::string_view(local).substr(0, colon))) {
      listeners.push_back(*std::move(listener));
    }
  }
  return listeners;
}

std::vector<Listener> local_listeners(std::uint16_t port) {
  std::vector<Listener> listeners;
  add_of_family(AF_INET, "/proc/net/tcp", port, listeners);
  add_of_family(AF_INET6, "/proc/net/tcp6", port, listeners);
  return listeners;
}

}  // namespace assay::harness
