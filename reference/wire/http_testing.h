// What a parser of HTTP says, as text that tests compare.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/wire/http.h"

namespace assay::wire {

inline std::string text_of(const HttpParser& parser) {
  std::string text = parser.method().empty()
                         ? std::to_string(parser.status())
                         : std::string(parser.method()) + " " + std::string(parser.target());
  for (const HttpField& field : parser.fields()) {
    text += "|" + std::string(field.name) + "=" + std::string(field.value);
  }
  return text;
}

// What a parser makes of some bytes in pieces of that size: a line for each head, body, end, fault.
inline std::vector<std::string> read_all(HttpParser parser, std::string_view bytes,
                                         std::size_t piece, bool closes = false) {
  std::vector<std::string> seen;
  std::string body;
  const auto take = [&](HttpParser::Event event) {
    switch (event) {
      case HttpParser::Event::kMore:
        return false;
      case HttpParser::Event::kInterim:
        seen.push_back("interim " + text_of(parser));
        return true;
      case HttpParser::Event::kHead:
        seen.push_back(text_of(parser));
        return true;
      case HttpParser::Event::kBody:
        body += parser.body();
        return true;
      case HttpParser::Event::kEnd: {
        std::string end = "end";
        for (const HttpField& field : parser.fields()) end += "|" + std::string(field.name);
        seen.push_back(std::exchange(body, "") + " " + end + (parser.keeps_open() ? "" : " close"));
        return true;
      }
      case HttpParser::Event::kBroken:
        if (!body.empty()) seen.push_back(std::exchange(body, ""));
        seen.emplace_back(describe(parser.fault()));
        return false;
    }
    return false;
  };
  while (!bytes.empty()) {
    std::string copy(bytes.substr(0, piece));  // of its own, so that a view kept too long is seen
    bytes.remove_prefix(copy.size());
    std::string_view rest = copy;
    while (take(parser.next(rest))) {
    }
    if (parser.fault() != HttpFault::kNone) return seen;
  }
  if (closes) take(parser.finish());
  return seen;
}

inline std::vector<std::string> read_requests(std::string_view bytes,
                                              HttpParser::Limits limits = {}) {
  return read_all(HttpParser(HttpParser::Role::kRequests, limits), bytes, bytes.size());
}

inline std::vector<std::string> read_responses(std::string_view bytes, bool closes = false) {
  return read_all(HttpParser(HttpParser::Role::kResponses), bytes, bytes.size(), closes);
}

}  // namespace assay::wire
