#include "reference/client/bugs/breakdown.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace assay::client {

// Without a core file.
void crash() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::abort();
}

void hang() {
  while (true) ::pause();
}

void spin() {
  std::atomic<int> turns = 0;
  while (true) ++turns;
}

int depth_of(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

bool has_number_beyond(const Json& message, std::string_view name, double most) {
  if (!message.is_structured()) return false;
  for (const auto& [key, value] : message.items()) {
    if (key == name && value.is_number() && value.get<double>() > most) return true;
    if (has_number_beyond(value, name, most)) return true;
  }
  return false;
}

Json parsed(std::string_view text) {
  constexpr int kDeepest = 400;  // what follows it goes down by calling itself
  if (depth_of(text) > kDeepest) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace assay::client
