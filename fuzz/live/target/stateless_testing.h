// What a server of a revision without a handshake offers, for tests.
#pragma once

#include "fuzz/live/target/vocabulary.h"
#include "harness/script/stateless_connection.h"

namespace assay::fuzz {

inline Vocabulary stateless_words() {
  Vocabulary words;
  words.revision = model::Revision::v2026_07_28;
  words.request_meta = harness::request_meta(words.revision);
  words.is_modern_only = true;
  words.capabilities = {{"tools", Json::object()}, {"resources", {{"subscribe", true}}}};
  words.tools.push_back(
      {{"name", "read"},
       {"inputSchema",
        {{"type", "object"},
         {"properties", {{"place", {{"type", "string"}, {"x-mcp-header", "Place"}}}}},
         {"required", {"place"}}}}});
  words.mirrored.note({{"tools", words.tools}});
  words.resources = {"test://a"};
  words.rounds.push_back({{{"jsonrpc", "2.0"},
                           {"method", "tools/call"},
                           {"params", {{"name", "read"}, {"arguments", {{"place", "here"}}}}}},
                          {{"who", {{"action", "accept"}, {"content", Json::object()}}}}});
  return words;
}

}  // namespace assay::fuzz
