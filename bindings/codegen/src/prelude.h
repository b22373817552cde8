
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
