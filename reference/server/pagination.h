// Pages of lists. Specification: server/utilities/pagination.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "reference/server/answer.h"
#include "reference/server/context.h"

namespace assay::server {

struct Page {
  std::size_t begin = 0;  // [begin, end) of the whole list
  std::size_t end = 0;
  std::optional<std::string> next;  // the cursor of the next page, if there is one
};

// The page that `params` asks for, of a list with `size` items. A cursor that this server did not
// give out for the list named `list` is refused.
std::variant<Page, Refusal> find_page(const Context& context, const Json& params,
                                      std::string_view list, std::size_t size);

// {`key`: the items of the page, "nextCursor": ...}. `item(i)` gives the JSON of the i-th item.
template <typename Item>
Answer paginate(const Context& context, const Json& params, const char* key, std::size_t size,
                Item item) {
  std::variant<Page, Refusal> found = find_page(context, params, key, size);
  if (auto* refusal = std::get_if<Refusal>(&found)) return std::move(*refusal);
  const Page& page = std::get<Page>(found);
  Json items = Json::array();
  for (std::size_t i = page.begin; i < page.end; ++i) items.push_back(item(i));
  Json result = {{key, std::move(items)}};
  if (page.next) result["nextCursor"] = *page.next;
  return result;
}

}  // namespace assay::server
