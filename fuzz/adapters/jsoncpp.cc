// JsonCpp, with the reader that its documentation recommends and its defaults.
#include <json/json.h>

#include <memory>
#include <string>

#include "fuzz/adapter.h"

extern "C" AssayVerdict assay_adapter_parse(const char* bytes, size_t size, AssayPut put,
                                            void* context) {
  static const Json::CharReaderBuilder builder;
  const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
  Json::Value value;
  std::string errors;
  try {
    if (!reader->parse(bytes, bytes + size, &value, &errors)) return ASSAY_REFUSE;
  } catch (const Json::Exception&) {
    return ASSAY_REFUSE;  // it throws where its stack limit is passed
  }
  Json::StreamWriterBuilder writer;
  writer["indentation"] = "";
  const std::string text = Json::writeString(writer, value);
  put(context, text.data(), text.size());
  return ASSAY_ACCEPT;
}
