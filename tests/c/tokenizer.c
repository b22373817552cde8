/* A C host's own tokenizer.
 *
 *     tokenizer FOLDER     FOLDER: empty, for the homes; its path needs no escapes
 */

#include "check.h"

/* What the tokenizer counts, and what happened to it. */
typedef struct tokenizer {
  const char *why;
  size_t calls;
  size_t ends;
} tokenizer;

static loopmem_status count(void *ctx, loopmem_host_call call, const char *text, size_t length, size_t *tokens) {
  tokenizer *it = ctx;
  size_t at;
  it->calls++;
  if (it->why != NULL) {
    loopmem_host_fail(call, it->why, strlen(it->why));
    return LOOPMEM_IO_ERROR;
  }
  *tokens = 1;
  for (at = 0; at < length; at++) *tokens += text[at] == ' ' || text[at] == '\n';
  return LOOPMEM_OK;
}

static void destroy(void *ctx) { ((tokenizer *)ctx)->ends++; }

static loopmem_store open_with(const char *folder, tokenizer *it) {
  char options[4096];
  loopmem_store store = {0};
  loopmem_buffer answer = {NULL, 0};
  const loopmem_tokenizer table = {.size = sizeof table, .ctx = it, .count = count, .destroy = destroy};
  const loopmem_host host = {.size = sizeof host, .tokenizer = &table};
  snprintf(options, sizeof options, "{\"home\":\"%s/home\",\"codexHome\":\"%s/codex\"}", folder, folder);
  CHECK_OK(loopmem_open(options, strlen(options), &host, &store, &answer), &answer);
  return store;
}

/* Recalls with a limit in tokens; the answer belongs to the caller. */
static loopmem_status recall(loopmem_store store, const char *folder, int64_t most, loopmem_buffer *answer) {
  loopmem_items_recall_params params = {.prompt = "proxy", .workspace = folder, .max_tokens = &most};
  return loopmem_items_recall(store, &params, NULL, answer);
}

static size_t times(const loopmem_buffer *answer, const char *part) {
  const char *at = answer->data;
  size_t found = 0;
  while ((at = strstr(at, part)) != NULL) found++, at++;
  return found;
}

int main(int arguments, char **argument) {
  const char *contents[] = {"Run the proxy tests first.", "The proxy listens on port 8443."};
  tokenizer it = {NULL, 0, 0};
  loopmem_buffer answer = {NULL, 0};
  loopmem_store store;
  const loopmem_tokenizer without = {.size = sizeof without};
  const loopmem_host host = {.size = sizeof host, .tokenizer = &without};
  size_t at;
  CHECK(arguments == 2);

  CHECK(loopmem_open(NULL, 0, &host, &store, &answer) == LOOPMEM_VALIDATION_ERROR);
  CHECK(strstr(answer.data, "the tokenizer has no function count") != NULL);
  loopmem_buffer_free(&answer);

  store = open_with(argument[1], &it);
  for (at = 0; at < sizeof contents / sizeof *contents; at++) {
    loopmem_items_add_params item = {
        .scope = "global", .type = "note", .content = contents[at], .workspace = argument[1]};
    CHECK_OK(loopmem_items_add(store, &item, NULL, &answer), &answer);
    loopmem_buffer_free(&answer);
  }

  /* The heading has 11 words, `Notes:` is one, and the items have 6 and 7 with their dashes. */
  CHECK_OK(recall(store, argument[1], 25, &answer), &answer);
  CHECK(times(&answer, "\"inPreamble\":true") == 2);
  loopmem_buffer_free(&answer);
  CHECK_OK(recall(store, argument[1], 24, &answer), &answer);
  CHECK(times(&answer, "\"inPreamble\":true") == 1 && it.calls == 4);
  loopmem_buffer_free(&answer);

  it.why = "no vocabulary";
  CHECK(recall(store, argument[1], 25, &answer) == LOOPMEM_ADAPTER_ERROR);
  CHECK(strstr(answer.data, "\"cause\":\"no vocabulary\"") != NULL);
  loopmem_buffer_free(&answer);

  CHECK(it.ends == 0);
  CHECK(loopmem_close(store) == LOOPMEM_OK);
  CHECK(it.ends == 1);
  return 0;
}
