/* jansson, with its defaults. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/adapter.h"

enum AssayVerdict assay_adapter_parse(const char* bytes, size_t size, AssayPut put, void* context) {
  json_error_t error;
  json_t* const value = json_loadb(bytes, size, 0, &error);
  if (value == NULL) return ASSAY_REFUSE;
  char* const text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
  if (text != NULL) {
    put(context, text, strlen(text));
    free(text);
  }
  json_decref(value);
  return ASSAY_ACCEPT;
}
