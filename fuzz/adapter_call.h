// Calls an adapter from C++.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/adapter.h"
#include "harness/parsers/comparison.h"

extern "C" {
#pragma weak assay_adapter_level
#pragma weak assay_adapter_open
#pragma weak assay_adapter_feed
#pragma weak assay_adapter_close
}

namespace assay::fuzz {

inline harness::ParserLevel adapter_level() {
  const bool is_message =
      assay_adapter_level != nullptr && assay_adapter_level() == ASSAY_LEVEL_MESSAGE;
  return is_message ? harness::ParserLevel::kMessage : harness::ParserLevel::kJson;
}

inline harness::ParserAnswer call_adapter(std::string_view bytes) {
  harness::ParserAnswer answer;
  const AssayPut put = [](void* context, const char* json, std::size_t size) {
    static_cast<harness::ParserAnswer*>(context)->canonical.emplace(json, size);
  };
  answer.accepts = assay_adapter_parse(bytes.data(), bytes.size(), put, &answer) == ASSAY_ACCEPT;
  if (!answer.accepts) answer.canonical.reset();
  return answer;
}

inline bool takes_chunks() {
  return assay_adapter_open != nullptr && assay_adapter_feed != nullptr &&
         assay_adapter_close != nullptr;
}

// The verdict on `bytes` in chunks of at most `longest` bytes.
inline bool accepts_in_chunks(std::string_view bytes, std::size_t longest) {
  void* const parser = assay_adapter_open();
  bool is_good = true;
  while (!bytes.empty() && is_good) {
    const std::string chunk(bytes.substr(0, longest));  // exactly as long as it is, for sanitizers
    is_good = assay_adapter_feed(parser, chunk.data(), chunk.size()) == ASSAY_ACCEPT;
    bytes.remove_prefix(chunk.size());
  }
  return (assay_adapter_close(parser) == ASSAY_ACCEPT) && is_good;
}

}  // namespace assay::fuzz
