/* loopmem: durable, local-first memory for coding agents. Generated; see docs/ABI.md.
 *
 * Threads. Every function may be called from any thread at any time. A call blocks only while it waits for a lock, at
 * most for the configured time, and ends early when its cancel request is triggered.
 *
 * Ownership. What the host passes in is read during the call and still belongs to the host. A loopmem_buffer that the
 * library fills in belongs to the host, which frees it with loopmem_buffer_free. Stores and cancel requests are
 * numbers: using one after it was closed is LOOPMEM_MISUSE and never a crash.
 *
 * Aliasing. Output pointers that are passed to one call must not overlap.
 *
 * Failures. The library neither unwinds into the host nor aborts on a bug; a bug in it is LOOPMEM_INTERNAL.
 *
 * Functions of the host. A host may provide an adapter, a logger and a tokenizer for a store: tables of
 *   functions with a ctx.
 *   Threads: a function is called on the thread of the call that needs it, and concurrently if several threads call;
 *     the data behind ctx must be thread-safe. Calls that change one scope run one after the other.
 *   Lifetimes: loopmem_open copies the tables. The functions and ctx are used from then until destroy, which is called
 *     exactly once, after the store was closed and the last of its calls has ended: by loopmem_close or by that call,
 *     on its thread. If loopmem_open fails, nothing was taken and destroy is not called.
 *   Ownership: the arguments of a function belong to the library and are valid until the function returns. What it
 *     passes to loopmem_host_answer and loopmem_host_fail is copied at once and still belongs to the host.
 *   Calls from within: an adapter's function may call loopmem, also on the store that called it, but not on the scope
 *     that it was called for: that is LOOPMEM_MISUSE. On another thread, such a call must set
 *     loopmem_call_options.within, or it would wait for itself until it times out. A logger's function and destroy may
 *     call anything; for destroy, its own store is already closed. A function may close its own store.
 *   Failures: a function returns its failure. It must not exit by an exception or longjmp: that is undefined behaviour.
 *     loopmem.hpp catches exceptions. A function that takes too long is not interrupted: it holds up the calls on its
 *     scope, which give up after their time-out.
 */

#ifndef LOOPMEM_H
#define LOOPMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Every kind of error: X(status, NAME, Code, "what it means"). */
#define LOOPMEM_ERRORS(X) \
  X(1, VALIDATION_ERROR, ValidationError, "The caller passed invalid input; nothing was written.") \
  X(2, PARSE_ERROR, ParseError, "A stored file is damaged; it was not changed.") \
  X(3, IO_ERROR, IOError, "The operating system refused to read, write or sync a file.") \
  X(4, RENAME_ERROR, RenameError, "A new version of a file was written but could not replace the old one, which is unchanged.") \
  X(5, LOCK_ACQUISITION_ERROR, LockAcquisitionError, "A lock could not be acquired within the timeout; try again with back-off.") \
  X(6, SECRET_REFUSED, SecretRefused, "A secret was found where it can neither be stored nor redacted, such as in an id.") \
  X(7, NOT_FOUND, NotFound, "Nothing with this id or name exists.") \
  X(8, CONFLICT, Conflict, "The id is already in use, or the data was changed concurrently.") \
  X(9, LEASE_LOST, LeaseLost, "The lease expired, or another worker owns it now.") \
  X(10, ADAPTER_ERROR, AdapterError, "A server or the host's adapter failed.") \
  X(11, GIT_ERROR, GitError, "The git repository could not be read or written.") \
  X(12, UNSUPPORTED, Unsupported, "This platform or build does not support the operation.") \
  X(13, CANCELLED, Cancelled, "The caller cancelled the call; nothing was written, unless `mayBeStored` says so.") \
  X(14, FORMAT_TOO_NEW, FormatTooNew, "A file was written by a newer version of loopmem; it was not changed.") \
  X(15, MISUSE, Misuse, "The library was used incorrectly, such as by a call on a closed store.") \
  X(16, INTERNAL, Internal, "A bug in loopmem; the call was aborted and the process continues.")

/** What functions return: 0, or a kind of error. Append-only. */
enum {
  LOOPMEM_OK = 0,
  /** The caller passed invalid input; nothing was written. */
  LOOPMEM_VALIDATION_ERROR = 1,
  /** A stored file is damaged; it was not changed. */
  LOOPMEM_PARSE_ERROR = 2,
  /** The operating system refused to read, write or sync a file. */
  LOOPMEM_IO_ERROR = 3,
  /** A new version of a file was written but could not replace the old one, which is unchanged. */
  LOOPMEM_RENAME_ERROR = 4,
  /** A lock could not be acquired within the timeout; try again with back-off. */
  LOOPMEM_LOCK_ACQUISITION_ERROR = 5,
  /** A secret was found where it can neither be stored nor redacted, such as in an id. */
  LOOPMEM_SECRET_REFUSED = 6,
  /** Nothing with this id or name exists. */
  LOOPMEM_NOT_FOUND = 7,
  /** The id is already in use, or the data was changed concurrently. */
  LOOPMEM_CONFLICT = 8,
  /** The lease expired, or another worker owns it now. */
  LOOPMEM_LEASE_LOST = 9,
  /** A server or the host's adapter failed. */
  LOOPMEM_ADAPTER_ERROR = 10,
  /** The git repository could not be read or written. */
  LOOPMEM_GIT_ERROR = 11,
  /** This platform or build does not support the operation. */
  LOOPMEM_UNSUPPORTED = 12,
  /** The caller cancelled the call; nothing was written, unless `mayBeStored` says so. */
  LOOPMEM_CANCELLED = 13,
  /** A file was written by a newer version of loopmem; it was not changed. */
  LOOPMEM_FORMAT_TOO_NEW = 14,
  /** The library was used incorrectly, such as by a call on a closed store. */
  LOOPMEM_MISUSE = 15,
  /** A bug in loopmem; the call was aborted and the process continues. */
  LOOPMEM_INTERNAL = 16,
};


/**
 * The version of this ABI. It is incremented when functions or members are added; nothing is ever removed or changed.
 */
#define LOOPMEM_ABI_VERSION 5

/**
 * A routine operation. Levels can be compared; later versions may have others in between.
 */
#define LOOPMEM_LOG_DEBUG 10

/**
 * A less frequent operation.
 */
#define LOOPMEM_LOG_INFO 20

/**
 * A condition that someone should know about but that stops nothing.
 */
#define LOOPMEM_LOG_WARN 30

/**
 * A call failed.
 */
#define LOOPMEM_LOG_ERROR 40

/**
 * 0 is success; any other number is one of `LOOPMEM_…_ERROR`. Later versions may return numbers that this header does
 * not know.
 */
typedef int32_t loopmem_status;

/**
 * A call of one of the host's functions, valid until that function returns. A plain number, like `loopmem_store`.
 */
typedef struct loopmem_host_call {
  /**
   * The slot and its generation. Opaque to hosts.
   */
  uint64_t id;
} loopmem_host_call;

/**
 * The host's own storage for working contexts, logs and checkpoints. Set `size` to `sizeof(loopmem_adapter)` and
 * functions that are not offered to zero; later versions append members, as for `loopmem_host`.
 *
 * Each function returns `LOOPMEM_OK`, or any other number if it failed: the call of loopmem then fails with
 * `AdapterError`, whose cause is the text that the function passed to `loopmem_host_fail`. A function returns its
 * result through `loopmem_host_answer`. Keys, values and items are UTF-8 with a length and without a NUL terminator;
 * values and items are JSON. They belong to the library and are valid until the function returns. See the top of this
 * header for threads, lifetimes and calls from within.
 */
typedef struct loopmem_adapter {
  /**
   * `sizeof(loopmem_adapter)` as the host was compiled.
   */
  size_t size;
  /**
   * Passed as the first argument of every function. The library does not look at it.
   */
  void *ctx;
  /**
   * Answers with the value under `key`; with nothing if there is none.
   */
  loopmem_status (*get)(void *ctx, struct loopmem_host_call call, const char *key, size_t key_length);
  /**
   * Stores `value` under `key`, replacing any previous value.
   */
  loopmem_status (*set)(void *ctx,
                        struct loopmem_host_call call,
                        const char *key,
                        size_t key_length,
                        const char *value,
                        size_t value_length);
  /**
   * Deletes the value or the list under `key`. A missing key is not a failure.
   */
  loopmem_status (*del)(void *ctx, struct loopmem_host_call call, const char *key, size_t key_length);
  /**
   * Appends `item` to the list under `key`, which is created if it does not exist.
   */
  loopmem_status (*push)(void *ctx,
                         struct loopmem_host_call call,
                         const char *key,
                         size_t key_length,
                         const char *item,
                         size_t item_length);
  /**
   * Answers once for each item of the list under `key`, in the order in which they were pushed.
   */
  loopmem_status (*get_list)(void *ctx,
                             struct loopmem_host_call call,
                             const char *key,
                             size_t key_length);
  /**
   * Called with `ctx` exactly once, after the store was closed and the last of its calls has ended. May be NULL.
   */
  void (*destroy)(void *ctx);
  /**
   * Optional: stores `value` under `key` if the current value is still `expected`, and reports in `*is_set` whether
   * it did. `expected` is what was answered, byte for byte except for white space around it, which is dropped; NULL
   * if there was no value. Without this function, a change that another process or another store makes between a
   * read and a write is lost.
   */
  loopmem_status (*compare_and_set)(void *ctx,
                                    struct loopmem_host_call call,
                                    const char *key,
                                    size_t key_length,
                                    const char *expected,
                                    size_t expected_length,
                                    const char *value,
                                    size_t value_length,
                                    bool *is_set);
  /**
   * Optional: as `get_list`, from the item `start` on, counted from the end if it is negative: -2 is the last two,
   * or all if there are fewer. Without this function, reading the last entries of a log reads all of it.
   */
  loopmem_status (*get_range)(void *ctx,
                              struct loopmem_host_call call,
                              const char *key,
                              size_t key_length,
                              int64_t start);
  /**
   * Optional: answers once for each key that begins with `prefix`, with the key itself and not as JSON. Without this
   * function, `working.listScopes` is `Unsupported`.
   */
  loopmem_status (*list_keys)(void *ctx,
                              struct loopmem_host_call call,
                              const char *prefix,
                              size_t prefix_length);
} loopmem_adapter;

/**
 * The host's logger, which is called after each call. Set `size` to `sizeof(loopmem_logger)`; later versions append
 * members, as for `loopmem_host`.
 */
typedef struct loopmem_logger {
  /**
   * `sizeof(loopmem_logger)` as the host was compiled.
   */
  size_t size;
  /**
   * Passed as the first argument of every function. The library does not look at it.
   */
  void *ctx;
  /**
   * Receives a sentence for people, and a JSON object with the same information for programs; neither contains a
   * secret. `level` is one of `LOOPMEM_LOG_…`. Called on the thread of the call that it reports, when that call is
   * over and holds no lock: it may call loopmem. Both texts are UTF-8 with a length and without a NUL terminator,
   * and valid until the function returns.
   */
  void (*log)(void *ctx,
              int32_t level,
              const char *message,
              size_t message_length,
              const char *payload,
              size_t payload_length);
  /**
   * Called with `ctx` exactly once, after the store was closed and the last of its calls has ended. May be NULL.
   */
  void (*destroy)(void *ctx);
} loopmem_logger;

/**
 * The host's tokenizer, which counts tokens for limits in tokens such as `maxTokens` of `items.recall`. Set `size` to
 * `sizeof(loopmem_tokenizer)`; later versions append members, as for `loopmem_host`.
 */
typedef struct loopmem_tokenizer {
  /**
   * `sizeof(loopmem_tokenizer)` as the host was compiled.
   */
  size_t size;
  /**
   * Passed as the first argument of every function. The library does not look at it.
   */
  void *ctx;
  /**
   * Sets `*tokens` to the number of tokens of `text`, which is UTF-8 with a length and without a NUL terminator, and
   * valid until the function returns. Returns `LOOPMEM_OK`, or any other number if it failed, as the functions of an
   * adapter do. Called on the thread of the call that needs it, while no lock is held.
   */
  loopmem_status (*count)(void *ctx,
                          struct loopmem_host_call call,
                          const char *text,
                          size_t text_length,
                          size_t *tokens);
  /**
   * Called with `ctx` exactly once, after the store was closed and the last of its calls has ended. May be NULL.
   */
  void (*destroy)(void *ctx);
} loopmem_tokenizer;

/**
 * What a host provides to a store. Set `size` to `sizeof(loopmem_host)` and the rest to zero; later versions append
 * members. An older library accepts them if they are zero, and otherwise returns `Unsupported`.
 */
typedef struct loopmem_host {
  /**
   * `sizeof(loopmem_host)` as the host was compiled.
   */
  size_t size;
  /**
   * Where to store working contexts, instead of what is configured. NULL: as configured. The table is read by
   * `loopmem_open` and not kept; its functions and its `ctx` are used until `destroy`.
   */
  const struct loopmem_adapter *adapter;
  /**
   * The logger. NULL: none. Read and used like the adapter.
   */
  const struct loopmem_logger *logger;
  /**
   * The tokenizer. NULL: tokens are estimated, rather too many. Read and used like the adapter.
   */
  const struct loopmem_tokenizer *tokenizer;
} loopmem_host;

/**
 * An open store. A plain number: copy it freely, use it from any thread. All zeros is not a store.
 */
typedef struct loopmem_store {
  /**
   * The slot and its generation. Opaque to hosts.
   */
  uint64_t id;
} loopmem_store;

/**
 * Text allocated by the library: `length` bytes of UTF-8, followed by a NUL that `length` does not count.
 *
 * It belongs to the host, which must free it with `loopmem_buffer_free`.
 */
typedef struct loopmem_buffer {
  /**
   * The text; NULL if there is none.
   */
  char *data;
  /**
   * Its length in bytes.
   */
  size_t length;
} loopmem_buffer;

/**
 * A cancel request, shared by any number of calls. A plain number, like `loopmem_store`.
 */
typedef struct loopmem_cancel {
  /**
   * The slot and its generation. Opaque to hosts.
   */
  uint64_t id;
} loopmem_cancel;

/**
 * Options of a single call. Set `size` to `sizeof(loopmem_call_options)` and the rest to zero for the
 * defaults; later versions append members, as for `loopmem_host`.
 */
typedef struct loopmem_call_options {
  /**
   * `sizeof(loopmem_call_options)` as the host was compiled.
   */
  size_t size;
  /**
   * The maximum time that the call waits in total, in milliseconds: for locks, and for a server or an adapter. 0: as
   * configured.
   */
  uint32_t timeout_ms;
  /**
   * The cancel request; all zeros: none.
   */
  struct loopmem_cancel cancel;
  /**
   * For a call that a function of the host's adapter makes on a different thread than it was called on: the `call`
   * that it was passed. All zeros: none. On the same thread, the library recognizes such a call without it.
   */
  struct loopmem_host_call within;
  /**
   * Receives what the call redacted, as a JSON list of `Redaction`; empty if it redacted nothing or failed. Like an
   * answer, it belongs to the host, which frees it with `loopmem_buffer_free`, and is written by every call whose options
   * can be read. NULL: not asked for.
   */
  struct loopmem_buffer *redactions;
  /**
   * Called with `progress_ctx`, the number of completed steps and the total while a long call runs. Calls that bring the
   * index of a repository up to date report the files that were read, out of those to read: at most 101 times, first 0,
   * last all. It runs on the thread of the call, which waits for it and may hold locks: calls of loopmem that it makes
   * are `LOOPMEM_MISUSE`, but it may trigger a cancel request. NULL: not asked for.
   */
  void (*progress)(void *progress_ctx, uint64_t done, uint64_t total);
  /**
   * Passed to `progress`. The library does not look at it.
   */
  void *progress_ctx;
} loopmem_call_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, such as `0.1.0`. Static; not to be freed.
 */
const char *loopmem_version(void);

/**
 * The `LOOPMEM_ABI_VERSION` of the library, to compare with the header's.
 */
uint32_t loopmem_abi_version(void);

/**
 * The code of a status, such as `ValidationError`; `OK` for 0, `Unknown` for an unknown number. Static.
 */
const char *loopmem_status_code(loopmem_status status);

/**
 * Opens a store.
 *
 * `options` is a JSON object (`StoreOptions` in the method reference) of `options_length` bytes, or NULL and 0 for the
 * defaults. `host` may be NULL. On success `*store` is the store and `*answer` is empty. On failure `*answer` is the
 * error as JSON, and the host keeps ownership of what it provided: nothing of it is destroyed. `answer` may be NULL.
 *
 * # Safety
 * Pointers are NULL or valid for the lengths passed with them.
 */
loopmem_status loopmem_open(const char *options,
                            size_t options_length,
                            const struct loopmem_host *host,
                            struct loopmem_store *store,
                            struct loopmem_buffer *answer);

/**
 * Closes a store. Calls in progress finish; later ones are `Misuse`, and so is closing it again.
 *
 * What the host provided is destroyed by this function, or by the last of those calls when it ends.
 */
loopmem_status loopmem_close(struct loopmem_store store);

/**
 * Calls `method` (NUL-terminated) with the JSON object `params` of `params_length` bytes, or NULL and 0 for none.
 *
 * On success `*answer` is the result as JSON, on failure the error as JSON; in both cases, free it with
 * `loopmem_buffer_free`. `options` and `answer` may be NULL. Blocks while it waits for a lock; any number of threads
 * may call at once.
 *
 * # Safety
 * Pointers are NULL or valid for the lengths passed with them.
 */
loopmem_status loopmem_call(struct loopmem_store store,
                            const char *method,
                            const char *params,
                            size_t params_length,
                            const struct loopmem_call_options *options,
                            struct loopmem_buffer *answer);

/**
 * Frees a buffer and empties it. NULL and an empty buffer are fine; a buffer is never freed twice.
 *
 * # Safety
 * `buffer` is NULL or valid, and its contents are as the library left them.
 */
void loopmem_buffer_free(struct loopmem_buffer *buffer);

/**
 * Answers a call of the host with a text of `length` bytes, which is copied at once: the value, or one more item or
 * key of a list.
 *
 * May be called from any thread until the host's function returns; after that, or if the function has no answer to
 * give, it is `Misuse`. A text that is not a valid answer is `ValidationError`. If this function returns anything but
 * `LOOPMEM_OK`, the host's function fails, too.
 *
 * # Safety
 * `data` is NULL or valid for `length` bytes.
 */
loopmem_status loopmem_host_answer(struct loopmem_host_call call,
                                   const char *data,
                                   size_t length);

/**
 * Sets the reason why a call of the host fails, as text for people of `length` bytes, which is copied at once. Returns
 * `LOOPMEM_ADAPTER_ERROR`, for the function to return in turn.
 *
 * May be called from any thread until the host's function returns; after that, it is `Misuse`. Of several reasons the
 * last counts.
 *
 * # Safety
 * `data` is NULL or valid for `length` bytes.
 */
loopmem_status loopmem_host_fail(struct loopmem_host_call call,
                                 const char *data,
                                 size_t length);

/**
 * Creates a cancel request, to be passed to calls. All zeros if no more can be created.
 */
struct loopmem_cancel loopmem_cancel_new(void);

/**
 * Cancels every call that was given this request and is waiting: such a call returns `Cancelled`. May be called from
 * any thread.
 */
loopmem_status loopmem_cancel_request(struct loopmem_cancel cancel);

/**
 * Frees a cancel request. Calls that were given it continue.
 */
loopmem_status loopmem_cancel_free(struct loopmem_cancel cancel);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------------------------------------
 * The typed functions: one for every method, static inline, on top of loopmem_call. Zero-initialize params structs;
 * NULL means absent. Texts are UTF-8 and NUL-terminated. `answer` is as for loopmem_call.
 * ------------------------------------------------------------------------------------------------------------------ */

/** A JSON writer. Used by the typed functions; not for hosts. */
typedef struct loopmem_json {
  char *data;
  size_t length;
  size_t capacity;
  bool failed;
} loopmem_json;

static inline void loopmem_json_bytes(loopmem_json *json, const char *bytes, size_t length) {
  if (json->failed) return;
  if (json->length + length > json->capacity) {
    size_t capacity = (json->length + length) * 2 + 64;
    char *data = (char *)realloc(json->data, capacity);
    if (data == NULL) {
      json->failed = true;
      return;
    }
    json->data = data;
    json->capacity = capacity;
  }
  memcpy(json->data + json->length, bytes, length);
  json->length += length;
}

static inline void loopmem_json_text(loopmem_json *json, const char *text) {
  static const char hex[] = "0123456789abcdef";
  const char *start = text;
  loopmem_json_bytes(json, "\"", 1);
  for (; *text != '\0'; text++) {
    unsigned char byte = (unsigned char)*text;
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    loopmem_json_bytes(json, start, (size_t)(text - start));
    if (byte < 0x20) {
      char escape[6];
      memcpy(escape, "\\u00", 4);
      escape[4] = hex[byte >> 4];
      escape[5] = hex[byte & 15];
      loopmem_json_bytes(json, escape, sizeof escape);
    } else {
      loopmem_json_bytes(json, "\\", 1);
      loopmem_json_bytes(json, text, 1);
    }
    start = text + 1;
  }
  loopmem_json_bytes(json, start, (size_t)(text - start));
  loopmem_json_bytes(json, "\"", 1);
}

static inline void loopmem_json_texts(loopmem_json *json, const char *const *texts, size_t count) {
  size_t index;
  loopmem_json_bytes(json, "[", 1);
  for (index = 0; index < count; index++) {
    if (index > 0) loopmem_json_bytes(json, ",", 1);
    if (texts[index] == NULL) {
      loopmem_json_bytes(json, "null", 4);
    } else {
      loopmem_json_text(json, texts[index]);
    }
  }
  loopmem_json_bytes(json, "]", 1);
}

static inline void loopmem_json_integer(loopmem_json *json, int64_t value) {
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%lld", (long long)value);
  loopmem_json_bytes(json, digits, (size_t)length);
}

/** A number that round-trips, with a decimal point in any locale. NaN and infinities become text. */
static inline void loopmem_json_number(loopmem_json *json, double value) {
  char local[40], digits[40];
  const char *at;
  size_t length = 0;
  snprintf(local, sizeof local, "%.15g", value);
  if (strtod(local, NULL) != value) snprintf(local, sizeof local, "%.17g", value);
  if (strpbrk(local, "nN") != NULL) {
    loopmem_json_text(json, local);
    return;
  }
  for (at = local; *at != '\0'; at++) {
    if (strchr("+-0123456789e", *at) != NULL) digits[length++] = *at;
    else if (length == 0 || digits[length - 1] != '.') digits[length++] = '.';
  }
  loopmem_json_bytes(json, digits, length);
}

static inline void loopmem_json_numbers(loopmem_json *json, const double *values, size_t count) {
  size_t index;
  loopmem_json_bytes(json, "[", 1);
  for (index = 0; index < count; index++) {
    if (index > 0) loopmem_json_bytes(json, ",", 1);
    loopmem_json_number(json, values[index]);
  }
  loopmem_json_bytes(json, "]", 1);
}

/** One JSON value. Anything else, or text after the value, becomes a string, which is refused in place of an object. */
static inline void loopmem_json_value(loopmem_json *json, const char *value) {
  const char *at;
  size_t depth = 0;
  bool is_text = false, is_one = true;
  for (at = value; *at != '\0' && is_one; at++) {
    if (is_text) {
      if (*at == '\\' && at[1] != '\0') at++;
      else if (*at == '"') is_text = false;
    } else if (*at == '"') {
      is_text = true;
    } else if (*at == '{' || *at == '[') {
      depth++;
    } else if (*at == '}' || *at == ']') {
      if (depth == 0) is_one = false;
      else depth--;
    } else if (*at == ',' && depth == 0) {
      is_one = false;
    }
  }
  if (is_one && depth == 0 && !is_text && at != value) {
    loopmem_json_bytes(json, value, (size_t)(at - value));
  } else {
    loopmem_json_text(json, value);
  }
}

static inline void loopmem_json_boolean(loopmem_json *json, bool value) {
  loopmem_json_bytes(json, value ? "true" : "false", value ? 4 : 5);
}

static inline void loopmem_json_key(loopmem_json *json, const char *key) {
  if (json->length > 0 && json->data[json->length - 1] != '{') loopmem_json_bytes(json, ",", 1);
  loopmem_json_text(json, key);
  loopmem_json_bytes(json, ":", 1);
}

/** If memory ran out, frees what was written and empties the answer. */
static inline bool loopmem_json_failed(loopmem_json *json, loopmem_buffer *answer) {
  if (!json->failed) return false;
  free(json->data);
  if (answer != NULL) {
    answer->data = NULL;
    answer->length = 0;
  }
  return true;
}

/** Calls `method` with what was written, and frees it. If memory ran out: LOOPMEM_IO_ERROR with an empty answer. */
static inline loopmem_status loopmem_json_call(loopmem_store store, const char *method, loopmem_json *json,
                                               const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_status status;
  if (loopmem_json_failed(json, answer)) return LOOPMEM_IO_ERROR;
  status = loopmem_call(store, method, json->data, json->length, options, answer);
  free(json->data);
  return status;
}

/**
 * A false positive of a rule. A finding must match all of `name`, `rule`, `field` and `tag` that are set, of which
 * there is at least one.
 */
