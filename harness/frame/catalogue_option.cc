#include "harness/frame/catalogue_option.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "harness/catalogue/catalogue.h"
#include "harness/frame/command.h"

namespace assay::cli {
namespace {

// The whole text as a number; 0 for anything else.
int number_of(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

}  // namespace

int parse_catalogue_option(const std::string& text) {
  const int latest = number_of(catalogue::version());
  const int version = number_of(text);
  if (version >= 1 && version <= latest) return version;
  throw UsageError(
      fmt::format("unknown version '{}' of the catalogue; known: 1 to {}", text, latest));
}

}  // namespace assay::cli
