/* A parser of JSON, or of JSON-RPC messages, for the fuzzer that compares it with ours.
 *
 * Implement assay_adapter_parse(); assay_adapter_level and the three functions of a parser that
 * takes its input in chunks are optional. adapters/README.md tells how to build a fuzzer with one
 * command, or with CMake.
 *
 * This file is C, so that anything with a C ABI can implement it. */
#ifndef ASSAY_FUZZ_ADAPTER_H_
#define ASSAY_FUZZ_ADAPTER_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum AssayVerdict { ASSAY_REFUSE = 0, ASSAY_ACCEPT = 1 };

/* Takes the value that was read, as JSON text: call it at most once, with all of it, before you
 * return ASSAY_ACCEPT. The bytes are copied. */
typedef void (*AssayPut)(void* context, const char* json, size_t size);

/* Parses all of `bytes` as one text: anything behind the value but white space is to be refused.
 * The bytes are not ended by a NUL, may hold any, and are not yours after you return. Without a way
 * to write values, ignore `put`; `context` is for it alone. */
enum AssayVerdict assay_adapter_parse(const char* bytes, size_t size, AssayPut put, void* context);

/* What the parser takes: 0 any JSON text (the default), 1 JSON-RPC messages and batches only. */
#define ASSAY_LEVEL_JSON 0
#define ASSAY_LEVEL_MESSAGE 1
int assay_adapter_level(void);

/* A parser that takes its input in chunks: however it is cut, the verdict must be the same. open()
 * gives a new parser; after close(), which gives the verdict, it is gone. A refusal may come early:
 * a feed() that returns ASSAY_REFUSE is not followed by another. */
void* assay_adapter_open(void);
enum AssayVerdict assay_adapter_feed(void* parser, const char* bytes, size_t size);
enum AssayVerdict assay_adapter_close(void* parser);

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_FUZZ_ADAPTER_H_ */