typedef struct loopmem_allowance {
  /**
   * The name of the value, such as `sessionKey`, in any case and with or without `_`, `-` and `.`. Applies to what was
   * found because of its name.
   */
  const char *name;
  /** The id of the rule, such as `keyed-value`. */
  const char *rule;
  /** The path of the field in a record, such as `metadata.headers`, with everything below it. */
  const char *field;
  /** The tag of the value: a keyed hash, from its placeholder or from a scan with the same home. */
  const char *tag;
  /** Why it is no secret, for the people who read this later. */
  const char *reason;
} loopmem_allowance;

static inline void loopmem_allowance_write(loopmem_json *json, const loopmem_allowance *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->name != NULL) {
    loopmem_json_key(json, "name");
    loopmem_json_text(json, value->name);
  }
  if (value->rule != NULL) {
    loopmem_json_key(json, "rule");
    loopmem_json_text(json, value->rule);
  }
  if (value->field != NULL) {
    loopmem_json_key(json, "field");
    loopmem_json_text(json, value->field);
  }
  if (value->tag != NULL) {
    loopmem_json_key(json, "tag");
    loopmem_json_text(json, value->tag);
  }
  if (value->reason != NULL) {
    loopmem_json_key(json, "reason");
    loopmem_json_text(json, value->reason);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** The options of a store. All are optional; unknown keys are rejected. */
typedef struct loopmem_store_options {
  /** The folder in which everything is stored. Default: `CODEX_TOOLLOOP_HOME`, else `~/.codex-toolloop`. */
  const char *home;
  /**
   * The Codex home: global recallable items are in its folder `memory`, and what rollouts left in its folder
   * `memories`. Default: `CODEX_HOME`, else `~/.codex`.
   */
  const char *codex_home;
  /** The folder with the folders of the memories that are kept on git branches. Default: `/tmp/gh-aw/repo-memory`. */
  const char *branch_memory_root;
  /**
   * Whether each branch has a separate memory or all branches share one. Default: `MEMORY_BRANCH_SCOPE`, else
   * `perBranch`.
   */
  const char *branch_scope;
  /**
   * What identifies the memory of a detached HEAD: its `commit`, or the `branch` that the environment of a CI job
   * names. Default: `MEMORY_DETACHED`, else `commit`.
   */
  const char *detached;
  /**
   * The branch whose records other branches inherit, unless they have records with the same id or title of their own;
   * `default` is the repository's default branch, `none` turns it off. What is written is never inherited. Only for
   * repositories that are named by their folder, if each branch has a separate memory. Default: `MEMORY_INHERIT_FROM`,
   * else `default`.
   */
  const char *inherit_from;
  /** The maximum number of summaries in a context pack: the newest. Default: 10. */
  const int64_t *max_summaries_in_context;
  /** The maximum number of summaries that a repository keeps; beyond it the oldest are removed. Default: 100. */
  const int64_t *summaries_max_entries;
  /**
   * Whether summaries that are removed to make room for newer ones are kept in a file beside them, where a search finds
   * them. Default: false.
   */
  const bool *summaries_archive;
  /**
   * The maximum size of a repository's file of summaries, in bytes; beyond it the oldest are removed. At most
   * 251,658,240. Default: 1,048,576.
   */
  const int64_t *summaries_max_bytes;
  /** The maximum length of a summary, in bytes of UTF-8; at most 1,000,000. Default: 65,536. */
  const int64_t *summary_max_bytes;
  /** The maximum wait for a lock, in milliseconds. Default: 5,000. */
  const int64_t *lock_timeout_ms;
  /** The maximum wait for the lock of an append, in milliseconds. Default: 1,000. */
  const int64_t *append_timeout_ms;
  /**
   * How long a lock file must be unchanged, in milliseconds, before it is taken over from an owner of unknown state.
   * Only used on file systems without locks. Default: 10,000.
   */
  const int64_t *lock_stale_ms;
  /**
   * Whether a write fails with `RenameError` if a file cannot be replaced atomically, such as a bind-mounted file.
   * Otherwise, the file is overwritten in place, protected by a complete copy beside it. Default: false.
   */
  const bool *strong_atomicity;
  /** Regular expressions; what they match is redacted before anything is stored. Added to those of `config.toml`. */
  const char *const *redaction_patterns;
  /** How many `redaction_patterns` there are. */
  size_t redaction_patterns_count;
  /** False positives of rules, in addition to what `redaction.toml` allows. */
  const loopmem_allowance *allow;
  /** How many `allow` there are. */
  size_t allow_count;
  /**
   * Where working contexts are stored: `file`, `memory`, `sqlite`, or the URL of a Redis server. Default:
   * `WORKING_ADAPTER`, else `file`.
   */
  const char *adapter;
  /**
   * The prefix of every key on a Redis server. Braces in it keep all keys with this prefix on one node of a cluster.
   * Default: `{loopmem}:`.
   */
  const char *redis_prefix;
  /**
   * The hosts of the Redis cluster, as `HOST` or `HOST:PORT`, in addition to the host of the URL. A redirection to any
   * other host is an error, since that host would receive the password. Default: none.
   */
  const char *const *redis_hosts;
  /** How many `redis_hosts` there are. */
  size_t redis_hosts_count;
  /**
   * A PEM file of certificates to trust for `rediss://` URLs instead of the system's. Default: those that the system
   * trusts.
   */
  const char *redis_ca_file;
  /** The maximum wait for one response of a Redis server or of the host's adapter, in milliseconds. Default: 30,000. */
  const int64_t *adapter_timeout_ms;
  /** The maximum number of checkpoints that are kept of a job; beyond it the oldest are removed. Default: all. */
  const int64_t *checkpoints_max_entries;
  /**
   * The maximum age of a checkpoint, in milliseconds. Older ones are removed when the next one is saved; the newest is
   * always kept. Default: no limit.
   */
  const int64_t *checkpoints_max_age_ms;
  /** Where recallable items are stored. Default: `CODEX_MEMORY_BACKEND`, else `jsonl`. */
  const char *items_backend;
  /** The maximum length of an item's content, in Unicode scalar values; at most 100,000. Default: 240. */
  const int64_t *items_max_content_chars;
  /**
   * How many items of the repository and its folders must match before a recall leaves out the global ones. Default: 8.
   */
  const int64_t *recall_min_repo_candidates;
  /** The maximum number of items that a recall returns, at most 1,000. Default: 8. */
  const int64_t *recall_limit;
  /** The maximum length of a recall's preamble, in Unicode scalar values. Default: 1,200. */
  const int64_t *recall_max_chars;
  /**
   * The maximum length of the standing items in a recall's preamble, and in a context pack, in Unicode scalar values.
   * Default: 1,000.
   */
  const int64_t *recall_standing_chars;
  /** The score that a recalled item must at least have, from 0 to 1. Default: 0.15. */
  const double *recall_min_score;
  /**
   * Whether a recall also finds items with words of a similar meaning, such as `postgres` for `database`. Default:
   * true.
   */
  const bool *recall_near_words;
  /**
   * How much vectors count in relation to words, from 0 to 10. It is the weight of a vector that matches fully where
   * all others match not at all; with closer ones, or more words, they count less. Default: 3.
   */
  const double *recall_vector_weight;
  /**
   * How much better a recall ranks an item that was changed just now than an old one that matches as well, from 0 to 1.
   * Default: 0.05.
   */
  const double *recall_recency_weight;
  /**
   * How much better a recall ranks an item that is used often than one never used that matches as well, from 0 to 1.
   * Default: 0.05.
   */
  const double *recall_frequency_weight;
  /** Whether recallable items are bypassed: none is read, and writing one is an error. Default: false. */
  const bool *temporary;
  /**
   * Whether the index of a repository's files includes the repositories inside its work tree, such as submodules.
   * Default: false.
   */
  const bool *index_submodules;
  /**
   * Whether maps and symbols are of the files below the workspace alone, and not of the whole repository. Default:
   * false.
   */
  const bool *index_subtree;
  /** The maximum number of files that are indexed of a repository; at most 1,000,000. Default: 100,000. */
  const int64_t *index_max_files;
  /**
   * The maximum size of a file that is indexed, in bytes; of larger ones, the path alone is known. At most 67,108,864.
   * Default: 1,048,576.
   */
  const int64_t *index_max_file_bytes;
  /** How long a session must have been idle before its memory is extracted, in hours. Default: 12. */
  const int64_t *rollouts_min_idle_hours;
  /** How long ago a session may have changed last, in days, for its memory to be extracted. Default: 30. */
  const int64_t *rollouts_max_age_days;
  /**
   * The maximum number of sessions whose memory is being extracted, by all processes together; at most 10,000. Default:
   * 64.
   */
  const int64_t *rollouts_max_running;
  /** How long a claim lasts without a heartbeat, in seconds; at least 1. Default: 3,600. */
  const int64_t *rollouts_lease_secs;
  /** How often a session may be claimed before it changes; at least 1. Default: 3. */
  const int64_t *rollouts_attempts;
  /** How long a failed session or consolidation waits for the next attempt, in seconds. Default: 3,600. */
  const int64_t *rollouts_retry_delay_secs;
  /** The maximum number of sessions that one consolidation reads; at most 1,000. Default: 64. */
  const int64_t *rollouts_consolidation_inputs;
  /** For how long the memory of a session that is not used is consolidated, in days. Default: 30. */
  const int64_t *rollouts_max_unused_days;
  /** The maximum length of what changed since the last consolidation, in Unicode scalar values. Default: 60,000. */
  const int64_t *rollouts_diff_max_chars;
  /**
   * The maximum length of a transcript that a model is asked to read, in tokens of three bytes; at most 10,000,000.
   * Each failed attempt halves it. Default: 100,000.
   */
  const int64_t *rollouts_input_max_tokens;
  /** The sources of sessions whose memory is extracted. Default: `cli`, `vscode` and `claude`. */
  const char *const *rollouts_interactive_sources;
  /** How many `rollouts_interactive_sources` there are. */
  size_t rollouts_interactive_sources_count;
  /** The memory root: the folder for what past sessions left. Default: `memories` in the Codex home. */
  const char *rollouts_root;
  /**
   * Whether a context pack leaves out what sessions in other repositories left, but for what is about the user.
   * Default: true.
   */
  const bool *rollouts_same_repo;
  /**
   * The program that `rollouts.run` uses as the model unless it is given commands: `claude`, `codex`, `gemini` or
   * `ollama:MODEL`. Default: none.
   */
  const char *rollouts_with;
  /**
   * The maximum number of attempts to push a memory on a git branch while others push to it; from 1 to 1,000. Default:
   * 10.
   */
  const int64_t *branch_attempts;
  /** The branch of the remote on which the memory of a repository is synchronized. Default: `memory/loopmem`. */
  const char *sync_branch;
  /** Whether step summaries are synchronized too. Default: false. */
  const bool *sync_summaries;
  /**
   * Whether the global items are synchronized too, unless that was said for a repository. Everybody who can read its
   * remote can read them, and what others put there applies in all repositories. Default: false.
   */
  const bool *sync_global_items;
  /**
   * When hooks synchronize the memory of a repository that it is switched on for: `off`, or at the beginning and the
   * end of a `session`. Default: `off`.
   */
  const char *sync_auto;
  /**
   * For how many days records that were removed or replaced are kept in the trash, so that `undo.restore` can bring
   * them back; 0 turns the trash off. Default: 30.
   */
  const int64_t *trash_keep_days;
  /**
   * Whether records that a call replaces go to the trash too, and not only those that it removes. Default: false; the
   * command line sets it, but for `loopmem call`.
   */
  const bool *keep_replaced;
  /**
   * Whether records may have any fields of the host's own beside the known ones, and not only those in `extra`. A key
   * that looks like a misspelt one is refused all the same. Default: false.
   */
  const bool *allow_unknown_fields;
  /**
   * Whether a write to a `repoHash` is refused if nothing was ever stored under it, as under one that was mistyped.
   * Default: false; the command line sets it, but for `loopmem call` and with `--create`.
   */
  const bool *known_repos_only;
  /** For tests: a fixed RFC 3339 time for this store's clock. */
  const char *clock;
} loopmem_store_options;

static inline void loopmem_store_options_write(loopmem_json *json, const loopmem_store_options *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->home != NULL) {
    loopmem_json_key(json, "home");
    loopmem_json_text(json, value->home);
  }
  if (value->codex_home != NULL) {
    loopmem_json_key(json, "codexHome");
    loopmem_json_text(json, value->codex_home);
  }
  if (value->branch_memory_root != NULL) {
    loopmem_json_key(json, "branchMemoryRoot");
    loopmem_json_text(json, value->branch_memory_root);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->detached != NULL) {
    loopmem_json_key(json, "detached");
    loopmem_json_text(json, value->detached);
  }
  if (value->inherit_from != NULL) {
    loopmem_json_key(json, "inheritFrom");
    loopmem_json_text(json, value->inherit_from);
  }
  if (value->max_summaries_in_context != NULL) {
    loopmem_json_key(json, "maxSummariesInContext");
    loopmem_json_integer(json, *value->max_summaries_in_context);
  }
  if (value->summaries_max_entries != NULL) {
    loopmem_json_key(json, "summariesMaxEntries");
    loopmem_json_integer(json, *value->summaries_max_entries);
  }
  if (value->summaries_archive != NULL) {
    loopmem_json_key(json, "summariesArchive");
    loopmem_json_boolean(json, *value->summaries_archive);
  }
  if (value->summaries_max_bytes != NULL) {
    loopmem_json_key(json, "summariesMaxBytes");
    loopmem_json_integer(json, *value->summaries_max_bytes);
  }
  if (value->summary_max_bytes != NULL) {
    loopmem_json_key(json, "summaryMaxBytes");
    loopmem_json_integer(json, *value->summary_max_bytes);
  }
  if (value->lock_timeout_ms != NULL) {
    loopmem_json_key(json, "lockTimeoutMs");
    loopmem_json_integer(json, *value->lock_timeout_ms);
  }
  if (value->append_timeout_ms != NULL) {
    loopmem_json_key(json, "appendTimeoutMs");
    loopmem_json_integer(json, *value->append_timeout_ms);
  }
  if (value->lock_stale_ms != NULL) {
    loopmem_json_key(json, "lockStaleMs");
    loopmem_json_integer(json, *value->lock_stale_ms);
  }
  if (value->strong_atomicity != NULL) {
    loopmem_json_key(json, "strongAtomicity");
    loopmem_json_boolean(json, *value->strong_atomicity);
  }
  if (value->redaction_patterns != NULL) {
    loopmem_json_key(json, "redactionPatterns");
    loopmem_json_texts(json, value->redaction_patterns, value->redaction_patterns_count);
  }
  if (value->allow != NULL) {
    loopmem_json_key(json, "allow");
    size_t item;
    loopmem_json_bytes(json, "[", 1);
    for (item = 0; item < value->allow_count; item++) {
      if (item > 0) loopmem_json_bytes(json, ",", 1);
      loopmem_allowance_write(json, &value->allow[item]);
    }
    loopmem_json_bytes(json, "]", 1);
  }
  if (value->adapter != NULL) {
    loopmem_json_key(json, "adapter");
    loopmem_json_text(json, value->adapter);
  }
  if (value->redis_prefix != NULL) {
    loopmem_json_key(json, "redisPrefix");
    loopmem_json_text(json, value->redis_prefix);
  }
  if (value->redis_hosts != NULL) {
    loopmem_json_key(json, "redisHosts");
    loopmem_json_texts(json, value->redis_hosts, value->redis_hosts_count);
  }
  if (value->redis_ca_file != NULL) {
    loopmem_json_key(json, "redisCaFile");
    loopmem_json_text(json, value->redis_ca_file);
  }
  if (value->adapter_timeout_ms != NULL) {
    loopmem_json_key(json, "adapterTimeoutMs");
    loopmem_json_integer(json, *value->adapter_timeout_ms);
  }
  if (value->checkpoints_max_entries != NULL) {
    loopmem_json_key(json, "checkpointsMaxEntries");
    loopmem_json_integer(json, *value->checkpoints_max_entries);
  }
  if (value->checkpoints_max_age_ms != NULL) {
    loopmem_json_key(json, "checkpointsMaxAgeMs");
    loopmem_json_integer(json, *value->checkpoints_max_age_ms);
  }
  if (value->items_backend != NULL) {
    loopmem_json_key(json, "itemsBackend");
    loopmem_json_text(json, value->items_backend);
  }
  if (value->items_max_content_chars != NULL) {
    loopmem_json_key(json, "itemsMaxContentChars");
    loopmem_json_integer(json, *value->items_max_content_chars);
  }
  if (value->recall_min_repo_candidates != NULL) {
    loopmem_json_key(json, "recallMinRepoCandidates");
    loopmem_json_integer(json, *value->recall_min_repo_candidates);
  }
  if (value->recall_limit != NULL) {
    loopmem_json_key(json, "recallLimit");
    loopmem_json_integer(json, *value->recall_limit);
  }
  if (value->recall_max_chars != NULL) {
    loopmem_json_key(json, "recallMaxChars");
    loopmem_json_integer(json, *value->recall_max_chars);
  }
  if (value->recall_standing_chars != NULL) {
    loopmem_json_key(json, "recallStandingChars");
    loopmem_json_integer(json, *value->recall_standing_chars);
  }
  if (value->recall_min_score != NULL) {
    loopmem_json_key(json, "recallMinScore");
    loopmem_json_number(json, *value->recall_min_score);
  }
  if (value->recall_near_words != NULL) {
    loopmem_json_key(json, "recallNearWords");
    loopmem_json_boolean(json, *value->recall_near_words);
  }
  if (value->recall_vector_weight != NULL) {
    loopmem_json_key(json, "recallVectorWeight");
    loopmem_json_number(json, *value->recall_vector_weight);
  }
  if (value->recall_recency_weight != NULL) {
    loopmem_json_key(json, "recallRecencyWeight");
    loopmem_json_number(json, *value->recall_recency_weight);
  }
  if (value->recall_frequency_weight != NULL) {
    loopmem_json_key(json, "recallFrequencyWeight");
    loopmem_json_number(json, *value->recall_frequency_weight);
  }
  if (value->temporary != NULL) {
    loopmem_json_key(json, "temporary");
    loopmem_json_boolean(json, *value->temporary);
  }
  if (value->index_submodules != NULL) {
    loopmem_json_key(json, "indexSubmodules");
    loopmem_json_boolean(json, *value->index_submodules);
  }
  if (value->index_subtree != NULL) {
    loopmem_json_key(json, "indexSubtree");
    loopmem_json_boolean(json, *value->index_subtree);
  }
  if (value->index_max_files != NULL) {
    loopmem_json_key(json, "indexMaxFiles");
    loopmem_json_integer(json, *value->index_max_files);
  }
  if (value->index_max_file_bytes != NULL) {
    loopmem_json_key(json, "indexMaxFileBytes");
    loopmem_json_integer(json, *value->index_max_file_bytes);
  }
  if (value->rollouts_min_idle_hours != NULL) {
    loopmem_json_key(json, "rolloutsMinIdleHours");
    loopmem_json_integer(json, *value->rollouts_min_idle_hours);
  }
  if (value->rollouts_max_age_days != NULL) {
    loopmem_json_key(json, "rolloutsMaxAgeDays");
    loopmem_json_integer(json, *value->rollouts_max_age_days);
  }
  if (value->rollouts_max_running != NULL) {
    loopmem_json_key(json, "rolloutsMaxRunning");
    loopmem_json_integer(json, *value->rollouts_max_running);
  }
  if (value->rollouts_lease_secs != NULL) {
    loopmem_json_key(json, "rolloutsLeaseSecs");
    loopmem_json_integer(json, *value->rollouts_lease_secs);
  }
  if (value->rollouts_attempts != NULL) {
    loopmem_json_key(json, "rolloutsAttempts");
    loopmem_json_integer(json, *value->rollouts_attempts);
  }
  if (value->rollouts_retry_delay_secs != NULL) {
    loopmem_json_key(json, "rolloutsRetryDelaySecs");
    loopmem_json_integer(json, *value->rollouts_retry_delay_secs);
  }
  if (value->rollouts_consolidation_inputs != NULL) {
    loopmem_json_key(json, "rolloutsConsolidationInputs");
    loopmem_json_integer(json, *value->rollouts_consolidation_inputs);
  }
  if (value->rollouts_max_unused_days != NULL) {
    loopmem_json_key(json, "rolloutsMaxUnusedDays");
    loopmem_json_integer(json, *value->rollouts_max_unused_days);
  }
  if (value->rollouts_diff_max_chars != NULL) {
    loopmem_json_key(json, "rolloutsDiffMaxChars");
    loopmem_json_integer(json, *value->rollouts_diff_max_chars);
  }
  if (value->rollouts_input_max_tokens != NULL) {
    loopmem_json_key(json, "rolloutsInputMaxTokens");
    loopmem_json_integer(json, *value->rollouts_input_max_tokens);
  }
  if (value->rollouts_interactive_sources != NULL) {
    loopmem_json_key(json, "rolloutsInteractiveSources");
    loopmem_json_texts(json, value->rollouts_interactive_sources, value->rollouts_interactive_sources_count);
  }
  if (value->rollouts_root != NULL) {
    loopmem_json_key(json, "rolloutsRoot");
    loopmem_json_text(json, value->rollouts_root);
  }
  if (value->rollouts_same_repo != NULL) {
    loopmem_json_key(json, "rolloutsSameRepo");
    loopmem_json_boolean(json, *value->rollouts_same_repo);
  }
  if (value->rollouts_with != NULL) {
    loopmem_json_key(json, "rolloutsWith");
    loopmem_json_text(json, value->rollouts_with);
  }
  if (value->branch_attempts != NULL) {
    loopmem_json_key(json, "branchAttempts");
    loopmem_json_integer(json, *value->branch_attempts);
  }
  if (value->sync_branch != NULL) {
    loopmem_json_key(json, "syncBranch");
    loopmem_json_text(json, value->sync_branch);
  }
  if (value->sync_summaries != NULL) {
    loopmem_json_key(json, "syncSummaries");
    loopmem_json_boolean(json, *value->sync_summaries);
  }
  if (value->sync_global_items != NULL) {
    loopmem_json_key(json, "syncGlobalItems");
    loopmem_json_boolean(json, *value->sync_global_items);
  }
  if (value->sync_auto != NULL) {
    loopmem_json_key(json, "syncAuto");
    loopmem_json_text(json, value->sync_auto);
  }
  if (value->trash_keep_days != NULL) {
    loopmem_json_key(json, "trashKeepDays");
    loopmem_json_integer(json, *value->trash_keep_days);
  }
  if (value->keep_replaced != NULL) {
    loopmem_json_key(json, "keepReplaced");
    loopmem_json_boolean(json, *value->keep_replaced);
  }
  if (value->allow_unknown_fields != NULL) {
    loopmem_json_key(json, "allowUnknownFields");
    loopmem_json_boolean(json, *value->allow_unknown_fields);
  }
  if (value->known_repos_only != NULL) {
    loopmem_json_key(json, "knownReposOnly");
    loopmem_json_boolean(json, *value->known_repos_only);
  }
  if (value->clock != NULL) {
    loopmem_json_key(json, "clock");
    loopmem_json_text(json, value->clock);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Opens a store with typed options; everything else is as for loopmem_open. `options` may be NULL.
 */
static inline loopmem_status loopmem_store_open(
    const loopmem_store_options *options, const loopmem_host *host,
    loopmem_store *store, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  loopmem_status status;
  if (options != NULL) loopmem_store_options_write(&json, options);
  if (loopmem_json_failed(&json, answer)) return LOOPMEM_IO_ERROR;
  status = loopmem_open(json.data, json.length, host, store, answer);
  free(json.data);
  return status;
}

/** The params of loopmem_repo_identify. */
typedef struct loopmem_repo_identify_params {
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  const char *branch_scope;
  /** The branch to identify, instead of the one that HEAD is on. */
  const char *branch;
} loopmem_repo_identify_params;

static inline void loopmem_repo_identify_params_write(loopmem_json *json, const loopmem_repo_identify_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->branch != NULL) {
    loopmem_json_key(json, "branch");
    loopmem_json_text(json, value->branch);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Identifies the repository that a folder belongs to: the hash under which its memory is stored, and what the hash is
 * computed from.
 *
 * A folder outside of any repository is identified by its path. Such a hash is only valid on one machine.
 */
static inline loopmem_status loopmem_repo_identify(
    loopmem_store store, const loopmem_repo_identify_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_repo_identify_params_write(&json, params);
  return loopmem_json_call(store, "repo.identify", &json, options, answer);
}

/** The params of loopmem_repo_sanitize_remote_url. */
typedef struct loopmem_repo_sanitize_remote_url_params {
  /** The URL, in any form that git accepts; at most 16,384 bytes. */
  const char *url;
} loopmem_repo_sanitize_remote_url_params;

static inline void loopmem_repo_sanitize_remote_url_params_write(loopmem_json *json, const loopmem_repo_sanitize_remote_url_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->url != NULL) {
    loopmem_json_key(json, "url");
    loopmem_json_text(json, value->url);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Removes credentials, default ports, the query and the fragment from a remote URL, and normalizes the form of SSH
 * URLs.
 */
static inline loopmem_status loopmem_repo_sanitize_remote_url(
    loopmem_store store, const loopmem_repo_sanitize_remote_url_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_repo_sanitize_remote_url_params_write(&json, params);
  return loopmem_json_call(store, "repo.sanitizeRemoteUrl", &json, options, answer);
}

/** The params of loopmem_repo_list. */
typedef struct loopmem_repo_list_params {
  /** Nothing is taken; zero. */
  int unused;
} loopmem_repo_list_params;

static inline void loopmem_repo_list_params_write(loopmem_json *json, const loopmem_repo_list_params *value) {
  loopmem_json_bytes(json, "{", 1);
  (void)value;
  loopmem_json_bytes(json, "}", 1);
}

/** Lists the repositories that have stored data, most recently modified first. */
static inline loopmem_status loopmem_repo_list(
    loopmem_store store, const loopmem_repo_list_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_repo_list_params_write(&json, params);
  return loopmem_json_call(store, "repo.list", &json, options, answer);
}

/** The params of loopmem_repo_adopt. */
typedef struct loopmem_repo_adopt_params {
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  const char *branch_scope;
  /**
   * The other identity: its branch, its folder, or its hash, of which the first digits do. Default: none of them; they
   * are listed, with what each has and the command that brings it.
   */
  const char *from;
  /**
   * Whether its memory is not wanted here: nothing is copied, and no notice names it until it changes again. Default:
   * false.
   */
  const bool *ignore;
  /** Only count what would be copied. Default: false. */
  const bool *dry_run;
} loopmem_repo_adopt_params;

static inline void loopmem_repo_adopt_params_write(loopmem_json *json, const loopmem_repo_adopt_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->from != NULL) {
    loopmem_json_key(json, "from");
    loopmem_json_text(json, value->from);
  }
  if (value->ignore != NULL) {
    loopmem_json_key(json, "ignore");
    loopmem_json_boolean(json, *value->ignore);
  }
  if (value->dry_run != NULL) {
    loopmem_json_key(json, "dryRun");
    loopmem_json_boolean(json, *value->dry_run);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Brings what another identity of this repository learned into this one; without `from`, lists what there is.
 *
 * A repository has another identity on each branch and detached commit, in each clone, before and after it was moved,
 * and with another remote or another URL of it. A record that both have is merged: what only one side changed is taken
 * from there; of two changes the newer stays, and the other is kept in the trash and named. What was adopted before and
 * removed since stays away. The other identity is not changed.
 */
static inline loopmem_status loopmem_repo_adopt(
    loopmem_store store, const loopmem_repo_adopt_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_repo_adopt_params_write(&json, params);
  return loopmem_json_call(store, "repo.adopt", &json, options, answer);
}

/** The params of loopmem_repo_move. */
typedef struct loopmem_repo_move_params {
  /** The folder before it was moved. */
  const char *old_path;
  /** The folder now. Default: the repository of the current folder. */
  const char *new_path;
  /** Only count what would be copied. Default: false. */
  const bool *dry_run;
} loopmem_repo_move_params;

static inline void loopmem_repo_move_params_write(loopmem_json *json, const loopmem_repo_move_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->old_path != NULL) {
    loopmem_json_key(json, "oldPath");
    loopmem_json_text(json, value->old_path);
  }
  if (value->new_path != NULL) {
    loopmem_json_key(json, "newPath");
    loopmem_json_text(json, value->new_path);
  }
  if (value->dry_run != NULL) {
    loopmem_json_key(json, "dryRun");
    loopmem_json_boolean(json, *value->dry_run);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Copies what is stored for a folder that was moved, and for every folder below it, to the hashes that they have now:
 * that of each branch, work tree and detached commit.
 *
 * Records that are there already are merged as by `repo.adopt`. What was stored for the old folder stays as it was.
 */
static inline loopmem_status loopmem_repo_move(
    loopmem_store store, const loopmem_repo_move_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_repo_move_params_write(&json, params);
  return loopmem_json_call(store, "repo.move", &json, options, answer);
}

/** The params of loopmem_repo_migrate. */
typedef struct loopmem_repo_migrate_params {
  /** The hash to copy from, as `repo.identify` or `repo.list` returns it. */
  const char *from_repo_hash;
  /** The hash to copy to. */
  const char *to_repo_hash;
  /** Only count what would be copied. Default: false. */
  const bool *dry_run;
} loopmem_repo_migrate_params;

static inline void loopmem_repo_migrate_params_write(loopmem_json *json, const loopmem_repo_migrate_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->from_repo_hash != NULL) {
    loopmem_json_key(json, "fromRepoHash");
    loopmem_json_text(json, value->from_repo_hash);
  }
  if (value->to_repo_hash != NULL) {
    loopmem_json_key(json, "toRepoHash");
    loopmem_json_text(json, value->to_repo_hash);
  }
  if (value->dry_run != NULL) {
    loopmem_json_key(json, "dryRun");
    loopmem_json_boolean(json, *value->dry_run);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Copies the memory stored under one repository hash to another, after a branch was renamed, a folder moved or a remote
 * changed.
 *
 * The source is not changed, nor is any record that the target already has: one with the same id, or a summary with the
 * same run, step and time. The target's limits still apply: the oldest summaries beyond them are not copied, or are
 * removed from the target, and are counted. If anything prevents the migration, nothing is copied.
 */
static inline loopmem_status loopmem_repo_migrate(
    loopmem_store store, const loopmem_repo_migrate_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_repo_migrate_params_write(&json, params);
  return loopmem_json_call(store, "repo.migrate", &json, options, answer);
}

/** The params of loopmem_repo_forget. */
typedef struct loopmem_repo_forget_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /**
   * Whether everything that is stored of the same project is removed: of all branches, of the folders that it was moved
   * from, and of its other clones. Default: false.
   */
  const bool *all;
  /**
   * Whether it is removed for good, with the trash, the index and the names of the repository, and everything damaged
   * that was set aside. What the index knows of the contents of files is removed for all repositories, and made again
   * when it is needed. Default: false.
   */
  const bool *purge;
  /** Only counts what would be removed. Default: false. */
  const bool *dry_run;
} loopmem_repo_forget_params;

static inline void loopmem_repo_forget_params_write(loopmem_json *json, const loopmem_repo_forget_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->all != NULL) {
    loopmem_json_key(json, "all");
    loopmem_json_boolean(json, *value->all);
  }
  if (value->purge != NULL) {
    loopmem_json_key(json, "purge");
    loopmem_json_boolean(json, *value->purge);
  }
  if (value->dry_run != NULL) {
    loopmem_json_key(json, "dryRun");
    loopmem_json_boolean(json, *value->dry_run);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Removes the memory of a repository: its conventions, decisions, notes and step summaries. `undo.restore` brings each
 * of them back. If `sync` is on for the repository, it is switched off.
 *
 * Items are in the repository itself, and stay.
 */
static inline loopmem_status loopmem_repo_forget(
    loopmem_store store, const loopmem_repo_forget_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_repo_forget_params_write(&json, params);
  return loopmem_json_call(store, "repo.forget", &json, options, answer);
}

/** The params of loopmem_memory_get. */
typedef struct loopmem_memory_get_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
} loopmem_memory_get_params;

static inline void loopmem_memory_get_params_write(loopmem_json *json, const loopmem_memory_get_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns everything stored for a repository. The lists are empty if nothing is stored. With `inheritFrom`, they begin
 * with the records of another branch that this one has not overridden, marked by `inheritedFrom`.
 */
static inline loopmem_status loopmem_memory_get(
    loopmem_store store, const loopmem_memory_get_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_memory_get_params_write(&json, params);
  return loopmem_json_call(store, "memory.get", &json, options, answer);
}

/**
 * A convention to store. If a convention with its id is stored, that one is updated and keeps the fields omitted here.
 */
typedef struct loopmem_convention_draft {
  /** The id of the record to update or create. Default: a new UUID version 7. */
  const char *id;
  /** A short title. Required for a new convention. */
  const char *title;
  /** The full text. Required for a new convention. */
  const char *content;
  /** Tags to find it by. Default: none. */
  const char *const *tags;
  /** How many `tags` there are. */
  size_t tags_count;
  /** Fields of your own. They are redacted and stored beside the others, and read back there. As JSON. */
  const char *extra_json;
} loopmem_convention_draft;

static inline void loopmem_convention_draft_write(loopmem_json *json, const loopmem_convention_draft *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  if (value->title != NULL) {
    loopmem_json_key(json, "title");
    loopmem_json_text(json, value->title);
  }
  if (value->content != NULL) {
    loopmem_json_key(json, "content");
    loopmem_json_text(json, value->content);
  }
  if (value->tags != NULL) {
    loopmem_json_key(json, "tags");
    loopmem_json_texts(json, value->tags, value->tags_count);
  }
  if (value->extra_json != NULL) {
    loopmem_json_key(json, "extra");
    loopmem_json_value(json, value->extra_json);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** The params of loopmem_memory_upsert_convention. */
typedef struct loopmem_memory_upsert_convention_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /** The convention to store. */
  const loopmem_convention_draft *convention;
  /**
   * Whether it is stored for the branch from which this one inherits, as to change an inherited record. Default:
   * `false`; a record with the id of an inherited one overrides it.
   */
  const bool *inherited;
} loopmem_memory_upsert_convention_params;

static inline void loopmem_memory_upsert_convention_params_write(loopmem_json *json, const loopmem_memory_upsert_convention_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->convention != NULL) {
    loopmem_json_key(json, "convention");
    loopmem_convention_draft_write(json, value->convention);
  }
  if (value->inherited != NULL) {
    loopmem_json_key(json, "inherited");
    loopmem_json_boolean(json, *value->inherited);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Stores a convention and returns it as stored.
 *
 * If the draft has the id of a stored convention, that convention is updated and keeps the fields that the draft omits;
 * otherwise a new convention is created. Secrets are redacted.
 */
static inline loopmem_status loopmem_memory_upsert_convention(
    loopmem_store store, const loopmem_memory_upsert_convention_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_memory_upsert_convention_params_write(&json, params);
  return loopmem_json_call(store, "memory.upsertConvention", &json, options, answer);
}

/** A decision to store. If a decision with its id is stored, that one is updated and keeps the fields omitted here. */
typedef struct loopmem_decision_draft {
  /** The id of the record to update or create. Default: a new UUID version 7. */
  const char *id;
  /** The decision, on one line: a line break becomes a space. Required for a new decision. */
  const char *summary;
  /** The reasons. Required for a new decision. */
  const char *rationale;
  /** Files and folders that the decision affects, relative to the repository. Default: none. */
  const char *const *impacted_paths;
  /** How many `impacted_paths` there are. */
  size_t impacted_paths_count;
  /** Fields of your own. They are redacted and stored beside the others, and read back there. As JSON. */
  const char *extra_json;
} loopmem_decision_draft;

static inline void loopmem_decision_draft_write(loopmem_json *json, const loopmem_decision_draft *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  if (value->summary != NULL) {
    loopmem_json_key(json, "summary");
    loopmem_json_text(json, value->summary);
  }
  if (value->rationale != NULL) {
    loopmem_json_key(json, "rationale");
    loopmem_json_text(json, value->rationale);
  }
  if (value->impacted_paths != NULL) {
    loopmem_json_key(json, "impactedPaths");
    loopmem_json_texts(json, value->impacted_paths, value->impacted_paths_count);
  }
  if (value->extra_json != NULL) {
    loopmem_json_key(json, "extra");
    loopmem_json_value(json, value->extra_json);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** The params of loopmem_memory_upsert_decision. */
typedef struct loopmem_memory_upsert_decision_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /** The decision to store. */
  const loopmem_decision_draft *decision;
  /**
   * Whether it is stored for the branch from which this one inherits, as to change an inherited record. Default:
   * `false`; a record with the id of an inherited one overrides it.
   */
  const bool *inherited;
} loopmem_memory_upsert_decision_params;

static inline void loopmem_memory_upsert_decision_params_write(loopmem_json *json, const loopmem_memory_upsert_decision_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->decision != NULL) {
    loopmem_json_key(json, "decision");
    loopmem_decision_draft_write(json, value->decision);
  }
  if (value->inherited != NULL) {
    loopmem_json_key(json, "inherited");
    loopmem_json_boolean(json, *value->inherited);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Stores a decision and returns it as stored.
 *
 * If the draft has the id of a stored decision, that decision is updated and keeps the fields that the draft omits;
 * otherwise a new decision is created. Secrets are redacted.
 */
static inline loopmem_status loopmem_memory_upsert_decision(
    loopmem_store store, const loopmem_memory_upsert_decision_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_memory_upsert_decision_params_write(&json, params);
  return loopmem_json_call(store, "memory.upsertDecision", &json, options, answer);
}

/** A note to store. If a note with its id is stored, that one is updated and keeps the fields omitted here. */
typedef struct loopmem_note_draft {
  /** The id of the record to update or create. Default: a new UUID version 7. */
  const char *id;
  /** The text. Required for a new note. */
  const char *content;
  /** Who wrote it. Default: `agent`. */
  const char *source;
  /** Tags to find it by. Default: none. */
  const char *const *tags;
  /** How many `tags` there are. */
  size_t tags_count;
  /** Fields of your own. They are redacted and stored beside the others, and read back there. As JSON. */
  const char *extra_json;
} loopmem_note_draft;

static inline void loopmem_note_draft_write(loopmem_json *json, const loopmem_note_draft *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  if (value->content != NULL) {
    loopmem_json_key(json, "content");
    loopmem_json_text(json, value->content);
  }
  if (value->source != NULL) {
    loopmem_json_key(json, "source");
    loopmem_json_text(json, value->source);
  }
  if (value->tags != NULL) {
    loopmem_json_key(json, "tags");
    loopmem_json_texts(json, value->tags, value->tags_count);
  }
  if (value->extra_json != NULL) {
    loopmem_json_key(json, "extra");
    loopmem_json_value(json, value->extra_json);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** The params of loopmem_memory_upsert_note. */
typedef struct loopmem_memory_upsert_note_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /** The note to store. */
  const loopmem_note_draft *note;
  /**
   * Whether it is stored for the branch from which this one inherits, as to change an inherited record. Default:
   * `false`; a record with the id of an inherited one overrides it.
   */
  const bool *inherited;
} loopmem_memory_upsert_note_params;

static inline void loopmem_memory_upsert_note_params_write(loopmem_json *json, const loopmem_memory_upsert_note_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->note != NULL) {
    loopmem_json_key(json, "note");
    loopmem_note_draft_write(json, value->note);
  }
  if (value->inherited != NULL) {
    loopmem_json_key(json, "inherited");
    loopmem_json_boolean(json, *value->inherited);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Stores a note and returns it as stored.
 *
 * If the draft has the id of a stored note, that note is updated and keeps the fields that the draft omits; otherwise a
 * new note is created. Secrets are redacted.
 */
static inline loopmem_status loopmem_memory_upsert_note(
    loopmem_store store, const loopmem_memory_upsert_note_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_memory_upsert_note_params_write(&json, params);
  return loopmem_json_call(store, "memory.upsertNote", &json, options, answer);
}

/** The params of loopmem_memory_list. */
typedef struct loopmem_memory_list_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /** Only records of this kind. */
  const char *kind;
  /** Only conventions and notes with this tag. */
  const char *tag;
  /** Only decisions whose `impactedPaths` contain this path or a folder above it. */
  const char *path;
  /** Only records with this text in one of their fields, ignoring case. */
  const char *text;
  /** Only records that share words with this text, the most relevant first, ranked as in `items.recall`. */
  const char *query;
  /** The maximum number of records. Default: all. */
  const int64_t *limit;
} loopmem_memory_list_params;

static inline void loopmem_memory_list_params_write(loopmem_json *json, const loopmem_memory_list_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->kind != NULL) {
    loopmem_json_key(json, "kind");
    loopmem_json_text(json, value->kind);
  }
  if (value->tag != NULL) {
    loopmem_json_key(json, "tag");
    loopmem_json_text(json, value->tag);
  }
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  if (value->text != NULL) {
    loopmem_json_key(json, "text");
    loopmem_json_text(json, value->text);
  }
  if (value->query != NULL) {
    loopmem_json_key(json, "query");
    loopmem_json_text(json, value->query);
  }
  if (value->limit != NULL) {
    loopmem_json_key(json, "limit");
    loopmem_json_integer(json, *value->limit);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns the conventions, decisions and notes that match every given filter, oldest first within each kind, or with a
 * query the most relevant first. They include those that the branch inherits: see `memory.get`.
 */
static inline loopmem_status loopmem_memory_list(
    loopmem_store store, const loopmem_memory_list_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_memory_list_params_write(&json, params);
  return loopmem_json_call(store, "memory.list", &json, options, answer);
}

/** The params of loopmem_memory_remove. */
typedef struct loopmem_memory_remove_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /** The record's id. */
  const char *id;
  /**
   * Whether it is removed for good: with every version of it in the trash, and everything damaged that was set aside of
   * the file. Default: `false`.
   */
  const bool *purge;
  /**
   * Whether it is removed from the branch from which this one inherits. Default: `false`; an inherited record is then a
   * `Conflict`, which names its branch.
   */
  const bool *inherited;
} loopmem_memory_remove_params;

static inline void loopmem_memory_remove_params_write(loopmem_json *json, const loopmem_memory_remove_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  if (value->purge != NULL) {
    loopmem_json_key(json, "purge");
    loopmem_json_boolean(json, *value->purge);
  }
  if (value->inherited != NULL) {
    loopmem_json_key(json, "inherited");
    loopmem_json_boolean(json, *value->inherited);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Removes the convention, decision or note with this id. `undo.restore` brings it back. */
static inline loopmem_status loopmem_memory_remove(
    loopmem_store store, const loopmem_memory_remove_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_memory_remove_params_write(&json, params);
  return loopmem_json_call(store, "memory.remove", &json, options, answer);
}

/** The params of loopmem_summary_append. */
typedef struct loopmem_summary_append_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /** The id of the workflow run. */
  const char *run_id;
  /** The id of the step within the run. */
  const char *step_id;
  /**
   * One paragraph: what happened, important outputs, and what remains to be done. A line break becomes a space. At most
   * `memory.summaryMaxBytes` (65,536) bytes.
   */
  const char *summary;
  /** Tags to find the summary by. Default: none. */
  const char *const *tags;
  /** How many `tags` there are. */
  size_t tags_count;
} loopmem_summary_append_params;

static inline void loopmem_summary_append_params_write(loopmem_json *json, const loopmem_summary_append_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->run_id != NULL) {
    loopmem_json_key(json, "runId");
    loopmem_json_text(json, value->run_id);
  }
  if (value->step_id != NULL) {
    loopmem_json_key(json, "stepId");
    loopmem_json_text(json, value->step_id);
  }
  if (value->summary != NULL) {
    loopmem_json_key(json, "summary");
    loopmem_json_text(json, value->summary);
  }
  if (value->tags != NULL) {
    loopmem_json_key(json, "tags");
    loopmem_json_texts(json, value->tags, value->tags_count);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Appends the summary of a workflow step and returns it as stored. Secrets are redacted.
 *
 * A repository keeps at most `memory.summariesMaxEntries` summaries in at most `memory.summariesMaxBytes` bytes; beyond
 * either limit the oldest are removed, but never the newest.
 */
static inline loopmem_status loopmem_summary_append(
    loopmem_store store, const loopmem_summary_append_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_summary_append_params_write(&json, params);
  return loopmem_json_call(store, "summary.append", &json, options, answer);
}

/** Something that happened in a step. */
typedef struct loopmem_step_event {
  /** The kind of the event. */
  const char *kind;
  /** A short description. */
  const char *text;
} loopmem_step_event;

static inline void loopmem_step_event_write(loopmem_json *json, const loopmem_step_event *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->kind != NULL) {
    loopmem_json_key(json, "kind");
    loopmem_json_text(json, value->kind);
  }
  if (value->text != NULL) {
    loopmem_json_key(json, "text");
    loopmem_json_text(json, value->text);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** The params of loopmem_summary_end_step. */
typedef struct loopmem_summary_end_step_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /** The id of the workflow run. */
  const char *run_id;
  /** The id of the step within the run. */
  const char *step_id;
  /** What happened, in order. At least one event. */
  const loopmem_step_event *events;
  /** How many `events` there are. */
  size_t events_count;
  /** Tags to find the summary by. Default: none. */
  const char *const *tags;
  /** How many `tags` there are. */
  size_t tags_count;
} loopmem_summary_end_step_params;

static inline void loopmem_summary_end_step_params_write(loopmem_json *json, const loopmem_summary_end_step_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->run_id != NULL) {
    loopmem_json_key(json, "runId");
    loopmem_json_text(json, value->run_id);
  }
  if (value->step_id != NULL) {
    loopmem_json_key(json, "stepId");
    loopmem_json_text(json, value->step_id);
  }
  if (value->events != NULL) {
    loopmem_json_key(json, "events");
    size_t item;
    loopmem_json_bytes(json, "[", 1);
    for (item = 0; item < value->events_count; item++) {
      if (item > 0) loopmem_json_bytes(json, ",", 1);
      loopmem_step_event_write(json, &value->events[item]);
    }
    loopmem_json_bytes(json, "]", 1);
  }
  if (value->tags != NULL) {
    loopmem_json_key(json, "tags");
    loopmem_json_texts(json, value->tags, value->tags_count);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Ends a workflow step: condenses its events into one paragraph, without a model, and appends it as `summary.append`
 * does.
 *
 * The paragraph has actions, outputs, errors and follow-ups as sentences, each event once, in at most 4,000 bytes on
 * one line. Code in backticks stays as it is; each line of a fenced block is code in backticks. It says how many events
 * were left out for lack of space. The same events always produce the same paragraph.
 */
static inline loopmem_status loopmem_summary_end_step(
    loopmem_store store, const loopmem_summary_end_step_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_summary_end_step_params_write(&json, params);
  return loopmem_json_call(store, "summary.endStep", &json, options, answer);
}

/** The params of loopmem_summary_list. */
typedef struct loopmem_summary_list_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /** Only summaries of this run. */
  const char *run_id;
  /** Only summaries with this tag. */
  const char *tag;
  /** The maximum number of summaries. Default: all. */
  const int64_t *limit;
  /** Only summaries that share words with this text, the most relevant first, ranked as in `items.recall`. */
  const char *query;
} loopmem_summary_list_params;

static inline void loopmem_summary_list_params_write(loopmem_json *json, const loopmem_summary_list_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->run_id != NULL) {
    loopmem_json_key(json, "runId");
    loopmem_json_text(json, value->run_id);
  }
  if (value->tag != NULL) {
    loopmem_json_key(json, "tag");
    loopmem_json_text(json, value->tag);
  }
  if (value->limit != NULL) {
    loopmem_json_key(json, "limit");
    loopmem_json_integer(json, *value->limit);
  }
  if (value->query != NULL) {
    loopmem_json_key(json, "query");
    loopmem_json_text(json, value->query);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns a repository's step summaries, newest first, or with a query the most relevant first. */
static inline loopmem_status loopmem_summary_list(
    loopmem_store store, const loopmem_summary_list_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_summary_list_params_write(&json, params);
  return loopmem_json_call(store, "summary.list", &json, options, answer);
}

/** The params of loopmem_summary_remove. */
typedef struct loopmem_summary_remove_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /** Those of this run. */
  const char *run_id;
  /** Those of this step. */
  const char *step_id;
  /** Those before this time, RFC 3339. */
  const char *before;
  /**
   * Whether they are removed for good: also those in the trash that match, and everything damaged that was set aside of
   * the file. Default: `false`.
   */
  const bool *purge;
  /** The one with this id, as `search.find` returns it: `RUN/STEP@TIME`. */
  const char *id;
} loopmem_summary_remove_params;

static inline void loopmem_summary_remove_params_write(loopmem_json *json, const loopmem_summary_remove_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->run_id != NULL) {
    loopmem_json_key(json, "runId");
    loopmem_json_text(json, value->run_id);
  }
  if (value->step_id != NULL) {
    loopmem_json_key(json, "stepId");
    loopmem_json_text(json, value->step_id);
  }
  if (value->before != NULL) {
    loopmem_json_key(json, "before");
    loopmem_json_text(json, value->before);
  }
  if (value->purge != NULL) {
    loopmem_json_key(json, "purge");
    loopmem_json_boolean(json, *value->purge);
  }
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Removes the step summaries that match every given filter. `undo.restore` brings each of them back.
 *
 * At least one filter is required.
 */
static inline loopmem_status loopmem_summary_remove(
    loopmem_store store, const loopmem_summary_remove_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_summary_remove_params_write(&json, params);
  return loopmem_json_call(store, "summary.remove", &json, options, answer);
}

/**
 * The sections of a context pack and their sizes: a number above 0 and up to 1 is a share of `maxChars`, and a whole
 * number above 1 a number of characters.
 */
typedef struct loopmem_context_sizes {
  /** The size of the section `standing`. Default: the section is left out. */
  const double *standing;
  /** The size of the section `conventions`. Default: the section is left out. */
  const double *conventions;
  /** The size of the section `decisions`. Default: the section is left out. */
  const double *decisions;
  /** The size of the section `notes`. Default: the section is left out. */
  const double *notes;
  /** The size of the section `files`. Default: the section is left out. */
  const double *files;
  /** The size of the section `summaries`. Default: the section is left out. */
  const double *summaries;
  /** The size of the section `context`. Default: the section is left out. */
  const double *context;
  /** The size of the section `log`. Default: the section is left out. */
  const double *log;
  /** The size of the section `recalled`. Default: the section is left out. */
  const double *recalled;
  /** The size of the section `rollouts`. Default: the section is left out. */
  const double *rollouts;
  /** The size of the section `map`. Default: the section is left out. */
  const double *map;
} loopmem_context_sizes;

static inline void loopmem_context_sizes_write(loopmem_json *json, const loopmem_context_sizes *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->standing != NULL) {
    loopmem_json_key(json, "standing");
    loopmem_json_number(json, *value->standing);
  }
  if (value->conventions != NULL) {
    loopmem_json_key(json, "conventions");
    loopmem_json_number(json, *value->conventions);
  }
  if (value->decisions != NULL) {
    loopmem_json_key(json, "decisions");
    loopmem_json_number(json, *value->decisions);
  }
  if (value->notes != NULL) {
    loopmem_json_key(json, "notes");
    loopmem_json_number(json, *value->notes);
  }
  if (value->files != NULL) {
    loopmem_json_key(json, "files");
    loopmem_json_number(json, *value->files);
  }
  if (value->summaries != NULL) {
    loopmem_json_key(json, "summaries");
    loopmem_json_number(json, *value->summaries);
  }
  if (value->context != NULL) {
    loopmem_json_key(json, "context");
    loopmem_json_number(json, *value->context);
  }
  if (value->log != NULL) {
    loopmem_json_key(json, "log");
    loopmem_json_number(json, *value->log);
  }
  if (value->recalled != NULL) {
    loopmem_json_key(json, "recalled");
    loopmem_json_number(json, *value->recalled);
  }
  if (value->rollouts != NULL) {
    loopmem_json_key(json, "rollouts");
    loopmem_json_number(json, *value->rollouts);
  }
  if (value->map != NULL) {
    loopmem_json_key(json, "map");
    loopmem_json_number(json, *value->map);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** The params of loopmem_context_build. */
typedef struct loopmem_context_build_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /** The maximum length of the pack, in Unicode scalar values. Default: 8,000. 0 is the default. */
  int64_t max_chars;
  /**
   * What the agent is about to do. Records that are relevant for it are included before others, ranked as in
   * `items.recall`; recallable items join them in the section `recalled`, and the map of the files that matter for it
   * in the section `map`, as of `index.map`.
   */
  const char *prompt;
  /**
   * The sections to include: a list of their names, or an object of their sizes by name. A size above 0 and up to 1 is
   * a share of `maxChars`: `1` is all of it. What one section leaves unused of its share goes to those after it. A
   * whole number above 1 is a number of characters, which the section never exceeds. Sizes that exceed `maxChars` in
   * sum are reduced in proportion. Default: all.
   */
  const char *const *sections;
  /** How many `sections` there are. */
  size_t sections_count;
  /** Files that the agent is working on. Records about them are relevant, and the map begins with them. */
  const char *const *focus_files;
  /** How many `focus_files` there are. */
  size_t focus_files_count;
  /**
   * The working scope whose context and latest log entries join the pack in the sections `context` and `log`. With a
   * prompt, relevant ones are included before others. Default: none.
   */
  const char *scope_id;
  /** Whether memory is bypassed: nothing is read, and the pack is empty. Default: false. */
  const bool *temporary;
  /**
   * The embedding vector of the prompt, which is compared with those of recallable items and of the log's entries; made
   * by the same model. `Unsupported` if neither is in the pack. Default: they are compared by their words.
   */
  const double *embedding;
  /** How many `embedding` there are. */
  size_t embedding_count;
  /** Instead of `sections`: what `ContextSizes` says. */
  const loopmem_context_sizes *sections_by_name;
} loopmem_context_build_params;

static inline void loopmem_context_build_params_write(loopmem_json *json, const loopmem_context_build_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->max_chars != 0) {
    loopmem_json_key(json, "maxChars");
    loopmem_json_integer(json, value->max_chars);
  }
  if (value->prompt != NULL) {
    loopmem_json_key(json, "prompt");
    loopmem_json_text(json, value->prompt);
  }
  if (value->sections != NULL || value->sections_by_name != NULL) {
    loopmem_json_key(json, "sections");
    if (value->sections_by_name != NULL) {
      loopmem_context_sizes_write(json, value->sections_by_name);
    } else {
      loopmem_json_texts(json, value->sections, value->sections_count);
    }
  }
  if (value->focus_files != NULL) {
    loopmem_json_key(json, "focusFiles");
    loopmem_json_texts(json, value->focus_files, value->focus_files_count);
  }
  if (value->scope_id != NULL) {
    loopmem_json_key(json, "scopeId");
    loopmem_json_text(json, value->scope_id);
  }
  if (value->temporary != NULL) {
    loopmem_json_key(json, "temporary");
    loopmem_json_boolean(json, *value->temporary);
  }
  if (value->embedding != NULL) {
    loopmem_json_key(json, "embedding");
    loopmem_json_numbers(json, value->embedding, value->embedding_count);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.
 *
 * Conventions, decisions and notes come first, oldest first within each kind, followed by step summaries, newest first.
 * If there are summaries, 40 % of `maxChars` is reserved for them, or more if the newest one needs it, so that what
 * comes before them mostly stays the same as steps are added; likewise 10 % each for the context and the log of a
 * working scope, 15 % for recalled items and 25 % for the map of the repository's files, together at most 60 %. What
 * one of these leaves unused goes to those after it, and then, in steps of a tenth of the pack, to what was left out
 * before; the map is made for all that is left. Conventions, decisions and notes divide the rest equally; what one of
 * them leaves unused goes to the others. A record is included whole or not at all. What is left out is the oldest or,
 * with a prompt, the least relevant, and the last line of the text says so: `12 older notes left out`. The same state
 * produces the same bytes in every language.
 *
 * Records are data: headings in them are demoted, and nothing in them can look like a section. They carry their ids in
 * brackets: chosen ones whole, generated ones by at least 13 characters. What several records of a section say is shown
 * once.
 */
static inline loopmem_status loopmem_context_build(
    loopmem_store store, const loopmem_context_build_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_context_build_params_write(&json, params);
  return loopmem_json_call(store, "context.build", &json, options, answer);
}

/** The params of loopmem_search_find. */
typedef struct loopmem_search_find_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /**
   * What to find, in a few words or as a question. If it is empty, everything is found but files of the repository, the
   * newest first.
   */
  const char *query;
  /** Whether everything in the home is searched: every repository and branch, and every job. Default: `false`. */
  const bool *all;
  /** Only these rooms: `memory`, `summary`, `items`, `files`, `working`, `rollouts`, `index`. Default: all. */
  const char *const *rooms;
  /** How many `rooms` there are. */
  size_t rooms_count;
  /** Only these kinds, such as `note`, `decision`, `fact` or `summary`. Default: all. */
  const char *const *kinds;
  /** How many `kinds` there are. */
  size_t kinds_count;
  /** Only what was changed at this time or later, RFC 3339. Default: all. */
  const char *since;
  /** The maximum number of hits. Default: 20. */
  const int64_t *limit;
  /** Whether hits have their whole texts instead of the lines that match. Default: `false`. */
  const bool *whole;
  /** Whether files of the repository are left out, so that it is not indexed. Default: `false`. */
  const bool *records_only;
} loopmem_search_find_params;

static inline void loopmem_search_find_params_write(loopmem_json *json, const loopmem_search_find_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->query != NULL) {
    loopmem_json_key(json, "query");
    loopmem_json_text(json, value->query);
  }
  if (value->all != NULL) {
    loopmem_json_key(json, "all");
    loopmem_json_boolean(json, *value->all);
  }
  if (value->rooms != NULL) {
    loopmem_json_key(json, "rooms");
    loopmem_json_texts(json, value->rooms, value->rooms_count);
  }
  if (value->kinds != NULL) {
    loopmem_json_key(json, "kinds");
    loopmem_json_texts(json, value->kinds, value->kinds_count);
  }
  if (value->since != NULL) {
    loopmem_json_key(json, "since");
    loopmem_json_text(json, value->since);
  }
  if (value->limit != NULL) {
    loopmem_json_key(json, "limit");
    loopmem_json_integer(json, *value->limit);
  }
  if (value->whole != NULL) {
    loopmem_json_key(json, "whole");
    loopmem_json_boolean(json, *value->whole);
  }
  if (value->records_only != NULL) {
    loopmem_json_key(json, "recordsOnly");
    loopmem_json_boolean(json, *value->records_only);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Finds what is remembered of a repository and of the user: conventions, decisions, notes, step summaries, items, files
 * that a model keeps, the repository's own working context and log, what past sessions left, and files of the
 * repository. All of it is ranked together, by words and words near them.
 */
static inline loopmem_status loopmem_search_find(
    loopmem_store store, const loopmem_search_find_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_search_find_params_write(&json, params);
  return loopmem_json_call(store, "search.find", &json, options, answer);
}

/** The params of loopmem_status_get. */
typedef struct loopmem_status_get_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
} loopmem_status_get_params;

static inline void loopmem_status_get_params_write(loopmem_json *json, const loopmem_status_get_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns where memory is kept and why there, what is stored for a repository, memory that is not read here, and what
 * the hooks of agents did last.
 */
static inline loopmem_status loopmem_status_get(
    loopmem_store store, const loopmem_status_get_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_status_get_params_write(&json, params);
  return loopmem_json_call(store, "status.get", &json, options, answer);
}

/** The params of loopmem_working_get_context. */
typedef struct loopmem_working_get_context_params {
  /** The scope: a job id, `global`, or any other text. */
  const char *scope_id;
} loopmem_working_get_context_params;

static inline void loopmem_working_get_context_params_write(loopmem_json *json, const loopmem_working_get_context_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->scope_id != NULL) {
    loopmem_json_key(json, "scopeId");
    loopmem_json_text(json, value->scope_id);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns the context of a scope, or `{}` if it has none. */
static inline loopmem_status loopmem_working_get_context(
    loopmem_store store, const loopmem_working_get_context_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_working_get_context_params_write(&json, params);
  return loopmem_json_call(store, "working.getContext", &json, options, answer);
}

/** The params of loopmem_working_update_context. */
typedef struct loopmem_working_update_context_params {
  /** The scope: a job id, `global`, or any other text. */
  const char *scope_id;
  /** The values to set, by name. Default: none. As JSON. */
  const char *patch_json;
  /** The names to remove, before the values are set. */
  const char *const *remove;
  /** How many `remove` there are. */
  size_t remove_count;
  /** Who makes the change, for the history. */
  const char *source;
  /** Numbers to add to the values of these names; one that is missing counts as 0. Default: none. As JSON. */
  const char *increment_json;
  /**
   * Lists whose elements are appended to the lists of these names; one that is missing counts as empty. Default: none.
   * As JSON.
   */
  const char *append_json;
  /**
   * The values that these names must have, or nothing is changed and the call fails with `Conflict`; null for a name
   * that must be missing. Default: any. As JSON.
   */
  const char *expect_json;
} loopmem_working_update_context_params;

static inline void loopmem_working_update_context_params_write(loopmem_json *json, const loopmem_working_update_context_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->scope_id != NULL) {
    loopmem_json_key(json, "scopeId");
    loopmem_json_text(json, value->scope_id);
  }
  if (value->patch_json != NULL) {
    loopmem_json_key(json, "patch");
    loopmem_json_value(json, value->patch_json);
  }
  if (value->remove != NULL) {
    loopmem_json_key(json, "remove");
    loopmem_json_texts(json, value->remove, value->remove_count);
  }
  if (value->source != NULL) {
    loopmem_json_key(json, "source");
    loopmem_json_text(json, value->source);
  }
  if (value->increment_json != NULL) {
    loopmem_json_key(json, "increment");
    loopmem_json_value(json, value->increment_json);
  }
  if (value->append_json != NULL) {
    loopmem_json_key(json, "append");
    loopmem_json_value(json, value->append_json);
  }
  if (value->expect_json != NULL) {
    loopmem_json_key(json, "expect");
    loopmem_json_value(json, value->expect_json);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Updates the context of a scope and returns the new context.
 *
 * Each value of the patch replaces the whole previous value of that name; null is stored as null. With `increment` and
 * `append`, no other writer's change is lost. Secrets are redacted. The change is recorded in the scope's history.
 */
static inline loopmem_status loopmem_working_update_context(
    loopmem_store store, const loopmem_working_update_context_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_working_update_context_params_write(&json, params);
  return loopmem_json_call(store, "working.updateContext", &json, options, answer);
}

/** The origin of an entry. */
typedef struct loopmem_memory_entry_metadata_draft {
  /** Who added it, such as `user` or `agent-x`. Default: `unknown`. */
  const char *source;
  /** The time, in milliseconds since 1970. Default: now. */
  const double *timestamp;
  /** Its embedding vector, for `working.searchLogs`. */
  const double *embedding;
  /** How many `embedding` there are. */
  size_t embedding_count;
} loopmem_memory_entry_metadata_draft;

static inline void loopmem_memory_entry_metadata_draft_write(loopmem_json *json, const loopmem_memory_entry_metadata_draft *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->source != NULL) {
    loopmem_json_key(json, "source");
    loopmem_json_text(json, value->source);
  }
  if (value->timestamp != NULL) {
    loopmem_json_key(json, "timestamp");
    loopmem_json_number(json, *value->timestamp);
  }
  if (value->embedding != NULL) {
    loopmem_json_key(json, "embedding");
    loopmem_json_numbers(json, value->embedding, value->embedding_count);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** An entry to add to a log. */
typedef struct loopmem_memory_entry_draft {
  /** The entry's id. Default: generated. */
  const char *id;
  /** What happened. */
  const char *content;
  /** Its origin. */
  const loopmem_memory_entry_metadata_draft *metadata;
} loopmem_memory_entry_draft;

static inline void loopmem_memory_entry_draft_write(loopmem_json *json, const loopmem_memory_entry_draft *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  if (value->content != NULL) {
    loopmem_json_key(json, "content");
    loopmem_json_text(json, value->content);
  }
  if (value->metadata != NULL) {
    loopmem_json_key(json, "metadata");
    loopmem_memory_entry_metadata_draft_write(json, value->metadata);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** The params of loopmem_working_add_log. */
typedef struct loopmem_working_add_log_params {
  /** The scope: a job id, `global`, or any other text. */
  const char *scope_id;
  /** The entry to add. */
  const loopmem_memory_entry_draft *entry;
} loopmem_working_add_log_params;

static inline void loopmem_working_add_log_params_write(loopmem_json *json, const loopmem_working_add_log_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->scope_id != NULL) {
    loopmem_json_key(json, "scopeId");
    loopmem_json_text(json, value->scope_id);
  }
  if (value->entry != NULL) {
    loopmem_json_key(json, "entry");
    loopmem_memory_entry_draft_write(json, value->entry);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Adds an entry to the log of a scope and returns it as stored. Secrets are redacted. */
static inline loopmem_status loopmem_working_add_log(
    loopmem_store store, const loopmem_working_add_log_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_working_add_log_params_write(&json, params);
  return loopmem_json_call(store, "working.addLog", &json, options, answer);
}

/** The params of loopmem_working_get_logs. */
typedef struct loopmem_working_get_logs_params {
  /** The scope: a job id, `global`, or any other text. */
  const char *scope_id;
  /** The maximum number of entries: the last ones or, with `after`, the first ones that follow. Default: all. */
  const int64_t *limit;
  /** Only entries that follow the one with this id. */
  const char *after;
} loopmem_working_get_logs_params;

static inline void loopmem_working_get_logs_params_write(loopmem_json *json, const loopmem_working_get_logs_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->scope_id != NULL) {
    loopmem_json_key(json, "scopeId");
    loopmem_json_text(json, value->scope_id);
  }
  if (value->limit != NULL) {
    loopmem_json_key(json, "limit");
    loopmem_json_integer(json, *value->limit);
  }
  if (value->after != NULL) {
    loopmem_json_key(json, "after");
    loopmem_json_text(json, value->after);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns the log of a scope, oldest entry first. */
static inline loopmem_status loopmem_working_get_logs(
    loopmem_store store, const loopmem_working_get_logs_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_working_get_logs_params_write(&json, params);
  return loopmem_json_call(store, "working.getLogs", &json, options, answer);
}

/** The params of loopmem_working_search_logs. */
typedef struct loopmem_working_search_logs_params {
  /** The scope: a job id, `global`, or any other text. */
  const char *scope_id;
  /** The embedding to compare with. */
  const double *embedding;
  /** How many `embedding` there are. */
  size_t embedding_count;
  /** The words to search for. */
  const char *text;
  /** The maximum number of entries. Default: 10. */
  const int64_t *limit;
} loopmem_working_search_logs_params;

static inline void loopmem_working_search_logs_params_write(loopmem_json *json, const loopmem_working_search_logs_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->scope_id != NULL) {
    loopmem_json_key(json, "scopeId");
    loopmem_json_text(json, value->scope_id);
  }
  if (value->embedding != NULL) {
    loopmem_json_key(json, "embedding");
    loopmem_json_numbers(json, value->embedding, value->embedding_count);
  }
  if (value->text != NULL) {
    loopmem_json_key(json, "text");
    loopmem_json_text(json, value->text);
  }
  if (value->limit != NULL) {
    loopmem_json_key(json, "limit");
    loopmem_json_integer(json, *value->limit);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Searches the log of a scope by embedding or by text, and returns the best matches first.
 *
 * Pass either `embedding` or `text`. Embeddings are compared by their cosine similarity, without an approximate index;
 * entries without an embedding, or with one of a different length, are skipped. Texts are ranked by BM25; entries that
 * share no word with the query are skipped.
 */
static inline loopmem_status loopmem_working_search_logs(
    loopmem_store store, const loopmem_working_search_logs_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_working_search_logs_params_write(&json, params);
  return loopmem_json_call(store, "working.searchLogs", &json, options, answer);
}

/** The params of loopmem_working_save_checkpoint. */
typedef struct loopmem_working_save_checkpoint_params {
  /** The job; its scope has the same id. */
  const char *job_id;
} loopmem_working_save_checkpoint_params;

static inline void loopmem_working_save_checkpoint_params_write(loopmem_json *json, const loopmem_working_save_checkpoint_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->job_id != NULL) {
    loopmem_json_key(json, "jobId");
    loopmem_json_text(json, value->job_id);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Saves the context of a job as a checkpoint and returns the checkpoint's timestamp. */
static inline loopmem_status loopmem_working_save_checkpoint(
    loopmem_store store, const loopmem_working_save_checkpoint_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_working_save_checkpoint_params_write(&json, params);
  return loopmem_json_call(store, "working.saveCheckpoint", &json, options, answer);
}

/** The params of loopmem_working_restore_checkpoint. */
typedef struct loopmem_working_restore_checkpoint_params {
  /** The job; its scope has the same id. */
  const char *job_id;
  /** The checkpoint's timestamp. */
  int64_t timestamp;
} loopmem_working_restore_checkpoint_params;

static inline void loopmem_working_restore_checkpoint_params_write(loopmem_json *json, const loopmem_working_restore_checkpoint_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->job_id != NULL) {
    loopmem_json_key(json, "jobId");
    loopmem_json_text(json, value->job_id);
  }
  loopmem_json_key(json, "timestamp");
  loopmem_json_integer(json, value->timestamp);
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Replaces the context of a job with the one saved in a checkpoint, and returns it.
 *
 * The scope's history keeps the replaced context (`replaced`), so that the restore can be undone.
 */
static inline loopmem_status loopmem_working_restore_checkpoint(
    loopmem_store store, const loopmem_working_restore_checkpoint_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_working_restore_checkpoint_params_write(&json, params);
  return loopmem_json_call(store, "working.restoreCheckpoint", &json, options, answer);
}

/** The params of loopmem_working_list_checkpoints. */
typedef struct loopmem_working_list_checkpoints_params {
  /** The job; its scope has the same id. */
  const char *job_id;
} loopmem_working_list_checkpoints_params;

static inline void loopmem_working_list_checkpoints_params_write(loopmem_json *json, const loopmem_working_list_checkpoints_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->job_id != NULL) {
    loopmem_json_key(json, "jobId");
    loopmem_json_text(json, value->job_id);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns the timestamps of a job's checkpoints, oldest first. */
static inline loopmem_status loopmem_working_list_checkpoints(
    loopmem_store store, const loopmem_working_list_checkpoints_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_working_list_checkpoints_params_write(&json, params);
  return loopmem_json_call(store, "working.listCheckpoints", &json, options, answer);
}

/** The params of loopmem_working_delete_checkpoint. */
typedef struct loopmem_working_delete_checkpoint_params {
  /** The job; its scope has the same id. */
  const char *job_id;
  /** The checkpoint's timestamp. */
  int64_t timestamp;
} loopmem_working_delete_checkpoint_params;

static inline void loopmem_working_delete_checkpoint_params_write(loopmem_json *json, const loopmem_working_delete_checkpoint_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->job_id != NULL) {
    loopmem_json_key(json, "jobId");
    loopmem_json_text(json, value->job_id);
  }
  loopmem_json_key(json, "timestamp");
  loopmem_json_integer(json, value->timestamp);
  loopmem_json_bytes(json, "}", 1);
}

/** Deletes a checkpoint. */
static inline loopmem_status loopmem_working_delete_checkpoint(
    loopmem_store store, const loopmem_working_delete_checkpoint_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_working_delete_checkpoint_params_write(&json, params);
  return loopmem_json_call(store, "working.deleteCheckpoint", &json, options, answer);
}

/** The params of loopmem_working_history. */
typedef struct loopmem_working_history_params {
  /** The scope: a job id, `global`, or any other text. */
  const char *scope_id;
  /** The maximum number of changes: the last ones. Default: all. */
  const int64_t *limit;
} loopmem_working_history_params;

static inline void loopmem_working_history_params_write(loopmem_json *json, const loopmem_working_history_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->scope_id != NULL) {
    loopmem_json_key(json, "scopeId");
    loopmem_json_text(json, value->scope_id);
  }
  if (value->limit != NULL) {
    loopmem_json_key(json, "limit");
    loopmem_json_integer(json, *value->limit);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns the history of a scope: the changes to its context, oldest first. */
static inline loopmem_status loopmem_working_history(
    loopmem_store store, const loopmem_working_history_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_working_history_params_write(&json, params);
  return loopmem_json_call(store, "working.history", &json, options, answer);
}

/** The params of loopmem_working_list_scopes. */
typedef struct loopmem_working_list_scopes_params {
  /** Nothing is taken; zero. */
  int unused;
} loopmem_working_list_scopes_params;

static inline void loopmem_working_list_scopes_params_write(loopmem_json *json, const loopmem_working_list_scopes_params *value) {
  loopmem_json_bytes(json, "{", 1);
  (void)value;
  loopmem_json_bytes(json, "}", 1);
}

/** Returns the ids of all scopes that have stored data, sorted. */
static inline loopmem_status loopmem_working_list_scopes(
    loopmem_store store, const loopmem_working_list_scopes_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_working_list_scopes_params_write(&json, params);
  return loopmem_json_call(store, "working.listScopes", &json, options, answer);
}

/** The params of loopmem_working_delete_scope. */
typedef struct loopmem_working_delete_scope_params {
  /** The scope: a job id, `global`, or any other text. */
  const char *scope_id;
  /** Whether it is deleted for good: with every context of it in the trash. Default: false. */
  const bool *purge;
} loopmem_working_delete_scope_params;

static inline void loopmem_working_delete_scope_params_write(loopmem_json *json, const loopmem_working_delete_scope_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->scope_id != NULL) {
    loopmem_json_key(json, "scopeId");
    loopmem_json_text(json, value->scope_id);
  }
  if (value->purge != NULL) {
    loopmem_json_key(json, "purge");
    loopmem_json_boolean(json, *value->purge);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Deletes everything stored for a scope: its context, history, log and checkpoints. `undo.restore` brings the context
 * back, but not the others.
 */
static inline loopmem_status loopmem_working_delete_scope(
    loopmem_store store, const loopmem_working_delete_scope_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_working_delete_scope_params_write(&json, params);
  return loopmem_json_call(store, "working.deleteScope", &json, options, answer);
}

/** The params of loopmem_adapter_get. */
typedef struct loopmem_adapter_get_params {
  /**
   * The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`, `checkpoint:JOB:TIMESTAMP`, or any other
   * text.
   */
  const char *key;
} loopmem_adapter_get_params;

static inline void loopmem_adapter_get_params_write(loopmem_json *json, const loopmem_adapter_get_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->key != NULL) {
    loopmem_json_key(json, "key");
    loopmem_json_text(json, value->key);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns the value under a key of the adapter that stores working contexts. */
static inline loopmem_status loopmem_adapter_get(
    loopmem_store store, const loopmem_adapter_get_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_adapter_get_params_write(&json, params);
  return loopmem_json_call(store, "adapter.get", &json, options, answer);
}

/** The params of loopmem_adapter_set. */
typedef struct loopmem_adapter_set_params {
  /**
   * The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`, `checkpoint:JOB:TIMESTAMP`, or any other
   * text.
   */
  const char *key;
  /** The value, any JSON. As JSON. */
  const char *value_json;
} loopmem_adapter_set_params;

static inline void loopmem_adapter_set_params_write(loopmem_json *json, const loopmem_adapter_set_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->key != NULL) {
    loopmem_json_key(json, "key");
    loopmem_json_text(json, value->key);
  }
  if (value->value_json != NULL) {
    loopmem_json_key(json, "value");
    loopmem_json_value(json, value->value_json);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Sets the value under a key of the adapter and returns it as stored. Secrets are redacted.
 *
 * A context or a checkpoint must be an object. Setting a context adds an entry to the history of its scope; setting a
 * checkpoint adds its timestamp to `checkpoints:JOB`. `logs:SCOPE` and `trail:SCOPE` are lists: use `adapter.push`.
 */
static inline loopmem_status loopmem_adapter_set(
    loopmem_store store, const loopmem_adapter_set_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_adapter_set_params_write(&json, params);
  return loopmem_json_call(store, "adapter.set", &json, options, answer);
}

/** The params of loopmem_adapter_del. */
typedef struct loopmem_adapter_del_params {
  /**
   * The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`, `checkpoint:JOB:TIMESTAMP`, or any other
   * text.
   */
  const char *key;
} loopmem_adapter_del_params;

static inline void loopmem_adapter_del_params_write(loopmem_json *json, const loopmem_adapter_del_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->key != NULL) {
    loopmem_json_key(json, "key");
    loopmem_json_text(json, value->key);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Deletes the value and the list under a key of the adapter.
 *
 * Deleting a context also deletes the history of its scope; `undo.restore` brings the context back. A history cannot be
 * deleted alone.
 */
static inline loopmem_status loopmem_adapter_del(
    loopmem_store store, const loopmem_adapter_del_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_adapter_del_params_write(&json, params);
  return loopmem_json_call(store, "adapter.del", &json, options, answer);
}

/** The params of loopmem_adapter_push. */
typedef struct loopmem_adapter_push_params {
  /**
   * The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`, `checkpoint:JOB:TIMESTAMP`, or any other
   * text.
   */
  const char *key;
  /** The item, any JSON. As JSON. */
  const char *item_json;
} loopmem_adapter_push_params;

static inline void loopmem_adapter_push_params_write(loopmem_json *json, const loopmem_adapter_push_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->key != NULL) {
    loopmem_json_key(json, "key");
    loopmem_json_text(json, value->key);
  }
  if (value->item_json != NULL) {
    loopmem_json_key(json, "item");
    loopmem_json_value(json, value->item_json);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Appends an item to the list under a key of the adapter and returns it as stored. Secrets are redacted.
 *
 * An item of `logs:SCOPE` is a log entry, whose missing members are filled in as by `working.addLog`.
 */
static inline loopmem_status loopmem_adapter_push(
    loopmem_store store, const loopmem_adapter_push_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_adapter_push_params_write(&json, params);
  return loopmem_json_call(store, "adapter.push", &json, options, answer);
}

/** The params of loopmem_adapter_get_list. */
typedef struct loopmem_adapter_get_list_params {
  /**
   * The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`, `checkpoint:JOB:TIMESTAMP`, or any other
   * text.
   */
  const char *key;
} loopmem_adapter_get_list_params;

static inline void loopmem_adapter_get_list_params_write(loopmem_json *json, const loopmem_adapter_get_list_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->key != NULL) {
    loopmem_json_key(json, "key");
    loopmem_json_text(json, value->key);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns the items of the list under a key of the adapter, in the order in which they were added; an empty list if
 * there is no list.
 */
static inline loopmem_status loopmem_adapter_get_list(
    loopmem_store store, const loopmem_adapter_get_list_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_adapter_get_list_params_write(&json, params);
  return loopmem_json_call(store, "adapter.getList", &json, options, answer);
}

/** When an item is relevant. */
typedef struct loopmem_relevance_hints {
  /** Files and folders that it is about, relative to the repository. */
  const char *const *files;
  /** How many `files` there are. */
  size_t files_count;
  /** Packages that it is about. */
  const char *const *crates;
  /** How many `crates` there are. */
  size_t crates_count;
  /** Programming languages that it is about. */
  const char *const *langs;
  /** How many `langs` there are. */
  size_t langs_count;
} loopmem_relevance_hints;

static inline void loopmem_relevance_hints_write(loopmem_json *json, const loopmem_relevance_hints *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->files != NULL) {
    loopmem_json_key(json, "files");
    loopmem_json_texts(json, value->files, value->files_count);
  }
  if (value->crates != NULL) {
    loopmem_json_key(json, "crates");
    loopmem_json_texts(json, value->crates, value->crates_count);
  }
  if (value->langs != NULL) {
    loopmem_json_key(json, "langs");
    loopmem_json_texts(json, value->langs, value->langs_count);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** The params of loopmem_items_add. */
typedef struct loopmem_items_add_params {
  /**
   * Where it applies: in the repository, in a folder, or everywhere. Default: `dir` with `dir`, else `repo` in a git
   * repository, else `global`.
   */
  const char *scope;
  /** What kind of memory it is. Default: `note`. */
  const char *type;
  /** The memory, in one or a few sentences. At most `items.maxContentChars` (240) characters. */
  const char *content;
  /** Tags to find it by. Items with the tag `history` are never recalled. Default: none. */
  const char *const *tags;
  /** How many `tags` there are. */
  size_t tags_count;
  /** When it is relevant. Default: no hints. */
  const loopmem_relevance_hints *relevance_hints;
  /** When it expires: an RFC 3339 time, or a duration from now such as `12h`, `30d`, `2w` or `1y`. Default: never. */
  const char *expiry;
  /** The session that it was said in. Default: none. */
  const char *session;
  /** Its position in the session. Default: the time of its creation. */
  const int64_t *seq;
  /** Its embedding vector. Default: none. */
  const double *embedding;
  /** How many `embedding` there are. */
  size_t embedding_count;
  /** False for an item that is kept but never recalled. Default: true. */
  const bool *recallable;
  /** Whether a secret is redacted instead of refused. Default: false. */
  const bool *force;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_add_params;

static inline void loopmem_items_add_params_write(loopmem_json *json, const loopmem_items_add_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->scope != NULL) {
    loopmem_json_key(json, "scope");
    loopmem_json_text(json, value->scope);
  }
  if (value->type != NULL) {
    loopmem_json_key(json, "type");
    loopmem_json_text(json, value->type);
  }
  if (value->content != NULL) {
    loopmem_json_key(json, "content");
    loopmem_json_text(json, value->content);
  }
  if (value->tags != NULL) {
    loopmem_json_key(json, "tags");
    loopmem_json_texts(json, value->tags, value->tags_count);
  }
  if (value->relevance_hints != NULL) {
    loopmem_json_key(json, "relevance_hints");
    loopmem_relevance_hints_write(json, value->relevance_hints);
  }
  if (value->expiry != NULL) {
    loopmem_json_key(json, "expiry");
    loopmem_json_text(json, value->expiry);
  }
  if (value->session != NULL) {
    loopmem_json_key(json, "session");
    loopmem_json_text(json, value->session);
  }
  if (value->seq != NULL) {
    loopmem_json_key(json, "seq");
    loopmem_json_integer(json, *value->seq);
  }
  if (value->embedding != NULL) {
    loopmem_json_key(json, "embedding");
    loopmem_json_numbers(json, value->embedding, value->embedding_count);
  }
  if (value->recallable != NULL) {
    loopmem_json_key(json, "recallable");
    loopmem_json_boolean(json, *value->recallable);
  }
  if (value->force != NULL) {
    loopmem_json_key(json, "force");
    loopmem_json_boolean(json, *value->force);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Adds an item and returns it as stored.
 *
 * An item that contains a secret is refused: the error names the rule and the field. With `force`, the item is stored
 * with the secret redacted.
 */
static inline loopmem_status loopmem_items_add(
    loopmem_store store, const loopmem_items_add_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_add_params_write(&json, params);
  return loopmem_json_call(store, "items.add", &json, options, answer);
}

/** The params of loopmem_items_get. */
typedef struct loopmem_items_get_params {
  /** The id of the item. */
  const char *id;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_get_params;

static inline void loopmem_items_get_params_write(loopmem_json *json, const loopmem_items_get_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns the item with an id, and how often it was recalled and used. */
static inline loopmem_status loopmem_items_get(
    loopmem_store store, const loopmem_items_get_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_get_params_write(&json, params);
  return loopmem_json_call(store, "items.get", &json, options, answer);
}

/** The params of loopmem_items_sweep. */
typedef struct loopmem_items_sweep_params {
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_sweep_params;

static inline void loopmem_items_sweep_params_write(loopmem_json *json, const loopmem_items_sweep_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Archives the items that have expired, and returns them. */
static inline loopmem_status loopmem_items_sweep(
    loopmem_store store, const loopmem_items_sweep_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_sweep_params_write(&json, params);
  return loopmem_json_call(store, "items.sweep", &json, options, answer);
}

/** The params of loopmem_items_list. */
typedef struct loopmem_items_list_params {
  /** Only items of this scope. */
  const char *scope;
  /** Only items with this status. */
  const char *status;
  /** Only items of this type. */
  const char *type;
  /** Only items with this tag. */
  const char *tag;
  /** Only items with this text in their content, tags or hints, ignoring case. */
  const char *text;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_list_params;

static inline void loopmem_items_list_params_write(loopmem_json *json, const loopmem_items_list_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->scope != NULL) {
    loopmem_json_key(json, "scope");
    loopmem_json_text(json, value->scope);
  }
  if (value->status != NULL) {
    loopmem_json_key(json, "status");
    loopmem_json_text(json, value->status);
  }
  if (value->type != NULL) {
    loopmem_json_key(json, "type");
    loopmem_json_text(json, value->type);
  }
  if (value->tag != NULL) {
    loopmem_json_key(json, "tag");
    loopmem_json_text(json, value->tag);
  }
  if (value->text != NULL) {
    loopmem_json_key(json, "text");
    loopmem_json_text(json, value->text);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns items: those of the repository, of the folder and those above it, and the global ones; oldest first in each
 * of them.
 */
static inline loopmem_status loopmem_items_list(
    loopmem_store store, const loopmem_items_list_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_list_params_write(&json, params);
  return loopmem_json_call(store, "items.list", &json, options, answer);
}

/** A change to an item. A field that is omitted keeps its value; the empty string or list clears it. */
typedef struct loopmem_item_patch {
  /** What kind of memory it is. */
  const char *type;
  /** The memory, in one or a few sentences. */
  const char *content;
  /** Tags to find it by. */
  const char *const *tags;
  /** How many `tags` there are. */
  size_t tags_count;
  /** When it is relevant. */
  const loopmem_relevance_hints *relevance_hints;
  /** When it expires: an RFC 3339 time, or a duration from now such as `30d`. Empty: never. */
  const char *expiry;
  /** The session that it was said in. Empty: none, and no position in it. */
  const char *session;
  /** Its position in the session. */
  const int64_t *seq;
  /** Its embedding vector. Empty: none. */
  const double *embedding;
  /** How many `embedding` there are. */
  size_t embedding_count;
  /** Whether it may be recalled. */
  const bool *recallable;
} loopmem_item_patch;

static inline void loopmem_item_patch_write(loopmem_json *json, const loopmem_item_patch *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->type != NULL) {
    loopmem_json_key(json, "type");
    loopmem_json_text(json, value->type);
  }
  if (value->content != NULL) {
    loopmem_json_key(json, "content");
    loopmem_json_text(json, value->content);
  }
  if (value->tags != NULL) {
    loopmem_json_key(json, "tags");
    loopmem_json_texts(json, value->tags, value->tags_count);
  }
  if (value->relevance_hints != NULL) {
    loopmem_json_key(json, "relevance_hints");
    loopmem_relevance_hints_write(json, value->relevance_hints);
  }
  if (value->expiry != NULL) {
    loopmem_json_key(json, "expiry");
    loopmem_json_text(json, value->expiry);
  }
  if (value->session != NULL) {
    loopmem_json_key(json, "session");
    loopmem_json_text(json, value->session);
  }
  if (value->seq != NULL) {
    loopmem_json_key(json, "seq");
    loopmem_json_integer(json, *value->seq);
  }
  if (value->embedding != NULL) {
    loopmem_json_key(json, "embedding");
    loopmem_json_numbers(json, value->embedding, value->embedding_count);
  }
  if (value->recallable != NULL) {
    loopmem_json_key(json, "recallable");
    loopmem_json_boolean(json, *value->recallable);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** The params of loopmem_items_update. */
typedef struct loopmem_items_update_params {
  /** The id of the item. */
  const char *id;
  /** The change. */
  const loopmem_item_patch *patch;
  /** Whether a secret is redacted instead of refused. Default: false. */
  const bool *force;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_update_params;

static inline void loopmem_items_update_params_write(loopmem_json *json, const loopmem_items_update_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  if (value->patch != NULL) {
    loopmem_json_key(json, "patch");
    loopmem_item_patch_write(json, value->patch);
  }
  if (value->force != NULL) {
    loopmem_json_key(json, "force");
    loopmem_json_boolean(json, *value->force);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Changes an item and returns it as stored.
 *
 * As in `items.add`, a secret is refused unless `force` is set.
 */
static inline loopmem_status loopmem_items_update(
    loopmem_store store, const loopmem_items_update_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_update_params_write(&json, params);
  return loopmem_json_call(store, "items.update", &json, options, answer);
}

/** The params of loopmem_items_archive. */
typedef struct loopmem_items_archive_params {
  /** The id of the item. */
  const char *id;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_archive_params;

static inline void loopmem_items_archive_params_write(loopmem_json *json, const loopmem_items_archive_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Archives an item and returns it: it is kept, but not recalled. */
static inline loopmem_status loopmem_items_archive(
    loopmem_store store, const loopmem_items_archive_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_archive_params_write(&json, params);
  return loopmem_json_call(store, "items.archive", &json, options, answer);
}

/** The params of loopmem_items_restore. */
typedef struct loopmem_items_restore_params {
  /** The id of the item. */
  const char *id;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_restore_params;

static inline void loopmem_items_restore_params_write(loopmem_json *json, const loopmem_items_restore_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Makes an archived item active again, and returns it. If it has expired, it no longer expires. */
static inline loopmem_status loopmem_items_restore(
    loopmem_store store, const loopmem_items_restore_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_restore_params_write(&json, params);
  return loopmem_json_call(store, "items.restore", &json, options, answer);
}

/** The params of loopmem_items_remove. */
typedef struct loopmem_items_remove_params {
  /** The id of the item. Default: those that match the filters, of which at least one is required. */
  const char *id;
  /** Only items of this scope. */
  const char *scope;
  /** Only items with this status. */
  const char *status;
  /** Only items of this type. */
  const char *type;
  /** Only items with this tag. */
  const char *tag;
  /** Only items with this text in their content, tags or hints, ignoring case. */
  const char *text;
  /** Only counts them. Default: false. */
  const bool *dry_run;
  /**
   * Whether they are removed for good: with their counts, every version of them in the trash, and everything damaged
   * that was set aside of their file. Default: false.
   */
  const bool *purge;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_remove_params;

static inline void loopmem_items_remove_params_write(loopmem_json *json, const loopmem_items_remove_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  if (value->scope != NULL) {
    loopmem_json_key(json, "scope");
    loopmem_json_text(json, value->scope);
  }
  if (value->status != NULL) {
    loopmem_json_key(json, "status");
    loopmem_json_text(json, value->status);
  }
  if (value->type != NULL) {
    loopmem_json_key(json, "type");
    loopmem_json_text(json, value->type);
  }
  if (value->tag != NULL) {
    loopmem_json_key(json, "tag");
    loopmem_json_text(json, value->tag);
  }
  if (value->text != NULL) {
    loopmem_json_key(json, "text");
    loopmem_json_text(json, value->text);
  }
  if (value->dry_run != NULL) {
    loopmem_json_key(json, "dryRun");
    loopmem_json_boolean(json, *value->dry_run);
  }
  if (value->purge != NULL) {
    loopmem_json_key(json, "purge");
    loopmem_json_boolean(json, *value->purge);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Removes the item with this id, or every item that matches all given filters. `undo.restore` brings each of them back.
 */
static inline loopmem_status loopmem_items_remove(
    loopmem_store store, const loopmem_items_remove_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_remove_params_write(&json, params);
  return loopmem_json_call(store, "items.remove", &json, options, answer);
}

/** The params of loopmem_items_recall. */
typedef struct loopmem_items_recall_params {
  /** What the agent is about to do. */
  const char *prompt;
  /** The files that the agent is working on, relative to the repository or absolute. Default: none. */
  const char *const *files;
  /** How many `files` there are. */
  size_t files_count;
  /** The packages that the agent is working on. Default: none. */
  const char *const *crates;
  /** How many `crates` there are. */
  size_t crates_count;
  /** The programming languages in use. Default: none. */
  const char *const *langs;
  /** How many `langs` there are. */
  size_t langs_count;
  /** The maximum number of items, at most 1,000. Default: `recall.limit` (8). */
  const int64_t *limit;
  /** The score that an item must at least have, from 0 to 1. Default: `recall.minScore` (0.15). */
  const double *min_score;
  /**
   * The maximum length of the text, in Unicode scalar values. Default: `recall.maxChars` (1,200) beside the
   * preferences, or no limit if there is one in tokens.
   */
  const int64_t *max_chars;
  /**
   * The maximum length of the text, in tokens: as the host's tokenizer counts them, else an estimate that is rather too
   * high. Default: no limit.
   */
  const int64_t *max_tokens;
  /** Whether memory is bypassed: nothing is read or written, and nothing is returned. Default: false. */
  const bool *temporary;
  /**
   * The embedding vector of the prompt, which is compared with those of the items; made by the same model. Default:
   * items are compared by their words.
   */
  const double *embedding;
  /** How many `embedding` there are. */
  size_t embedding_count;
  /** Whether the result is only looked at: the returned items are not counted as seen. Default: false. */
  const bool *preview;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_recall_params;

static inline void loopmem_items_recall_params_write(loopmem_json *json, const loopmem_items_recall_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->prompt != NULL) {
    loopmem_json_key(json, "prompt");
    loopmem_json_text(json, value->prompt);
  }
  if (value->files != NULL) {
    loopmem_json_key(json, "files");
    loopmem_json_texts(json, value->files, value->files_count);
  }
  if (value->crates != NULL) {
    loopmem_json_key(json, "crates");
    loopmem_json_texts(json, value->crates, value->crates_count);
  }
  if (value->langs != NULL) {
    loopmem_json_key(json, "langs");
    loopmem_json_texts(json, value->langs, value->langs_count);
  }
  if (value->limit != NULL) {
    loopmem_json_key(json, "limit");
    loopmem_json_integer(json, *value->limit);
  }
  if (value->min_score != NULL) {
    loopmem_json_key(json, "minScore");
    loopmem_json_number(json, *value->min_score);
  }
  if (value->max_chars != NULL) {
    loopmem_json_key(json, "maxChars");
    loopmem_json_integer(json, *value->max_chars);
  }
  if (value->max_tokens != NULL) {
    loopmem_json_key(json, "maxTokens");
    loopmem_json_integer(json, *value->max_tokens);
  }
  if (value->temporary != NULL) {
    loopmem_json_key(json, "temporary");
    loopmem_json_boolean(json, *value->temporary);
  }
  if (value->embedding != NULL) {
    loopmem_json_key(json, "embedding");
    loopmem_json_numbers(json, value->embedding, value->embedding_count);
  }
  if (value->preview != NULL) {
    loopmem_json_key(json, "preview");
    loopmem_json_boolean(json, *value->preview);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Recalls the items that matter for a prompt, the most relevant first, and returns them as text to be put into it,
 * after the standing ones.
 *
 * Items of type `pref`, `instruction` and `profile` are preferences: without hints they apply to every prompt of their
 * scope, else where a file, a package or a language of the call fits. They have a space of their own,
 * `recall.standingChars` (1,000). What was not added from this home is data until `items.trust` says otherwise.
 *
 * Candidates are the items of the repository, of the folder and those above it; if fewer than
 * `recall.minRepoCandidates` (8) of them match, the global ones join them. They are ranked by the words that they share
 * with the prompt, by the files, packages and languages that the agent is working with, by what was said next to them
 * in the same session, and slightly by how recently they were changed and how often they were used. What scores too
 * little is left out. Archived and expired items are never recalled.
 *
 * The text quotes the items, so that they cannot be mistaken for instructions of the host.
 */
static inline loopmem_status loopmem_items_recall(
    loopmem_store store, const loopmem_items_recall_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_recall_params_write(&json, params);
  return loopmem_json_call(store, "items.recall", &json, options, answer);
}

/** The params of loopmem_items_used. */
typedef struct loopmem_items_used_params {
  /** The ids of the items. */
  const char *const *ids;
  /** How many `ids` there are. */
  size_t ids_count;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_used_params;

static inline void loopmem_items_used_params_write(loopmem_json *json, const loopmem_items_used_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->ids != NULL) {
    loopmem_json_key(json, "ids");
    loopmem_json_texts(json, value->ids, value->ids_count);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Counts that the host used items, which lifts them slightly in later recalls. */
static inline loopmem_status loopmem_items_used(
    loopmem_store store, const loopmem_items_used_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_used_params_write(&json, params);
  return loopmem_json_call(store, "items.used", &json, options, answer);
}

/** The params of loopmem_items_trust. */
typedef struct loopmem_items_trust_params {
  /** True to trust only what was added from this home again. Default: false. */
  const bool *revoke;
  /** True to only look at what would be trusted. Default: false. */
  const bool *dry_run;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_trust_params;

static inline void loopmem_items_trust_params_write(loopmem_json *json, const loopmem_items_trust_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->revoke != NULL) {
    loopmem_json_key(json, "revoke");
    loopmem_json_boolean(json, *value->revoke);
  }
  if (value->dry_run != NULL) {
    loopmem_json_key(json, "dryRun");
    loopmem_json_boolean(json, *value->dry_run);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Trusts the items of the repository and of folders, now and later: those of type `pref`, `instruction` and `profile`
 * then apply to every prompt, regardless of who wrote them. Those that were added from this home apply in any case.
 *
 * It is for people who have read the items, which the result has: a repository may come from anyone.
 */
static inline loopmem_status loopmem_items_trust(
    loopmem_store store, const loopmem_items_trust_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_trust_params_write(&json, params);
  return loopmem_json_call(store, "items.trust", &json, options, answer);
}

/** The params of loopmem_items_export. */
typedef struct loopmem_items_export_params {
  /** Only items of this scope. */
  const char *scope;
  /** The file to create. Default: the items are returned. */
  const char *path;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_export_params;

static inline void loopmem_items_export_params_write(loopmem_json *json, const loopmem_items_export_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->scope != NULL) {
    loopmem_json_key(json, "scope");
    loopmem_json_text(json, value->scope);
  }
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns items with their counts, or writes them to a new file, one per line, as `items.import` takes them. */
static inline loopmem_status loopmem_items_export(
    loopmem_store store, const loopmem_items_export_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_export_params_write(&json, params);
  return loopmem_json_call(store, "items.export", &json, options, answer);
}

/** The params of loopmem_items_import. */
typedef struct loopmem_items_import_params {
  /** The file to read. */
  const char *path;
  /** The items, instead of a file. As JSON. */
  const char *items_json;
  /** The scope of all items. Default: the scope that each one says, else `repo`. */
  const char *scope;
  /**
   * What happens to an item whose id is stored already: the one that was changed last is kept, the stored one is kept,
   * or it is replaced. Default: `newer`.
   */
  const char *on_conflict;
  /** Whether secrets are redacted; otherwise an item with one is skipped. Default: false. */
  const bool *force;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_import_params;

static inline void loopmem_items_import_params_write(loopmem_json *json, const loopmem_items_import_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  if (value->items_json != NULL) {
    loopmem_json_key(json, "items");
    loopmem_json_value(json, value->items_json);
  }
  if (value->scope != NULL) {
    loopmem_json_key(json, "scope");
    loopmem_json_text(json, value->scope);
  }
  if (value->on_conflict != NULL) {
    loopmem_json_key(json, "onConflict");
    loopmem_json_text(json, value->on_conflict);
  }
  if (value->force != NULL) {
    loopmem_json_key(json, "force");
    loopmem_json_boolean(json, *value->force);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Imports items from a file with one item per line, as JSON, or from a list.
 *
 * Ids, dates, unknown fields and counts are kept; an item without an id gets a new one. A line that is damaged or too
 * long is skipped and named, as is one with a secret, unless `force` redacts it.
 */
static inline loopmem_status loopmem_items_import(
    loopmem_store store, const loopmem_items_import_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_import_params_write(&json, params);
  return loopmem_json_call(store, "items.import", &json, options, answer);
}

/** The params of loopmem_items_migrate. */
typedef struct loopmem_items_migrate_params {
  /** The backend to copy to. */
  const char *to;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_migrate_params;

static inline void loopmem_items_migrate_params_write(loopmem_json *json, const loopmem_items_migrate_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->to != NULL) {
    loopmem_json_key(json, "to");
    loopmem_json_text(json, value->to);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Copies the items of all scopes from the other backend to this one, byte for byte and in their order.
 *
 * The source stays as it is, and so does what the target has already. Afterwards, set `CODEX_MEMORY_BACKEND` or open
 * the store with `itemsBackend`.
 */
static inline loopmem_status loopmem_items_migrate(
    loopmem_store store, const loopmem_items_migrate_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_migrate_params_write(&json, params);
  return loopmem_json_call(store, "items.migrate", &json, options, answer);
}

/** The params of loopmem_items_migrate_legacy. */
typedef struct loopmem_items_migrate_legacy_params {
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_migrate_legacy_params;

static inline void loopmem_items_migrate_legacy_params_write(loopmem_json *json, const loopmem_items_migrate_legacy_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Copies the memories of older programs: `*.jsonl` in the folder `memory` of the Codex home become global items, and
 * `.codex/memory/memory.jsonl` of the repository becomes items of the repository.
 *
 * Ids and dates are kept. Events, `exec` and `apply_patch`, are archived with the tag `history` and never recalled.
 * Secrets are redacted. Lines that cannot be read are named, and the files stay as they are; copying them twice is the
 * same as once.
 */
static inline loopmem_status loopmem_items_migrate_legacy(
    loopmem_store store, const loopmem_items_migrate_legacy_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_migrate_legacy_params_write(&json, params);
  return loopmem_json_call(store, "items.migrateLegacy", &json, options, answer);
}

/** The params of loopmem_items_stats. */
typedef struct loopmem_items_stats_params {
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders above it apply
   * too. Default: the workspace.
   */
  const char *dir;
} loopmem_items_stats_params;

static inline void loopmem_items_stats_params_write(loopmem_json *json, const loopmem_items_stats_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->dir != NULL) {
    loopmem_json_key(json, "dir");
    loopmem_json_text(json, value->dir);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Counts the items. */
static inline loopmem_status loopmem_items_stats(
    loopmem_store store, const loopmem_items_stats_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_items_stats_params_write(&json, params);
  return loopmem_json_call(store, "items.stats", &json, options, answer);
}

/** The params of loopmem_files_view. */
typedef struct loopmem_files_view_params {
  /** The file or folder: `/memories/notes.md`. */
  const char *path;
  /** The first and the last line to return, from 1; a last line of -1 is that of the file. Default: all. As JSON. */
  const char *view_range_json;
  /** Whether they are the files of the user, which belong to no repository. Default: `false`. */
  const bool *global;
  /** The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`. */
  const char *sdk;
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  const char *branch_scope;
} loopmem_files_view_params;

static inline void loopmem_files_view_params_write(loopmem_json *json, const loopmem_files_view_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  if (value->view_range_json != NULL) {
    loopmem_json_key(json, "viewRange");
    loopmem_json_value(json, value->view_range_json);
  }
  if (value->global != NULL) {
    loopmem_json_key(json, "global");
    loopmem_json_boolean(json, *value->global);
  }
  if (value->sdk != NULL) {
    loopmem_json_key(json, "sdk");
    loopmem_json_text(json, value->sdk);
  }
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns a file with the numbers of its lines, or what is in a folder, two levels deep.
 *
 * All paths are below `/memories`. Hidden files are not listed, but can be viewed.
 */
static inline loopmem_status loopmem_files_view(
    loopmem_store store, const loopmem_files_view_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_files_view_params_write(&json, params);
  return loopmem_json_call(store, "files.view", &json, options, answer);
}

/** The params of loopmem_files_create. */
typedef struct loopmem_files_create_params {
  /** The path of the new file: `/memories/notes.md`. */
  const char *path;
  /** Its text, at most 16 MiB. */
  const char *file_text;
  /** Whether they are the files of the user, which belong to no repository. Default: `false`. */
  const bool *global;
  /** The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`. */
  const char *sdk;
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  const char *branch_scope;
} loopmem_files_create_params;

static inline void loopmem_files_create_params_write(loopmem_json *json, const loopmem_files_create_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  if (value->file_text != NULL) {
    loopmem_json_key(json, "fileText");
    loopmem_json_text(json, value->file_text);
  }
  if (value->global != NULL) {
    loopmem_json_key(json, "global");
    loopmem_json_boolean(json, *value->global);
  }
  if (value->sdk != NULL) {
    loopmem_json_key(json, "sdk");
    loopmem_json_text(json, value->sdk);
  }
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Creates a file, and its folders. Secrets are redacted. */
static inline loopmem_status loopmem_files_create(
    loopmem_store store, const loopmem_files_create_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_files_create_params_write(&json, params);
  return loopmem_json_call(store, "files.create", &json, options, answer);
}

/** The params of loopmem_files_replace. */
typedef struct loopmem_files_replace_params {
  /** The file. */
  const char *path;
  /** The text that is replaced, which has to be in the file exactly once. */
  const char *old_str;
  /** The text in its place. Default: none, so that the old one is removed. */
  const char *new_str;
  /** Whether they are the files of the user, which belong to no repository. Default: `false`. */
  const bool *global;
  /** The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`. */
  const char *sdk;
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  const char *branch_scope;
} loopmem_files_replace_params;

static inline void loopmem_files_replace_params_write(loopmem_json *json, const loopmem_files_replace_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  if (value->old_str != NULL) {
    loopmem_json_key(json, "oldStr");
    loopmem_json_text(json, value->old_str);
  }
  if (value->new_str != NULL) {
    loopmem_json_key(json, "newStr");
    loopmem_json_text(json, value->new_str);
  }
  if (value->global != NULL) {
    loopmem_json_key(json, "global");
    loopmem_json_boolean(json, *value->global);
  }
  if (value->sdk != NULL) {
    loopmem_json_key(json, "sdk");
    loopmem_json_text(json, value->sdk);
  }
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Replaces a text that is in a file once. Secrets are redacted. */
static inline loopmem_status loopmem_files_replace(
    loopmem_store store, const loopmem_files_replace_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_files_replace_params_write(&json, params);
  return loopmem_json_call(store, "files.replace", &json, options, answer);
}

/** The params of loopmem_files_insert. */
typedef struct loopmem_files_insert_params {
  /** The file. */
  const char *path;
  /** The line behind which it is inserted; 0 is the beginning of the file. */
  int64_t insert_line;
  /** The text. */
  const char *insert_text;
  /** Whether they are the files of the user, which belong to no repository. Default: `false`. */
  const bool *global;
  /** The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`. */
  const char *sdk;
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  const char *branch_scope;
} loopmem_files_insert_params;

static inline void loopmem_files_insert_params_write(loopmem_json *json, const loopmem_files_insert_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  loopmem_json_key(json, "insertLine");
  loopmem_json_integer(json, value->insert_line);
  if (value->insert_text != NULL) {
    loopmem_json_key(json, "insertText");
    loopmem_json_text(json, value->insert_text);
  }
  if (value->global != NULL) {
    loopmem_json_key(json, "global");
    loopmem_json_boolean(json, *value->global);
  }
  if (value->sdk != NULL) {
    loopmem_json_key(json, "sdk");
    loopmem_json_text(json, value->sdk);
  }
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Inserts a text into a file. Secrets are redacted. */
static inline loopmem_status loopmem_files_insert(
    loopmem_store store, const loopmem_files_insert_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_files_insert_params_write(&json, params);
  return loopmem_json_call(store, "files.insert", &json, options, answer);
}

/** The params of loopmem_files_remove. */
typedef struct loopmem_files_remove_params {
  /** The file or folder. */
  const char *path;
  /** Whether it is removed for good, with what the trash has of it. Default: `false`. */
  const bool *purge;
  /** Whether they are the files of the user, which belong to no repository. Default: `false`. */
  const bool *global;
  /** The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`. */
  const char *sdk;
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  const char *branch_scope;
} loopmem_files_remove_params;

static inline void loopmem_files_remove_params_write(loopmem_json *json, const loopmem_files_remove_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  if (value->purge != NULL) {
    loopmem_json_key(json, "purge");
    loopmem_json_boolean(json, *value->purge);
  }
  if (value->global != NULL) {
    loopmem_json_key(json, "global");
    loopmem_json_boolean(json, *value->global);
  }
  if (value->sdk != NULL) {
    loopmem_json_key(json, "sdk");
    loopmem_json_text(json, value->sdk);
  }
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Removes a file, or a folder with everything in it. `undo.restore` brings back each file that was text. */
static inline loopmem_status loopmem_files_remove(
    loopmem_store store, const loopmem_files_remove_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_files_remove_params_write(&json, params);
  return loopmem_json_call(store, "files.remove", &json, options, answer);
}

/** The params of loopmem_files_rename. */
typedef struct loopmem_files_rename_params {
  /** The file or folder. */
  const char *old_path;
  /** Its new path, at which there is nothing yet. */
  const char *new_path;
  /** Whether they are the files of the user, which belong to no repository. Default: `false`. */
  const bool *global;
  /** The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`. */
  const char *sdk;
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  const char *branch_scope;
} loopmem_files_rename_params;

static inline void loopmem_files_rename_params_write(loopmem_json *json, const loopmem_files_rename_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->old_path != NULL) {
    loopmem_json_key(json, "oldPath");
    loopmem_json_text(json, value->old_path);
  }
  if (value->new_path != NULL) {
    loopmem_json_key(json, "newPath");
    loopmem_json_text(json, value->new_path);
  }
  if (value->global != NULL) {
    loopmem_json_key(json, "global");
    loopmem_json_boolean(json, *value->global);
  }
  if (value->sdk != NULL) {
    loopmem_json_key(json, "sdk");
    loopmem_json_text(json, value->sdk);
  }
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Renames a file or a folder, or moves it. The folders above the new path are created. */
static inline loopmem_status loopmem_files_rename(
    loopmem_store store, const loopmem_files_rename_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_files_rename_params_write(&json, params);
  return loopmem_json_call(store, "files.rename", &json, options, answer);
}

/** The params of loopmem_files_list. */
typedef struct loopmem_files_list_params {
  /** The file or folder. Default: `/memories`. */
  const char *path;
  /** Whether they are the files of the user, which belong to no repository. Default: `false`. */
  const bool *global;
  /** The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`. */
  const char *sdk;
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  const char *branch_scope;
} loopmem_files_list_params;

static inline void loopmem_files_list_params_write(loopmem_json *json, const loopmem_files_list_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  if (value->global != NULL) {
    loopmem_json_key(json, "global");
    loopmem_json_boolean(json, *value->global);
  }
  if (value->sdk != NULL) {
    loopmem_json_key(json, "sdk");
    loopmem_json_text(json, value->sdk);
  }
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns the files at a path and below it, by path, hidden ones included. Links are left out. */
static inline loopmem_status loopmem_files_list(
    loopmem_store store, const loopmem_files_list_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_files_list_params_write(&json, params);
  return loopmem_json_call(store, "files.list", &json, options, answer);
}

/** The params of loopmem_rollouts_upsert_thread. */
typedef struct loopmem_rollouts_upsert_thread_params {
  /** The id of the session. */
  const char *id;
  /** The path of its transcript: a rollout of Codex, or a session of Claude Code. */
  const char *rollout_path;
  /** When it changed last, as an RFC 3339 time. */
  const char *updated_at;
  /** Its working folder; empty if it is unknown. */
  const char *cwd;
  /** Where it was held, such as `cli`. Only those in `rollouts.interactiveSources` are extracted. */
  const char *source;
  /** The branch that was checked out. Default: none. */
  const char *git_branch;
  /** Whether its memory may be extracted. Default: as before, and `enabled` for a new session. */
  const char *mode;
  /** Whether the user archived it. Default: as before, and false for a new session. */
  const bool *archived;
} loopmem_rollouts_upsert_thread_params;

static inline void loopmem_rollouts_upsert_thread_params_write(loopmem_json *json, const loopmem_rollouts_upsert_thread_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  if (value->rollout_path != NULL) {
    loopmem_json_key(json, "rolloutPath");
    loopmem_json_text(json, value->rollout_path);
  }
  if (value->updated_at != NULL) {
    loopmem_json_key(json, "updatedAt");
    loopmem_json_text(json, value->updated_at);
  }
  if (value->cwd != NULL) {
    loopmem_json_key(json, "cwd");
    loopmem_json_text(json, value->cwd);
  }
  if (value->source != NULL) {
    loopmem_json_key(json, "source");
    loopmem_json_text(json, value->source);
  }
  if (value->git_branch != NULL) {
    loopmem_json_key(json, "gitBranch");
    loopmem_json_text(json, value->git_branch);
  }
  if (value->mode != NULL) {
    loopmem_json_key(json, "mode");
    loopmem_json_text(json, value->mode);
  }
  if (value->archived != NULL) {
    loopmem_json_key(json, "archived");
    loopmem_json_boolean(json, *value->archived);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Registers a session, or what changed about it, and returns it as stored. Nothing is stored of a session that was
 * forgotten.
 */
static inline loopmem_status loopmem_rollouts_upsert_thread(
    loopmem_store store, const loopmem_rollouts_upsert_thread_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_upsert_thread_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.upsertThread", &json, options, answer);
}

/** The params of loopmem_rollouts_scan. */
typedef struct loopmem_rollouts_scan_params {
  /** Whose transcripts. Default: those of all. */
  const char *const *kinds;
  /** How many `kinds` there are. */
  size_t kinds_count;
  /** The folders to search instead. Default: those above. */
  const char *const *roots;
  /** How many `roots` there are. */
  size_t roots_count;
} loopmem_rollouts_scan_params;

static inline void loopmem_rollouts_scan_params_write(loopmem_json *json, const loopmem_rollouts_scan_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->kinds != NULL) {
    loopmem_json_key(json, "kinds");
    loopmem_json_texts(json, value->kinds, value->kinds_count);
  }
  if (value->roots != NULL) {
    loopmem_json_key(json, "roots");
    loopmem_json_texts(json, value->roots, value->roots_count);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Finds transcripts and registers their sessions: rollouts of Codex below `sessions` and `archived_sessions` in the
 * Codex home, and sessions of Claude Code below `projects` in `CLAUDE_CONFIG_DIR` or `~/.claude`.
 *
 * A transcript that did not change since the last scan is not read; of one that did, only its beginning and its end
 * are.
 */
static inline loopmem_status loopmem_rollouts_scan(
    loopmem_store store, const loopmem_rollouts_scan_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_scan_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.scan", &json, options, answer);
}

/** The params of loopmem_rollouts_input. */
typedef struct loopmem_rollouts_input_params {
  /** The session. */
  const char *thread_id;
  /**
   * The maximum length of the transcript, in tokens of three bytes; at least 100. Default: `rollouts.inputMaxTokens`,
   * and half of it after each failed attempt.
   */
  const int64_t *max_tokens;
} loopmem_rollouts_input_params;

static inline void loopmem_rollouts_input_params_write(loopmem_json *json, const loopmem_rollouts_input_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->thread_id != NULL) {
    loopmem_json_key(json, "threadId");
    loopmem_json_text(json, value->thread_id);
  }
  if (value->max_tokens != NULL) {
    loopmem_json_key(json, "maxTokens");
    loopmem_json_integer(json, *value->max_tokens);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns what a model should read of a session: its transcript, with the instructions and the schema of the answer.
 *
 * The transcript is redacted and without the texts of the system and the developer. It is fitted to the budget by
 * importance, messages of people and final answers first, and is in the order of the session.
 */
static inline loopmem_status loopmem_rollouts_input(
    loopmem_store store, const loopmem_rollouts_input_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_input_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.input", &json, options, answer);
}

/** The params of loopmem_rollouts_claim_stage1. */
typedef struct loopmem_rollouts_claim_stage1_params {
  /** Who claims them, for the status. */
  const char *worker_id;
  /** The maximum number of sessions. Default: as many as may be claimed. */
  const int64_t *limit;
  /** The session that the caller is in, which is never claimed. Default: none. */
  const char *current_thread_id;
} loopmem_rollouts_claim_stage1_params;

static inline void loopmem_rollouts_claim_stage1_params_write(loopmem_json *json, const loopmem_rollouts_claim_stage1_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->worker_id != NULL) {
    loopmem_json_key(json, "workerId");
    loopmem_json_text(json, value->worker_id);
  }
  if (value->limit != NULL) {
    loopmem_json_key(json, "limit");
    loopmem_json_integer(json, *value->limit);
  }
  if (value->current_thread_id != NULL) {
    loopmem_json_key(json, "currentThreadId");
    loopmem_json_text(json, value->current_thread_id);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Claims sessions whose memory is due to be extracted, the newest first.
 *
 * A session is due when it has been idle for 12 hours, is at most 30 days old, and changed since its memory was
 * extracted. A claim ends after an hour unless it is renewed, and spends one of three attempts, which a change of the
 * session refills. At most 64 sessions are claimed at once.
 */
static inline loopmem_status loopmem_rollouts_claim_stage1(
    loopmem_store store, const loopmem_rollouts_claim_stage1_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_claim_stage1_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.claimStage1", &json, options, answer);
}

/** The params of loopmem_rollouts_heartbeat. */
typedef struct loopmem_rollouts_heartbeat_params {
  /** The kind of the claim. */
  const char *kind;
  /** The session, for the claim of one. Default: none. */
  const char *thread_id;
  /** The token of the claim. */
  const char *ownership_token;
} loopmem_rollouts_heartbeat_params;

static inline void loopmem_rollouts_heartbeat_params_write(loopmem_json *json, const loopmem_rollouts_heartbeat_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->kind != NULL) {
    loopmem_json_key(json, "kind");
    loopmem_json_text(json, value->kind);
  }
  if (value->thread_id != NULL) {
    loopmem_json_key(json, "threadId");
    loopmem_json_text(json, value->thread_id);
  }
  if (value->ownership_token != NULL) {
    loopmem_json_key(json, "ownershipToken");
    loopmem_json_text(json, value->ownership_token);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Renews a claim. `LeaseLost` if it is not the caller's anymore: the caller should drop its work. */
static inline loopmem_status loopmem_rollouts_heartbeat(
    loopmem_store store, const loopmem_rollouts_heartbeat_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_heartbeat_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.heartbeat", &json, options, answer);
}

/**
 * The answer of a model.
 *
 * `summary` and `rawMemory`, the names that older prompts ask for, are accepted as well; see `docs/ROLLOUTS.md`.
 */
typedef struct loopmem_stage1_answer {
  /** A short name of the session. Accepted, stored, and not used in the names of files. */
  const char *rollout_slug;
  /** The subject of the session and its outcome. */
  const char *rollout_summary;
  /** The knowledge for later sessions. */
  const char *raw_memory;
} loopmem_stage1_answer;

static inline void loopmem_stage1_answer_write(loopmem_json *json, const loopmem_stage1_answer *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->rollout_slug != NULL) {
    loopmem_json_key(json, "rollout_slug");
    loopmem_json_text(json, value->rollout_slug);
  }
  if (value->rollout_summary != NULL) {
    loopmem_json_key(json, "rollout_summary");
    loopmem_json_text(json, value->rollout_summary);
  }
  if (value->raw_memory != NULL) {
    loopmem_json_key(json, "raw_memory");
    loopmem_json_text(json, value->raw_memory);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** The params of loopmem_rollouts_complete_stage1. */
typedef struct loopmem_rollouts_complete_stage1_params {
  /** The session. */
  const char *thread_id;
  /** The token of the claim. */
  const char *ownership_token;
  /** The answer, or a text that contains it, in a fence or between other words. */
  const char *output;
  /** Instead of `output`: what it says. */
  const loopmem_stage1_answer *output_fields;
} loopmem_rollouts_complete_stage1_params;

static inline void loopmem_rollouts_complete_stage1_params_write(loopmem_json *json, const loopmem_rollouts_complete_stage1_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->thread_id != NULL) {
    loopmem_json_key(json, "threadId");
    loopmem_json_text(json, value->thread_id);
  }
  if (value->ownership_token != NULL) {
    loopmem_json_key(json, "ownershipToken");
    loopmem_json_text(json, value->ownership_token);
  }
  if (value->output != NULL || value->output_fields != NULL) {
    loopmem_json_key(json, "output");
    if (value->output_fields != NULL) {
      loopmem_stage1_answer_write(json, value->output_fields);
    } else {
      loopmem_json_text(json, value->output);
    }
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Stores what a model made of a claimed session. `LeaseLost` if the claim is not the caller's anymore: nothing is
 * written.
 *
 * An output whose texts are all empty is a success: what was stored of the session is removed. Secrets are redacted.
 */
static inline loopmem_status loopmem_rollouts_complete_stage1(
    loopmem_store store, const loopmem_rollouts_complete_stage1_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_complete_stage1_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.completeStage1", &json, options, answer);
}

/** The params of loopmem_rollouts_fail_stage1. */
typedef struct loopmem_rollouts_fail_stage1_params {
  /** The session. */
  const char *thread_id;
  /** The token of the claim. */
  const char *ownership_token;
  /** Why it failed, for the status; at most 2,000 bytes are kept. Secrets are redacted. */
  const char *reason;
  /** When it may be tried again, in seconds from now. Default: `rollouts.retryDelaySecs` (3,600). */
  const int64_t *retry_after_secs;
} loopmem_rollouts_fail_stage1_params;

static inline void loopmem_rollouts_fail_stage1_params_write(loopmem_json *json, const loopmem_rollouts_fail_stage1_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->thread_id != NULL) {
    loopmem_json_key(json, "threadId");
    loopmem_json_text(json, value->thread_id);
  }
  if (value->ownership_token != NULL) {
    loopmem_json_key(json, "ownershipToken");
    loopmem_json_text(json, value->ownership_token);
  }
  if (value->reason != NULL) {
    loopmem_json_key(json, "reason");
    loopmem_json_text(json, value->reason);
  }
  if (value->retry_after_secs != NULL) {
    loopmem_json_key(json, "retryAfterSecs");
    loopmem_json_integer(json, *value->retry_after_secs);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Records that the work on a claimed session failed. It is due again later, unless its attempts are spent. */
static inline loopmem_status loopmem_rollouts_fail_stage1(
    loopmem_store store, const loopmem_rollouts_fail_stage1_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_fail_stage1_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.failStage1", &json, options, answer);
}

/** The params of loopmem_rollouts_materialize. */
typedef struct loopmem_rollouts_materialize_params {
  /**
   * Whether files of these names that loopmem did not write are set aside too: they are renamed to `NAME.edited`.
   * Default: false.
   */
  const bool *take_over;
} loopmem_rollouts_materialize_params;

static inline void loopmem_rollouts_materialize_params_write(loopmem_json *json, const loopmem_rollouts_materialize_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->take_over != NULL) {
    loopmem_json_key(json, "takeOver");
    loopmem_json_boolean(json, *value->take_over);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Brings the files under the memory root up to date: `rollout_summaries/` with a file a session, and `raw_memories.md`.
 *
 * They are a function of what is stored: only files whose contents change are written. A file that was changed is set
 * aside before it is replaced. Files of these names that loopmem did not write are a `Conflict`.
 */
static inline loopmem_status loopmem_rollouts_materialize(
    loopmem_store store, const loopmem_rollouts_materialize_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_materialize_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.materialize", &json, options, answer);
}

/** The params of loopmem_rollouts_claim_consolidation. */
typedef struct loopmem_rollouts_claim_consolidation_params {
  /** Who claims it, for the status. */
  const char *worker_id;
} loopmem_rollouts_claim_consolidation_params;

static inline void loopmem_rollouts_claim_consolidation_params_write(loopmem_json *json, const loopmem_rollouts_claim_consolidation_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->worker_id != NULL) {
    loopmem_json_key(json, "workerId");
    loopmem_json_text(json, value->worker_id);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Claims the consolidation of what sessions left, if there is anything new. One worker has it at a time, for an hour
 * unless it renews its claim.
 *
 * The claim comes with the inputs, what changed since the last consolidation, the files that were edited since, and the
 * instructions for the model. The files that it reads are up to date.
 */
static inline loopmem_status loopmem_rollouts_claim_consolidation(
    loopmem_store store, const loopmem_rollouts_claim_consolidation_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_claim_consolidation_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.claimConsolidation", &json, options, answer);
}

/** The params of loopmem_rollouts_complete_consolidation. */
typedef struct loopmem_rollouts_complete_consolidation_params {
  /** The token of the claim. */
  const char *ownership_token;
  /**
   * The files that the worker wrote or removed, relative to the memory root. Any other file that changed meanwhile was
   * edited by another program or a person, which makes another consolidation due. Default: unknown; then changes to
   * `MEMORY.md`, `memory_summary.md` and `skills/` may be either, and are listed as edited in the next claim.
   */
  const char *const *written;
  /** How many `written` there are. */
  size_t written_count;
} loopmem_rollouts_complete_consolidation_params;

static inline void loopmem_rollouts_complete_consolidation_params_write(loopmem_json *json, const loopmem_rollouts_complete_consolidation_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->ownership_token != NULL) {
    loopmem_json_key(json, "ownershipToken");
    loopmem_json_text(json, value->ownership_token);
  }
  if (value->written != NULL) {
    loopmem_json_key(json, "written");
    loopmem_json_texts(json, value->written, value->written_count);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Ends a consolidation with success. */
static inline loopmem_status loopmem_rollouts_complete_consolidation(
    loopmem_store store, const loopmem_rollouts_complete_consolidation_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_complete_consolidation_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.completeConsolidation", &json, options, answer);
}

/** The params of loopmem_rollouts_fail_consolidation. */
typedef struct loopmem_rollouts_fail_consolidation_params {
  /** The token of the claim. */
  const char *ownership_token;
  /** Why it failed, for the status; at most 2,000 bytes are kept. Secrets are redacted. */
  const char *reason;
  /** When it may be tried again, in seconds from now. Default: `rollouts.retryDelaySecs` (3,600). */
  const int64_t *retry_after_secs;
} loopmem_rollouts_fail_consolidation_params;

static inline void loopmem_rollouts_fail_consolidation_params_write(loopmem_json *json, const loopmem_rollouts_fail_consolidation_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->ownership_token != NULL) {
    loopmem_json_key(json, "ownershipToken");
    loopmem_json_text(json, value->ownership_token);
  }
  if (value->reason != NULL) {
    loopmem_json_key(json, "reason");
    loopmem_json_text(json, value->reason);
  }
  if (value->retry_after_secs != NULL) {
    loopmem_json_key(json, "retryAfterSecs");
    loopmem_json_integer(json, *value->retry_after_secs);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Records that a consolidation failed. New work does not shorten the wait for the next attempt. */
static inline loopmem_status loopmem_rollouts_fail_consolidation(
    loopmem_store store, const loopmem_rollouts_fail_consolidation_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_fail_consolidation_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.failConsolidation", &json, options, answer);
}

/** The params of loopmem_rollouts_run. */
typedef struct loopmem_rollouts_run_params {
  /** The program that extracts, and its arguments. Default: that of `with`. */
  const char *const *stage1_command;
  /** How many `stage1_command` there are. */
  size_t stage1_command_count;
  /** The program that consolidates, and its arguments. Default: that of `with`, else nothing is consolidated. */
  const char *const *consolidate_command;
  /** How many `consolidate_command` there are. */
  size_t consolidate_command_count;
  /**
   * A program that brings a model along, for what has no command: `claude`, `codex`, `gemini` or `ollama:MODEL`.
   * Default: `rollouts.with`, unless there is a `stage1Command`.
   */
  const char *with;
  /** The maximum number of sessions. Default: all that are due. */
  const int64_t *limit;
  /** How long a command may take, in seconds; at most 86,400. Default: 600. */
  const int64_t *command_timeout_secs;
  /** As for `rollouts.materialize`. Default: false. */
  const bool *take_over;
} loopmem_rollouts_run_params;

static inline void loopmem_rollouts_run_params_write(loopmem_json *json, const loopmem_rollouts_run_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->stage1_command != NULL) {
    loopmem_json_key(json, "stage1Command");
    loopmem_json_texts(json, value->stage1_command, value->stage1_command_count);
  }
  if (value->consolidate_command != NULL) {
    loopmem_json_key(json, "consolidateCommand");
    loopmem_json_texts(json, value->consolidate_command, value->consolidate_command_count);
  }
  if (value->with != NULL) {
    loopmem_json_key(json, "with");
    loopmem_json_text(json, value->with);
  }
  if (value->limit != NULL) {
    loopmem_json_key(json, "limit");
    loopmem_json_integer(json, *value->limit);
  }
  if (value->command_timeout_secs != NULL) {
    loopmem_json_key(json, "commandTimeoutSecs");
    loopmem_json_integer(json, *value->command_timeout_secs);
  }
  if (value->take_over != NULL) {
    loopmem_json_key(json, "takeOver");
    loopmem_json_boolean(json, *value->take_over);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Works on every session that is due, and then consolidates, with external commands as the model.
 *
 * A command gets one JSON object on standard input and writes its answer to standard output; `docs/ROLLOUTS.md` has the
 * members. One that fails, takes too long or answers nonsense fails its session, which is tried again later. After
 * three failures in a row, the other sessions are left for the next run. A command that cannot be started, or that ends
 * with exit status 127, is a `ValidationError` and spends no attempt.
 */
static inline loopmem_status loopmem_rollouts_run(
    loopmem_store store, const loopmem_rollouts_run_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_run_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.run", &json, options, answer);
}

/** The params of loopmem_rollouts_status. */
typedef struct loopmem_rollouts_status_params {
  /** Nothing is taken; zero. */
  int unused;
} loopmem_rollouts_status_params;

static inline void loopmem_rollouts_status_params_write(loopmem_json *json, const loopmem_rollouts_status_params *value) {
  loopmem_json_bytes(json, "{", 1);
  (void)value;
  loopmem_json_bytes(json, "}", 1);
}

/** Returns how many sessions and jobs are in which state, when the next one is due, and how the consolidation is. */
static inline loopmem_status loopmem_rollouts_status(
    loopmem_store store, const loopmem_rollouts_status_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_status_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.status", &json, options, answer);
}

/** The params of loopmem_rollouts_list. */
typedef struct loopmem_rollouts_list_params {
  /** Only sessions with one of these reasons. Default: all. */
  const char *const *reasons;
  /** How many `reasons` there are. */
  size_t reasons_count;
  /** The maximum number of sessions, at least 1. Default: 50. */
  const int64_t *limit;
} loopmem_rollouts_list_params;

static inline void loopmem_rollouts_list_params_write(loopmem_json *json, const loopmem_rollouts_list_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->reasons != NULL) {
    loopmem_json_key(json, "reasons");
    loopmem_json_texts(json, value->reasons, value->reasons_count);
  }
  if (value->limit != NULL) {
    loopmem_json_key(json, "limit");
    loopmem_json_integer(json, *value->limit);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns the registered sessions, the one that changed last first, each with why it is or is not extracted. */
static inline loopmem_status loopmem_rollouts_list(
    loopmem_store store, const loopmem_rollouts_list_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_list_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.list", &json, options, answer);
}

/** The params of loopmem_rollouts_read. */
typedef struct loopmem_rollouts_read_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
  /** The file, as it is listed. Default: the list, without texts. */
  const char *path;
} loopmem_rollouts_read_params;

static inline void loopmem_rollouts_read_params_write(loopmem_json *json, const loopmem_rollouts_read_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns the files of the memory root that agents may read, or one of them with its text: `memory_summary.md`,
 * `MEMORY.md` and `skills/NAME/SKILL.md`. What is about other projects is left out, and so is what sessions left that
 * were withdrawn. The list is empty if there is no such file.
 */
static inline loopmem_status loopmem_rollouts_read(
    loopmem_store store, const loopmem_rollouts_read_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_read_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.read", &json, options, answer);
}

/** The params of loopmem_rollouts_explain. */
typedef struct loopmem_rollouts_explain_params {
  /** The session. */
  const char *thread_id;
} loopmem_rollouts_explain_params;

static inline void loopmem_rollouts_explain_params_write(loopmem_json *json, const loopmem_rollouts_explain_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->thread_id != NULL) {
    loopmem_json_key(json, "threadId");
    loopmem_json_text(json, value->thread_id);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns why a session is or is not extracted, with its job and its output. */
static inline loopmem_status loopmem_rollouts_explain(
    loopmem_store store, const loopmem_rollouts_explain_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_explain_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.explain", &json, options, answer);
}

/** The params of loopmem_rollouts_retry. */
typedef struct loopmem_rollouts_retry_params {
  /** The sessions. Default: all that failed, and the consolidation if it did. */
  const char *const *thread_ids;
  /** How many `thread_ids` there are. */
  size_t thread_ids_count;
} loopmem_rollouts_retry_params;

static inline void loopmem_rollouts_retry_params_write(loopmem_json *json, const loopmem_rollouts_retry_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->thread_ids != NULL) {
    loopmem_json_key(json, "threadIds");
    loopmem_json_texts(json, value->thread_ids, value->thread_ids_count);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Makes sessions that failed due again: their attempts are refilled and their waits end. */
static inline loopmem_status loopmem_rollouts_retry(
    loopmem_store store, const loopmem_rollouts_retry_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_retry_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.retry", &json, options, answer);
}

/** The params of loopmem_rollouts_record_usage. */
typedef struct loopmem_rollouts_record_usage_params {
  /** The sessions, each of which counts once. */
  const char *const *thread_ids;
  /** How many `thread_ids` there are. */
  size_t thread_ids_count;
} loopmem_rollouts_record_usage_params;

static inline void loopmem_rollouts_record_usage_params_write(loopmem_json *json, const loopmem_rollouts_record_usage_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->thread_ids != NULL) {
    loopmem_json_key(json, "threadIds");
    loopmem_json_texts(json, value->thread_ids, value->thread_ids_count);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Counts that the memory of sessions was used, such as when it is cited. What is used often and recently is
 * consolidated first.
 */
static inline loopmem_status loopmem_rollouts_record_usage(
    loopmem_store store, const loopmem_rollouts_record_usage_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_record_usage_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.recordUsage", &json, options, answer);
}

/** The params of loopmem_rollouts_set_mode. */
typedef struct loopmem_rollouts_set_mode_params {
  /** The session. */
  const char *thread_id;
  /** Whether its memory may be extracted. */
  const char *mode;
} loopmem_rollouts_set_mode_params;

static inline void loopmem_rollouts_set_mode_params_write(loopmem_json *json, const loopmem_rollouts_set_mode_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->thread_id != NULL) {
    loopmem_json_key(json, "threadId");
    loopmem_json_text(json, value->thread_id);
  }
  if (value->mode != NULL) {
    loopmem_json_key(json, "mode");
    loopmem_json_text(json, value->mode);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Sets whether the memory of a session may be extracted and shown. If something was extracted, another consolidation is
 * due, and the next `rollouts.materialize` adds or removes its files.
 */
static inline loopmem_status loopmem_rollouts_set_mode(
    loopmem_store store, const loopmem_rollouts_set_mode_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_set_mode_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.setMode", &json, options, answer);
}

/** The params of loopmem_rollouts_forget. */
typedef struct loopmem_rollouts_forget_params {
  /** The session. */
  const char *thread_id;
} loopmem_rollouts_forget_params;

static inline void loopmem_rollouts_forget_params_write(loopmem_json *json, const loopmem_rollouts_forget_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->thread_id != NULL) {
    loopmem_json_key(json, "threadId");
    loopmem_json_text(json, value->thread_id);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Removes everything that is stored of a session, and its files. It is never extracted again. If it was part of the
 * last consolidation, another one is due.
 */
static inline loopmem_status loopmem_rollouts_forget(
    loopmem_store store, const loopmem_rollouts_forget_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_forget_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.forget", &json, options, answer);
}

/** The params of loopmem_rollouts_reset. */
typedef struct loopmem_rollouts_reset_params {
  /** True if sessions are due again at once. Default: false; each is due when it changes. */
  const bool *reextract;
} loopmem_rollouts_reset_params;

static inline void loopmem_rollouts_reset_params_write(loopmem_json *json, const loopmem_rollouts_reset_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->reextract != NULL) {
    loopmem_json_key(json, "reextract");
    loopmem_json_boolean(json, *value->reextract);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Clears outputs and jobs, and the files made of them. Sessions, their modes and what was forgotten stay. What a
 * consolidation wrote stays too.
 */
static inline loopmem_status loopmem_rollouts_reset(
    loopmem_store store, const loopmem_rollouts_reset_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_reset_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.reset", &json, options, answer);
}

/** The params of loopmem_rollouts_migrate_legacy_root. */
typedef struct loopmem_rollouts_migrate_legacy_root_params {
  /** Nothing is taken; zero. */
  int unused;
} loopmem_rollouts_migrate_legacy_root_params;

static inline void loopmem_rollouts_migrate_legacy_root_params_write(loopmem_json *json, const loopmem_rollouts_migrate_legacy_root_params *value) {
  loopmem_json_bytes(json, "{", 1);
  (void)value;
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Moves the memory of an older program from `memories/user/memory` to the memory root, once, if the root holds no other
 * memory. Nothing is overwritten, and the folders for single working folders stay where they are.
 */
static inline loopmem_status loopmem_rollouts_migrate_legacy_root(
    loopmem_store store, const loopmem_rollouts_migrate_legacy_root_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_rollouts_migrate_legacy_root_params_write(&json, params);
  return loopmem_json_call(store, "rollouts.migrateLegacyRoot", &json, options, answer);
}

/** The params of loopmem_branch_parse_config. */
typedef struct loopmem_branch_parse_config_params {
  /**
   * The configuration: its value (a boolean, an object or a list), an object that has it under `repo-memory` or
   * `tools.repo-memory`, or a text in YAML or JSON with one of them, such as a workflow with front matter. Default:
   * `true`. As JSON.
   */
  const char *config_json;
} loopmem_branch_parse_config_params;

static inline void loopmem_branch_parse_config_params_write(loopmem_json *json, const loopmem_branch_parse_config_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->config_json != NULL) {
    loopmem_json_key(json, "config");
    loopmem_json_value(json, value->config_json);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Reads the configuration of memories and returns each with its folder, its branch and its limits.
 *
 * Without an `id`, a memory is called `default`. Its branch is `memory/ID`, unless `branch-name` says otherwise.
 */
static inline loopmem_status loopmem_branch_parse_config(
    loopmem_store store, const loopmem_branch_parse_config_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_parse_config_params_write(&json, params);
  return loopmem_json_call(store, "branch.parseConfig", &json, options, answer);
}

/** The params of loopmem_branch_checkout. */
typedef struct loopmem_branch_checkout_params {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory `default`. As
   * JSON.
   */
  const char *entry_json;
  /** The folder. Default: that of the memory. */
  const char *directory;
  /** The folder of a repository with the remote. Default: the current folder, unless the memory names a repository. */
  const char *repo_dir;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the repository. Default: the
   * repository that the memory names, or else the only remote, or `origin`.
   */
  const char *remote;
  /**
   * The commit of the branch whose files the folder gets, as an earlier checkout returned it; a push merges them with
   * what came later. Default: the newest.
   */
  const char *at;
} loopmem_branch_checkout_params;

static inline void loopmem_branch_checkout_params_write(loopmem_json *json, const loopmem_branch_checkout_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->entry_json != NULL) {
    loopmem_json_key(json, "entry");
    loopmem_json_value(json, value->entry_json);
  }
  if (value->directory != NULL) {
    loopmem_json_key(json, "directory");
    loopmem_json_text(json, value->directory);
  }
  if (value->repo_dir != NULL) {
    loopmem_json_key(json, "repoDir");
    loopmem_json_text(json, value->repo_dir);
  }
  if (value->remote != NULL) {
    loopmem_json_key(json, "remote");
    loopmem_json_text(json, value->remote);
  }
  if (value->at != NULL) {
    loopmem_json_key(json, "at");
    loopmem_json_text(json, value->at);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Brings the folder of a memory up to date with its branch, and returns the commit that its files come from.
 *
 * Unpushed changes in the folder stay: they are merged with the branch as `branch.push` merges them. If the branch does
 * not exist, the folder is created, and the first push creates the branch; if `create-orphan` is false, that is an
 * error. The user's own git does the network work. Reports its progress in two steps.
 */
static inline loopmem_status loopmem_branch_checkout(
    loopmem_store store, const loopmem_branch_checkout_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_checkout_params_write(&json, params);
  return loopmem_json_call(store, "branch.checkout", &json, options, answer);
}

/** The params of loopmem_branch_validate. */
typedef struct loopmem_branch_validate_params {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory `default`. As
   * JSON.
   */
  const char *entry_json;
  /** The folder. Default: that of the memory. */
  const char *directory;
  /** The folder of a repository with the remote. Default: the current folder, unless the memory names a repository. */
  const char *repo_dir;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the repository. Default: the
   * repository that the memory names, or else the only remote, or `origin`.
   */
  const char *remote;
  /**
   * Whether the files are also checked as a push would leave them on the branch: merged with what others pushed, which
   * is fetched. Nothing is pushed. Default: `false`.
   */
  const bool *merged;
} loopmem_branch_validate_params;

static inline void loopmem_branch_validate_params_write(loopmem_json *json, const loopmem_branch_validate_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->entry_json != NULL) {
    loopmem_json_key(json, "entry");
    loopmem_json_value(json, value->entry_json);
  }
  if (value->directory != NULL) {
    loopmem_json_key(json, "directory");
    loopmem_json_text(json, value->directory);
  }
  if (value->repo_dir != NULL) {
    loopmem_json_key(json, "repoDir");
    loopmem_json_text(json, value->repo_dir);
  }
  if (value->remote != NULL) {
    loopmem_json_key(json, "remote");
    loopmem_json_text(json, value->remote);
  }
  if (value->merged != NULL) {
    loopmem_json_key(json, "merged");
    loopmem_json_boolean(json, *value->merged);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Checks the files in the folder of a memory against its rules, and returns every fault with its path, rule and limit.
 *
 * `branch.push` makes the same checks first. In addition, it looks for secrets in the files, and checks the files
 * together with those that others have pushed; so does this method if `merged` is true.
 */
static inline loopmem_status loopmem_branch_validate(
    loopmem_store store, const loopmem_branch_validate_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_validate_params_write(&json, params);
  return loopmem_json_call(store, "branch.validate", &json, options, answer);
}

/** The params of loopmem_branch_push. */
typedef struct loopmem_branch_push_params {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory `default`. As
   * JSON.
   */
  const char *entry_json;
  /** The folder. Default: that of the memory. */
  const char *directory;
  /** The folder of a repository with the remote. Default: the current folder, unless the memory names a repository. */
  const char *repo_dir;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the repository. Default: the
   * repository that the memory names, or else the only remote, or `origin`.
   */
  const char *remote;
  /**
   * The commit that the files come from, as `branch.checkout` returned it on another machine, or `none` if it returned
   * null. Default: that of the last checkout or push of this folder.
   */
  const char *base;
  /** The id of the run, for the message of the commit, at most 200 bytes. */
  const char *run_id;
  /** The message of the commit, at most 4,000 bytes. Default: `Update repo memory from workflow run ID`. */
  const char *message;
} loopmem_branch_push_params;

static inline void loopmem_branch_push_params_write(loopmem_json *json, const loopmem_branch_push_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->entry_json != NULL) {
    loopmem_json_key(json, "entry");
    loopmem_json_value(json, value->entry_json);
  }
  if (value->directory != NULL) {
    loopmem_json_key(json, "directory");
    loopmem_json_text(json, value->directory);
  }
  if (value->repo_dir != NULL) {
    loopmem_json_key(json, "repoDir");
    loopmem_json_text(json, value->repo_dir);
  }
  if (value->remote != NULL) {
    loopmem_json_key(json, "remote");
    loopmem_json_text(json, value->remote);
  }
  if (value->base != NULL) {
    loopmem_json_key(json, "base");
    loopmem_json_text(json, value->base);
  }
  if (value->run_id != NULL) {
    loopmem_json_key(json, "runId");
    loopmem_json_text(json, value->run_id);
  }
  if (value->message != NULL) {
    loopmem_json_key(json, "message");
    loopmem_json_text(json, value->message);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Commits the files in the folder of a memory to its branch, merged with what others pushed meanwhile, and brings the
 * folder up to date.
 *
 * Removed and renamed files are removed and renamed on the branch too. Where both sides changed the same thing, the
 * folder wins, and `conflicts` says where the other version is. Secrets in texts are redacted. Nothing is pushed if a
 * file breaks a rule, alone or together with those of others. If the repository cannot be reached or does not take the
 * push, or others are faster every time, the call fails with a `GitError`, and the commit waits beside the folder for
 * the next push. A cancelled call may have pushed (`mayBeStored`). Reports its progress in three steps.
 */
static inline loopmem_status loopmem_branch_push(
    loopmem_store store, const loopmem_branch_push_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_push_params_write(&json, params);
  return loopmem_json_call(store, "branch.push", &json, options, answer);
}

/** The params of loopmem_branch_pack. */
typedef struct loopmem_branch_pack_params {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory `default`. As
   * JSON.
   */
  const char *entry_json;
  /** The folder. Default: that of the memory. */
  const char *directory;
  /** The path of the artifact, which ends in `.tar.zst`, `.tar.gz` or `.tar`. An existing one is replaced. */
  const char *artifact_path;
  /** The path of an earlier artifact, whose contents are left out. */
  const char *since;
} loopmem_branch_pack_params;

static inline void loopmem_branch_pack_params_write(loopmem_json *json, const loopmem_branch_pack_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->entry_json != NULL) {
    loopmem_json_key(json, "entry");
    loopmem_json_value(json, value->entry_json);
  }
  if (value->directory != NULL) {
    loopmem_json_key(json, "directory");
    loopmem_json_text(json, value->directory);
  }
  if (value->artifact_path != NULL) {
    loopmem_json_key(json, "artifactPath");
    loopmem_json_text(json, value->artifact_path);
  }
  if (value->since != NULL) {
    loopmem_json_key(json, "since");
    loopmem_json_text(json, value->since);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Writes an artifact of the files in the folder of a memory: one file that passes them on to another job or machine.
 *
 * It is a tar file that names the memory, the commit that its files come from, and every file with its hash. Secrets in
 * texts are redacted. The same files give the same bytes.
 */
static inline loopmem_status loopmem_branch_pack(
    loopmem_store store, const loopmem_branch_pack_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_pack_params_write(&json, params);
  return loopmem_json_call(store, "branch.pack", &json, options, answer);
}

/** The params of loopmem_branch_unpack. */
typedef struct loopmem_branch_unpack_params {
  /** The path of the artifact. */
  const char *artifact_path;
  /** The folder. Default: that of the artifact's memory on this machine. */
  const char *directory;
} loopmem_branch_unpack_params;

static inline void loopmem_branch_unpack_params_write(loopmem_json *json, const loopmem_branch_unpack_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->artifact_path != NULL) {
    loopmem_json_key(json, "artifactPath");
    loopmem_json_text(json, value->artifact_path);
  }
  if (value->directory != NULL) {
    loopmem_json_key(json, "directory");
    loopmem_json_text(json, value->directory);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Brings the files of an artifact to the folder of its memory.
 *
 * Files that are the same are not written, changes in the folder stay, and the next `branch.push` knows the commit that
 * the files come from. Everything in the artifact is checked before the first file is written.
 */
static inline loopmem_status loopmem_branch_unpack(
    loopmem_store store, const loopmem_branch_unpack_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_unpack_params_write(&json, params);
  return loopmem_json_call(store, "branch.unpack", &json, options, answer);
}

/** The params of loopmem_branch_snapshot. */
typedef struct loopmem_branch_snapshot_params {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory `default`. As
   * JSON.
   */
  const char *entry_json;
  /** The name: 1 to 100 letters, digits, `-`, `_` and `.`. Default: the time, such as `20250131T120000Z`. */
  const char *tag;
  /** The folder of a repository with the remote. Default: the current folder, unless the memory names a repository. */
  const char *repo_dir;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the repository. Default: the
   * repository that the memory names, or else the only remote, or `origin`.
   */
  const char *remote;
} loopmem_branch_snapshot_params;

static inline void loopmem_branch_snapshot_params_write(loopmem_json *json, const loopmem_branch_snapshot_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->entry_json != NULL) {
    loopmem_json_key(json, "entry");
    loopmem_json_value(json, value->entry_json);
  }
  if (value->tag != NULL) {
    loopmem_json_key(json, "tag");
    loopmem_json_text(json, value->tag);
  }
  if (value->repo_dir != NULL) {
    loopmem_json_key(json, "repoDir");
    loopmem_json_text(json, value->repo_dir);
  }
  if (value->remote != NULL) {
    loopmem_json_key(json, "remote");
    loopmem_json_text(json, value->remote);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Makes a snapshot of the branch of a memory, as it is in its repository.
 *
 * It is the tag `BRANCH/NAME` of the repository. It does not have unpushed changes.
 */
static inline loopmem_status loopmem_branch_snapshot(
    loopmem_store store, const loopmem_branch_snapshot_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_snapshot_params_write(&json, params);
  return loopmem_json_call(store, "branch.snapshot", &json, options, answer);
}

/** The params of loopmem_branch_snapshots. */
typedef struct loopmem_branch_snapshots_params {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory `default`. As
   * JSON.
   */
  const char *entry_json;
  /** The folder of a repository with the remote. Default: the current folder, unless the memory names a repository. */
  const char *repo_dir;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the repository. Default: the
   * repository that the memory names, or else the only remote, or `origin`.
   */
  const char *remote;
} loopmem_branch_snapshots_params;

static inline void loopmem_branch_snapshots_params_write(loopmem_json *json, const loopmem_branch_snapshots_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->entry_json != NULL) {
    loopmem_json_key(json, "entry");
    loopmem_json_value(json, value->entry_json);
  }
  if (value->repo_dir != NULL) {
    loopmem_json_key(json, "repoDir");
    loopmem_json_text(json, value->repo_dir);
  }
  if (value->remote != NULL) {
    loopmem_json_key(json, "remote");
    loopmem_json_text(json, value->remote);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns the snapshots of the branch of a memory, newest first. */
static inline loopmem_status loopmem_branch_snapshots(
    loopmem_store store, const loopmem_branch_snapshots_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_snapshots_params_write(&json, params);
  return loopmem_json_call(store, "branch.snapshots", &json, options, answer);
}

/** The params of loopmem_branch_rollback. */
typedef struct loopmem_branch_rollback_params {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory `default`. As
   * JSON.
   */
  const char *entry_json;
  /** The name of the snapshot. */
  const char *tag;
  /** The folder of a repository with the remote. Default: the current folder, unless the memory names a repository. */
  const char *repo_dir;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the repository. Default: the
   * repository that the memory names, or else the only remote, or `origin`.
   */
  const char *remote;
} loopmem_branch_rollback_params;

static inline void loopmem_branch_rollback_params_write(loopmem_json *json, const loopmem_branch_rollback_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->entry_json != NULL) {
    loopmem_json_key(json, "entry");
    loopmem_json_value(json, value->entry_json);
  }
  if (value->tag != NULL) {
    loopmem_json_key(json, "tag");
    loopmem_json_text(json, value->tag);
  }
  if (value->repo_dir != NULL) {
    loopmem_json_key(json, "repoDir");
    loopmem_json_text(json, value->repo_dir);
  }
  if (value->remote != NULL) {
    loopmem_json_key(json, "remote");
    loopmem_json_text(json, value->remote);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Sets the files of the branch of a memory back to a snapshot, by a commit on top of what the branch has.
 *
 * Nothing is lost: the commits in between stay. The next checkout or push of the folder changes its files.
 */
static inline loopmem_status loopmem_branch_rollback(
    loopmem_store store, const loopmem_branch_rollback_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_rollback_params_write(&json, params);
  return loopmem_json_call(store, "branch.rollback", &json, options, answer);
}

/** The params of loopmem_branch_prune. */
typedef struct loopmem_branch_prune_params {
  /**
   * The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory `default`. As
   * JSON.
   */
  const char *entry_json;
  /** How many of the newest are kept. */
  const int64_t *keep;
  /** The maximum age of those that are kept, in days. */
  const int64_t *max_age_days;
  /** The folder of a repository with the remote. Default: the current folder, unless the memory names a repository. */
  const char *repo_dir;
  /**
   * The URL or the path of the repository with the branch, or the name of a remote of the repository. Default: the
   * repository that the memory names, or else the only remote, or `origin`.
   */
  const char *remote;
} loopmem_branch_prune_params;

static inline void loopmem_branch_prune_params_write(loopmem_json *json, const loopmem_branch_prune_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->entry_json != NULL) {
    loopmem_json_key(json, "entry");
    loopmem_json_value(json, value->entry_json);
  }
  if (value->keep != NULL) {
    loopmem_json_key(json, "keep");
    loopmem_json_integer(json, *value->keep);
  }
  if (value->max_age_days != NULL) {
    loopmem_json_key(json, "maxAgeDays");
    loopmem_json_integer(json, *value->max_age_days);
  }
  if (value->repo_dir != NULL) {
    loopmem_json_key(json, "repoDir");
    loopmem_json_text(json, value->repo_dir);
  }
  if (value->remote != NULL) {
    loopmem_json_key(json, "remote");
    loopmem_json_text(json, value->remote);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Removes snapshots of the branch of a memory: all but the newest, or those of a certain age. Without a limit, it
 * removes none.
 */
static inline loopmem_status loopmem_branch_prune(
    loopmem_store store, const loopmem_branch_prune_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_prune_params_write(&json, params);
  return loopmem_json_call(store, "branch.prune", &json, options, answer);
}

/** The params of loopmem_branch_prompt. */
typedef struct loopmem_branch_prompt_params {
  /** The configuration, as for `branch.parseConfig`. Default: `true`. As JSON. */
  const char *config_json;
} loopmem_branch_prompt_params;

static inline void loopmem_branch_prompt_params_write(loopmem_json *json, const loopmem_branch_prompt_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->config_json != NULL) {
    loopmem_json_key(json, "config");
    loopmem_json_value(json, value->config_json);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns the section of a prompt that describes memories to an agent: folders, branches, limits and patterns. */
static inline loopmem_status loopmem_branch_prompt(
    loopmem_store store, const loopmem_branch_prompt_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_prompt_params_write(&json, params);
  return loopmem_json_call(store, "branch.prompt", &json, options, answer);
}

/** The params of loopmem_branch_workflow. */
typedef struct loopmem_branch_workflow_params {
  /** The configuration, as for `branch.parseConfig`. Default: `true`. As JSON. */
  const char *config_json;
} loopmem_branch_workflow_params;

static inline void loopmem_branch_workflow_params_write(loopmem_json *json, const loopmem_branch_workflow_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->config_json != NULL) {
    loopmem_json_key(json, "config");
    loopmem_json_value(json, value->config_json);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns the steps of a workflow of GitHub Actions that check memories out before an agent runs, upload them after it,
 * and validate and push them in a job of their own. They call the command `loopmem`.
 */
static inline loopmem_status loopmem_branch_workflow(
    loopmem_store store, const loopmem_branch_workflow_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_workflow_params_write(&json, params);
  return loopmem_json_call(store, "branch.workflow", &json, options, answer);
}

/** The params of loopmem_branch_match. */
typedef struct loopmem_branch_match_params {
  /** The pattern, at most 4,096 bytes. */
  const char *pattern;
  /** The path, with `/` between its parts. */
  const char *path;
} loopmem_branch_match_params;

static inline void loopmem_branch_match_params_write(loopmem_json *json, const loopmem_branch_match_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->pattern != NULL) {
    loopmem_json_key(json, "pattern");
    loopmem_json_text(json, value->pattern);
  }
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns whether a pattern matches the path of a file, which is relative to the folder of the memory.
 *
 * The pattern has to match the whole path, case-sensitively. `*` is any text without `/`, `**` any text at all, and
 * every other character stands for itself.
 */
static inline loopmem_status loopmem_branch_match(
    loopmem_store store, const loopmem_branch_match_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_match_params_write(&json, params);
  return loopmem_json_call(store, "branch.match", &json, options, answer);
}

/** The params of loopmem_branch_merge_file. */
typedef struct loopmem_branch_merge_file_params {
  /** The file with the version from which both sides started; an empty one if there is none. */
  const char *base;
  /** The file with the version of this side, which is replaced. */
  const char *ours;
  /** The file with the version of the others. */
  const char *theirs;
  /** The name of the file, whose ending says how it is merged. Default: that of `ours`. */
  const char *path;
} loopmem_branch_merge_file_params;

static inline void loopmem_branch_merge_file_params_write(loopmem_json *json, const loopmem_branch_merge_file_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->base != NULL) {
    loopmem_json_key(json, "base");
    loopmem_json_text(json, value->base);
  }
  if (value->ours != NULL) {
    loopmem_json_key(json, "ours");
    loopmem_json_text(json, value->ours);
  }
  if (value->theirs != NULL) {
    loopmem_json_key(json, "theirs");
    loopmem_json_text(json, value->theirs);
  }
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Merges what others changed in a file of records since both sides started from the same version, as a push does:
 * `.jsonl` and `.ndjson` by records, `.json` by keys. It is for git: see `loopmem merge-driver`.
 *
 * Where both sides changed the same thing, ours is kept, and the outcome is `conflict`. Secrets in what is written are
 * redacted. A file with another ending is left as it is.
 */
static inline loopmem_status loopmem_branch_merge_file(
    loopmem_store store, const loopmem_branch_merge_file_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_branch_merge_file_params_write(&json, params);
  return loopmem_json_call(store, "branch.mergeFile", &json, options, answer);
}

/** The params of loopmem_undo_list. */
typedef struct loopmem_undo_list_params {
  /** The repository, as `repo.identify` returns it. Default: the repository of `workspace`. */
  const char *repo_hash;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /**
   * Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one memory.
   * Default: as configured.
   */
  const char *branch_scope;
} loopmem_undo_list_params;

static inline void loopmem_undo_list_params_write(loopmem_json *json, const loopmem_undo_list_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->repo_hash != NULL) {
    loopmem_json_key(json, "repoHash");
    loopmem_json_text(json, value->repo_hash);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns what was removed or replaced, newest first: of the repository and, unless that is named by its hash, of the
 * branch that it inherits from, of the items that apply to its folder, and of the contexts of jobs. The trash keeps it
 * for `trash.keepDays` (30).
 *
 * What a call replaces is kept if the store was opened with `keepReplaced`, as the command line does.
 */
static inline loopmem_status loopmem_undo_list(
    loopmem_store store, const loopmem_undo_list_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_undo_list_params_write(&json, params);
  return loopmem_json_call(store, "undo.list", &json, options, answer);
}

/** The params of loopmem_undo_restore. */
typedef struct loopmem_undo_restore_params {
  /** The entry's id, as `undo.list` returns it, or a unique prefix of at least six characters. */
  const char *id;
} loopmem_undo_restore_params;

static inline void loopmem_undo_restore_params_write(loopmem_json *json, const loopmem_undo_restore_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->id != NULL) {
    loopmem_json_key(json, "id");
    loopmem_json_text(json, value->id);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Puts a record that was removed or replaced back as it was, and returns its entry of the trash, which is removed.
 *
 * If the record was replaced, the version that replaced it goes to the trash. `Conflict` if a record with the id of a
 * removed one exists again.
 */
static inline loopmem_status loopmem_undo_restore(
    loopmem_store store, const loopmem_undo_restore_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_undo_restore_params_write(&json, params);
  return loopmem_json_call(store, "undo.restore", &json, options, answer);
}

/** The params of loopmem_sync_run. */
typedef struct loopmem_sync_run_params {
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  const char *branch_scope;
  /** Switches it on for this repository, or off: then nothing is sent. Default: as it was; off at first. */
  const bool *on;
  /**
   * Whether the global items are synchronized through this repository too, which is remembered. Everybody who can read
   * the remote can read them, and what others put there applies in all of your repositories. Default: as it was;
   * `sync.globalItems` at first, which is off.
   */
  const bool *global_items;
  /** Only count what would change, here and there. Default: false. */
  const bool *dry_run;
} loopmem_sync_run_params;

static inline void loopmem_sync_run_params_write(loopmem_json *json, const loopmem_sync_run_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  if (value->on != NULL) {
    loopmem_json_key(json, "on");
    loopmem_json_boolean(json, *value->on);
  }
  if (value->global_items != NULL) {
    loopmem_json_key(json, "globalItems");
    loopmem_json_boolean(json, *value->global_items);
  }
  if (value->dry_run != NULL) {
    loopmem_json_key(json, "dryRun");
    loopmem_json_boolean(json, *value->dry_run);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Brings the memory of a repository and that on a branch of its own remote together: conventions, decisions and notes
 * of all branches, items, and with `sync.summaries` step summaries.
 *
 * Nothing is sent unless it was switched on for the repository. Records are merged three-way against what was last the
 * same, removals included, and redacted. If the remote cannot be reached, the changes wait for the next run.
 */
static inline loopmem_status loopmem_sync_run(
    loopmem_store store, const loopmem_sync_run_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_sync_run_params_write(&json, params);
  return loopmem_json_call(store, "sync.run", &json, options, answer);
}

/** The params of loopmem_sync_status. */
typedef struct loopmem_sync_status_params {
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  const char *branch_scope;
} loopmem_sync_status_params;

static inline void loopmem_sync_status_params_write(loopmem_json *json, const loopmem_sync_status_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  loopmem_json_bytes(json, "}", 1);
}

/** Returns whether the memory of a repository is synchronized with its remote, and how many changes wait. */
static inline loopmem_status loopmem_sync_status(
    loopmem_store store, const loopmem_sync_status_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_sync_status_params_write(&json, params);
  return loopmem_json_call(store, "sync.status", &json, options, answer);
}

/** The params of loopmem_archive_export. */
typedef struct loopmem_archive_export_params {
  /** The file: its ending is `.tar.zst`, or `.jsonl` for lines that people can read. */
  const char *path;
  /** Whether it has everything: all repositories, global items and working contexts too. Default: false. */
  const bool *all;
  /** The repositories, as `repo.list` returns them, each with its branch. Default: the repository of `workspace`. */
  const char *const *repo_hashes;
  /** How many `repo_hashes` there are. */
  size_t repo_hashes_count;
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** Whether each branch has a separate memory or all branches share one. Default: as configured. */
  const char *branch_scope;
} loopmem_archive_export_params;

static inline void loopmem_archive_export_params_write(loopmem_json *json, const loopmem_archive_export_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  if (value->all != NULL) {
    loopmem_json_key(json, "all");
    loopmem_json_boolean(json, *value->all);
  }
  if (value->repo_hashes != NULL) {
    loopmem_json_key(json, "repoHashes");
    loopmem_json_texts(json, value->repo_hashes, value->repo_hashes_count);
  }
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->branch_scope != NULL) {
    loopmem_json_key(json, "branchScope");
    loopmem_json_text(json, value->branch_scope);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Writes what is stored to an archive: one file, to keep it or to move it to another machine. By default, everything
 * that is stored of the repository: of every branch, of the folders it was moved from, and of its other clones, with
 * the items in its folders.
 *
 * An archive has no configuration, no rules of `redaction.toml`, no key for the tags of secrets, nothing of past
 * sessions and no caches. An older archive at the path is replaced; any other file is not.
 */
static inline loopmem_status loopmem_archive_export(
    loopmem_store store, const loopmem_archive_export_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_archive_export_params_write(&json, params);
  return loopmem_json_call(store, "archive.export", &json, options, answer);
}

/** The params of loopmem_archive_import. */
typedef struct loopmem_archive_import_params {
  /** The file. */
  const char *path;
  /**
   * Where folders are here that were elsewhere: an object whose keys are the old paths, and whose values are the new
   * ones. It applies to every folder below an old path too. Default: where they were. As JSON.
   */
  const char *path_map_json;
  /** Only count what would be brought. Default: false. */
  const bool *dry_run;
} loopmem_archive_import_params;

static inline void loopmem_archive_import_params_write(loopmem_json *json, const loopmem_archive_import_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  if (value->path_map_json != NULL) {
    loopmem_json_key(json, "pathMap");
    loopmem_json_value(json, value->path_map_json);
  }
  if (value->dry_run != NULL) {
    loopmem_json_key(json, "dryRun");
    loopmem_json_boolean(json, *value->dry_run);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Brings what an archive has. A record that is here in another version is merged: the newer one stays, and the other is
 * kept in the trash and named; a working context that is here stays.
 *
 * All of the archive is checked before anything is written, and its texts are redacted again. Importing it again
 * changes nothing. Import only what you trust: agents will read it.
 */
static inline loopmem_status loopmem_archive_import(
    loopmem_store store, const loopmem_archive_import_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_archive_import_params_write(&json, params);
  return loopmem_json_call(store, "archive.import", &json, options, answer);
}

/** The params of loopmem_index_refresh. */
typedef struct loopmem_index_refresh_params {
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
} loopmem_index_refresh_params;

static inline void loopmem_index_refresh_params_write(loopmem_json *json, const loopmem_index_refresh_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Brings the index of a repository's files up to date, as `index.map` and `index.symbols` do by themselves.
 *
 * The index covers the files that git tracks or would offer to track. A file that has not changed is not read, and a
 * content that another branch or work tree has had is not parsed again. Files of more than 1 MiB and binary files are
 * not read.
 */
static inline loopmem_status loopmem_index_refresh(
    loopmem_store store, const loopmem_index_refresh_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_index_refresh_params_write(&json, params);
  return loopmem_json_call(store, "index.refresh", &json, options, answer);
}

/** The params of loopmem_index_map. */
typedef struct loopmem_index_map_params {
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** The maximum length of the map, in Unicode scalar values. Default: 4,000. 0 is the default. */
  int64_t max_chars;
  /** What the agent is about to do. Default: the map is an overview. */
  const char *prompt;
  /** The files that the agent is working on, relative to the repository or absolute. Default: none. */
  const char *const *focus_files;
  /** How many `focus_files` there are. */
  size_t focus_files_count;
} loopmem_index_map_params;

static inline void loopmem_index_map_params_write(loopmem_json *json, const loopmem_index_map_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->max_chars != 0) {
    loopmem_json_key(json, "maxChars");
    loopmem_json_integer(json, value->max_chars);
  }
  if (value->prompt != NULL) {
    loopmem_json_key(json, "prompt");
    loopmem_json_text(json, value->prompt);
  }
  if (value->focus_files != NULL) {
    loopmem_json_key(json, "focusFiles");
    loopmem_json_texts(json, value->focus_files, value->focus_files_count);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns a map of the repository: the files that matter, each with the signatures of its most relevant definitions.
 *
 * Files are ranked by the words that they share with the prompt, in their text, their definitions and their paths, and
 * by what the files in focus refer to. Without either, the map is an overview: entry points, and the definitions that
 * most files refer to. The map never exceeds `maxChars`, and the same state of the files gives the same bytes.
 */
static inline loopmem_status loopmem_index_map(
    loopmem_store store, const loopmem_index_map_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_index_map_params_write(&json, params);
  return loopmem_json_call(store, "index.map", &json, options, answer);
}

/** The params of loopmem_index_symbols. */
typedef struct loopmem_index_symbols_params {
  /** A folder in the repository. Default: the current folder. */
  const char *workspace;
  /** A name, or words of one. Default: all definitions. */
  const char *query;
  /** Only definitions of this file, or of the files below this folder, relative to the repository. Default: all. */
  const char *path;
  /** Only definitions of this kind. Default: all. */
  const char *kind;
  /** The maximum number of definitions, at most 1,000. Default: 50. */
  const int64_t *limit;
} loopmem_index_symbols_params;

static inline void loopmem_index_symbols_params_write(loopmem_json *json, const loopmem_index_symbols_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->workspace != NULL) {
    loopmem_json_key(json, "workspace");
    loopmem_json_text(json, value->workspace);
  }
  if (value->query != NULL) {
    loopmem_json_key(json, "query");
    loopmem_json_text(json, value->query);
  }
  if (value->path != NULL) {
    loopmem_json_key(json, "path");
    loopmem_json_text(json, value->path);
  }
  if (value->kind != NULL) {
    loopmem_json_key(json, "kind");
    loopmem_json_text(json, value->kind);
  }
  if (value->limit != NULL) {
    loopmem_json_key(json, "limit");
    loopmem_json_integer(json, *value->limit);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns definitions of the repository, the best matches first: those whose names match `query`, or those of a file or
 * folder in the order of the files.
 */
static inline loopmem_status loopmem_index_symbols(
    loopmem_store store, const loopmem_index_symbols_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_index_symbols_params_write(&json, params);
  return loopmem_json_call(store, "index.symbols", &json, options, answer);
}

/** The params of loopmem_safety_redact. */
typedef struct loopmem_safety_redact_params {
  /** The text. */
  const char *text;
  /**
   * Regular expressions to use for this call, in addition to those configured. If one has a group named `secret`, only
   * that group is a secret.
   */
  const char *const *patterns;
  /** How many `patterns` there are. */
  size_t patterns_count;
} loopmem_safety_redact_params;

static inline void loopmem_safety_redact_params_write(loopmem_json *json, const loopmem_safety_redact_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->text != NULL) {
    loopmem_json_key(json, "text");
    loopmem_json_text(json, value->text);
  }
  if (value->patterns != NULL) {
    loopmem_json_key(json, "patterns");
    loopmem_json_texts(json, value->patterns, value->patterns_count);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns a text with every secret replaced by a placeholder, and the positions of the secrets.
 *
 * A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags within one home; without the home's key, a tag
 * cannot be used to verify a guess. All other characters stay as they are, and redacting a redacted text does not
 * change it. Nothing of the text is stored, but the first secret found creates the home's key.
 */
static inline loopmem_status loopmem_safety_redact(
    loopmem_store store, const loopmem_safety_redact_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_safety_redact_params_write(&json, params);
  return loopmem_json_call(store, "safety.redact", &json, options, answer);
}

/** The params of loopmem_safety_scan. */
typedef struct loopmem_safety_scan_params {
  /** The text. */
  const char *text;
  /**
   * Regular expressions to use for this call, in addition to those configured. If one has a group named `secret`, only
   * that group is a secret.
   */
  const char *const *patterns;
  /** How many `patterns` there are. */
  size_t patterns_count;
} loopmem_safety_scan_params;

static inline void loopmem_safety_scan_params_write(loopmem_json *json, const loopmem_safety_scan_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->text != NULL) {
    loopmem_json_key(json, "text");
    loopmem_json_text(json, value->text);
  }
  if (value->patterns != NULL) {
    loopmem_json_key(json, "patterns");
    loopmem_json_texts(json, value->patterns, value->patterns_count);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns the positions of the secrets in a text, but never the secrets themselves. Nothing of the text is stored, but
 * the first secret found creates the home's key.
 */
static inline loopmem_status loopmem_safety_scan(
    loopmem_store store, const loopmem_safety_scan_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_safety_scan_params_write(&json, params);
  return loopmem_json_call(store, "safety.scan", &json, options, answer);
}

/** The params of loopmem_safety_rules. */
typedef struct loopmem_safety_rules_params {
  /** Nothing is taken; zero. */
  int unused;
} loopmem_safety_rules_params;

static inline void loopmem_safety_rules_params_write(loopmem_json *json, const loopmem_safety_rules_params *value) {
  loopmem_json_bytes(json, "{", 1);
  (void)value;
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns every rule that detects secrets: the built-in rules, then those of the configuration, of the user's rule file
 * and of the options.
 */
static inline loopmem_status loopmem_safety_rules(
    loopmem_store store, const loopmem_safety_rules_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_safety_rules_params_write(&json, params);
  return loopmem_json_call(store, "safety.rules", &json, options, answer);
}

/** The params of loopmem_safety_preview. */
typedef struct loopmem_safety_preview_params {
  /** The method, which stores something: `memory.upsertNote`. */
  const char *method;
  /** Its params. As JSON. */
  const char *params_json;
} loopmem_safety_preview_params;

static inline void loopmem_safety_preview_params_write(loopmem_json *json, const loopmem_safety_preview_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->method != NULL) {
    loopmem_json_key(json, "method");
    loopmem_json_text(json, value->method);
  }
  if (value->params_json != NULL) {
    loopmem_json_key(json, "params");
    loopmem_json_value(json, value->params_json);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Returns what a call would redact, without making it: nothing is written.
 *
 * A call that redacts also says so itself: the logger gets a warning, and the call's options can ask for the list.
 */
static inline loopmem_status loopmem_safety_preview(
    loopmem_store store, const loopmem_safety_preview_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_safety_preview_params_write(&json, params);
  return loopmem_json_call(store, "safety.preview", &json, options, answer);
}

/** The params of loopmem_safety_allow. */
typedef struct loopmem_safety_allow_params {
  /** The name of the value, such as `sessionKey`, in any case and with or without `_`, `-` and `.`. */
  const char *name;
  /** The id of the rule, such as `keyed-value`. */
  const char *rule;
  /** The path of the field in a record, such as `metadata.headers`, with everything below it. */
  const char *field;
  /** The tag of the value, from its placeholder or from a scan with the same home. */
  const char *tag;
  /** Why it is a false positive, for later readers. */
  const char *reason;
} loopmem_safety_allow_params;

static inline void loopmem_safety_allow_params_write(loopmem_json *json, const loopmem_safety_allow_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->name != NULL) {
    loopmem_json_key(json, "name");
    loopmem_json_text(json, value->name);
  }
  if (value->rule != NULL) {
    loopmem_json_key(json, "rule");
    loopmem_json_text(json, value->rule);
  }
  if (value->field != NULL) {
    loopmem_json_key(json, "field");
    loopmem_json_text(json, value->field);
  }
  if (value->tag != NULL) {
    loopmem_json_key(json, "tag");
    loopmem_json_text(json, value->tag);
  }
  if (value->reason != NULL) {
    loopmem_json_key(json, "reason");
    loopmem_json_text(json, value->reason);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Declares a false positive of a rule in the home's `redaction.toml`, and returns it as stored.
 *
 * A finding must match all of `name`, `rule`, `field` and `tag` that are given, of which there is at least one. Stores
 * that are opened afterwards apply it.
 */
static inline loopmem_status loopmem_safety_allow(
    loopmem_store store, const loopmem_safety_allow_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_safety_allow_params_write(&json, params);
  return loopmem_json_call(store, "safety.allow", &json, options, answer);
}

/** The params of loopmem_safety_allowances. */
typedef struct loopmem_safety_allowances_params {
  /** Nothing is taken; zero. */
  int unused;
} loopmem_safety_allowances_params;

static inline void loopmem_safety_allowances_params_write(loopmem_json *json, const loopmem_safety_allowances_params *value) {
  loopmem_json_bytes(json, "{", 1);
  (void)value;
  loopmem_json_bytes(json, "}", 1);
}

/** Returns the declared false positives, of the home's `redaction.toml` and of the options of the store. */
static inline loopmem_status loopmem_safety_allowances(
    loopmem_store store, const loopmem_safety_allowances_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_safety_allowances_params_write(&json, params);
  return loopmem_json_call(store, "safety.allowances", &json, options, answer);
}

/** The params of loopmem_doctor_check. */
typedef struct loopmem_doctor_check_params {
  /** Repair what can be repaired. Default: false. */
  const bool *fix;
} loopmem_doctor_check_params;

static inline void loopmem_doctor_check_params_write(loopmem_json *json, const loopmem_doctor_check_params *value) {
  loopmem_json_bytes(json, "{", 1);
  if (value->fix != NULL) {
    loopmem_json_key(json, "fix");
    loopmem_json_boolean(json, *value->fix);
  }
  loopmem_json_bytes(json, "}", 1);
}

/**
 * Checks every file of the home, the global items and those of the current workspace, and with `fix` repairs what is
 * wrong.
 *
 * Without `fix`, nothing is changed or created. With `fix`, damaged content is moved to a file beside the original,
 * never deleted, and every intact record is recovered; file modes are corrected, and what crashed writers left behind
 * is removed. Files written by a newer version are never changed. A file that cannot be read or repaired is reported as
 * a finding, not as an error.
 */
static inline loopmem_status loopmem_doctor_check(
    loopmem_store store, const loopmem_doctor_check_params *params,
    const loopmem_call_options *options, loopmem_buffer *answer) {
  loopmem_json json = {NULL, 0, 0, false};
  if (params != NULL) loopmem_doctor_check_params_write(&json, params);
  return loopmem_json_call(store, "doctor.check", &json, options, answer);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOOPMEM_H */
