#include "reference/server/pagination.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "reference/server/handlers.h"

namespace assay::server {
namespace {

constexpr std::size_t kCursorDigits = 16;
// Tasks come and go, and each is looked at when it is listed: their pages are shorter than others.
constexpr std::size_t kMostTasksOfPage = 10;

// FNV-1a over the list's name and the position: a cursor names both and carries no more than it
// needs to tell a cursor of ours from anything else. It guards nothing.
std::uint32_t seal(std::string_view list, std::uint32_t position) {
  std::uint32_t hash = 2166136261u;
  const auto take = [&hash](unsigned char byte) { hash = (hash ^ byte) * 16777619u; };
  for (const char c : list) take(static_cast<unsigned char>(c));
  for (int shift = 0; shift < 32; shift += 8) take(static_cast<unsigned char>(position >> shift));
  return hash;
}

std::string to_cursor(std::string_view list, std::size_t position) {
  const auto place = static_cast<std::uint32_t>(position);
  const std::uint32_t mark = seal(list, place);
  // The position is hidden behind the seal, so that nobody is tempted to count with it.
  const std::uint64_t number = (std::uint64_t{mark} << 32) | (place ^ mark);
  std::string cursor(kCursorDigits, '0');
  char digits[kCursorDigits];
  const auto end = std::to_chars(digits, digits + kCursorDigits, number, 16).ptr;
  std::copy_backward(digits, end, cursor.data() + cursor.size());
  return cursor;
}

std::optional<std::size_t> from_cursor(std::string_view list, std::string_view cursor) {
  if (cursor.size() != kCursorDigits) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(cursor.data(), cursor.data() + cursor.size(), number, 16);
  if (error != std::errc() || end != cursor.data() + cursor.size()) return std::nullopt;
  const auto mark = static_cast<std::uint32_t>(number >> 32);
  const std::uint32_t place = static_cast<std::uint32_t>(number) ^ mark;
  if (seal(list, place) != mark) return std::nullopt;
  return place;
}

}  // namespace

std::variant<Page, Refusal> find_page(const Context& context, const Json& params,
                                      std::string_view list, std::size_t size) {
  std::size_t begin = 0;
  if (const auto found = params.find("cursor"); found != params.end()) {
    const auto position =
        found->is_string() ? from_cursor(list, found->get_ref<const std::string&>()) : std::nullopt;
    if (!position && !context.options().has(Switch::kAcceptsAnyCursor)) {
      return invalid_params("Invalid cursor");
    }
    begin = std::min(position.value_or(0), size);
  }
  const std::size_t most = list == "tasks" ? std::min(context.options().page_size, kMostTasksOfPage)
                                           : context.options().page_size;
  Page page{begin, std::min(size, begin + most), std::nullopt};
  if (page.end < size) page.next = to_cursor(list, page.end);
  if (!page.next && context.options().has(Switch::kCursorNeverEnds)) page.next = to_cursor(list, 0);
  return page;
}

}  // namespace assay::server
