/* json-c: its tokener, which takes chunks, not strict by default. */
#include <json-c/json.h>
#include <stdlib.h>

#include "fuzz/adapter.h"

struct Parser {
  json_tokener* tokener;
  json_object* value;
  int is_done;
  int has_failed;
};

static int is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void* assay_adapter_open(void) {
  struct Parser* const parser = calloc(1, sizeof *parser);
  parser->tokener = json_tokener_new();
  return parser;
}

enum AssayVerdict assay_adapter_feed(void* opened, const char* bytes, size_t size) {
  struct Parser* const parser = opened;
  size_t at = 0;
  if (!parser->is_done && size > 0) {
    parser->value = json_tokener_parse_ex(parser->tokener, bytes, (int)size);
    const enum json_tokener_error error = json_tokener_get_error(parser->tokener);
    if (error == json_tokener_continue) return ASSAY_ACCEPT;
    if (error != json_tokener_success) {
      parser->has_failed = 1;
      return ASSAY_REFUSE;
    }
    parser->is_done = 1;
    at = json_tokener_get_parse_end(parser->tokener);
  }
  /* The library leaves what follows the value to its caller. */
  for (; at < size; ++at) {
    if (!is_space(bytes[at])) parser->has_failed = 1;
  }
  return parser->has_failed ? ASSAY_REFUSE : ASSAY_ACCEPT;
}

/* A number is known to be whole only when something follows it: the NUL that ends a string in C. */
static enum AssayVerdict finish(struct Parser* parser) {
  if (!parser->is_done && !parser->has_failed) assay_adapter_feed(parser, "", 1);
  return parser->is_done && !parser->has_failed ? ASSAY_ACCEPT : ASSAY_REFUSE;
}

enum AssayVerdict assay_adapter_close(void* opened) {
  struct Parser* const parser = opened;
  const enum AssayVerdict verdict = finish(parser);
  json_object_put(parser->value);
  json_tokener_free(parser->tokener);
  free(parser);
  return verdict;
}

enum AssayVerdict assay_adapter_parse(const char* bytes, size_t size, AssayPut put, void* context) {
  struct Parser* const parser = assay_adapter_open();
  assay_adapter_feed(parser, bytes, size);
  if (finish(parser) == ASSAY_ACCEPT) {
    size_t length = 0;
    const char* const text =
        json_object_to_json_string_length(parser->value, JSON_C_TO_STRING_PLAIN, &length);
    put(context, text, length);
  }
  return assay_adapter_close(parser);
}
