// Boost.JSON, with its defaults: the one-shot parser, and the one that takes chunks.
#include <boost/json/src.hpp>
#include <string>

#include "fuzz/adapter.h"

extern "C" AssayVerdict assay_adapter_parse(const char* bytes, size_t size, AssayPut put,
                                            void* context) {
  boost::json::error_code error;
  const boost::json::value value = boost::json::parse({bytes, size}, error);
  if (error) return ASSAY_REFUSE;
  const std::string text = boost::json::serialize(value);
  put(context, text.data(), text.size());
  return ASSAY_ACCEPT;
}

extern "C" void* assay_adapter_open() {
  return new boost::json::stream_parser;
}

extern "C" AssayVerdict assay_adapter_feed(void* opened, const char* bytes, size_t size) {
  boost::json::error_code error;
  static_cast<boost::json::stream_parser*>(opened)->write(bytes, size, error);
  return error ? ASSAY_REFUSE : ASSAY_ACCEPT;
}

extern "C" AssayVerdict assay_adapter_close(void* opened) {
  auto* const parser = static_cast<boost::json::stream_parser*>(opened);
  boost::json::error_code error;
  parser->finish(error);
  delete parser;
  return error ? ASSAY_REFUSE : ASSAY_ACCEPT;
}
