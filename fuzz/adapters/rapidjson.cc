// RapidJSON, with its defaults.
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "fuzz/adapter.h"

extern "C" AssayVerdict assay_adapter_parse(const char* bytes, size_t size, AssayPut put,
                                            void* context) {
  rapidjson::Document document;
  document.Parse(bytes, size);
  if (document.HasParseError()) return ASSAY_REFUSE;
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  if (document.Accept(writer)) put(context, buffer.GetString(), buffer.GetSize());
  return ASSAY_ACCEPT;
}
