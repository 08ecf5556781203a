/* cJSON, as its documentation calls it for text of a known length. */
#include <cjson/cJSON.h>
#include <string.h>

#include "fuzz/adapter.h"

static int is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

enum AssayVerdict assay_adapter_parse(const char* bytes, size_t size, AssayPut put, void* context) {
  const char* end = NULL;
  cJSON* const value = cJSON_ParseWithLengthOpts(bytes, size, &end, 0);
  if (value == NULL) return ASSAY_REFUSE;
  enum AssayVerdict verdict = ASSAY_ACCEPT;
  /* The library leaves what follows the value to its caller. */
  for (; end < bytes + size; ++end) {
    if (!is_space(*end)) verdict = ASSAY_REFUSE;
  }
  char* const text = verdict == ASSAY_ACCEPT ? cJSON_PrintUnformatted(value) : NULL;
  if (text != NULL) {
    put(context, text, strlen(text));
    cJSON_free(text);
  }
  cJSON_Delete(value);
  return verdict;
}
