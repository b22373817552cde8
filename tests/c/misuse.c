/* Bad input from C: every misuse gets its status and an error as JSON, the process continues, and nothing is written.
 *
 *     misuse FOLDER TITLE     FOLDER: empty, for the homes; TITLE: the length of the overlong title, in bytes
 */

#define _POSIX_C_SOURCE 200809L /* access, alarm */

#include <unistd.h>

#include "check.h"

/* The answer of the current call. */
static loopmem_buffer answer;

/* The call must be refused with this status, also in its answer. */
#define REFUSED(status, call) (answer.data = (char *)&answer, answer.length = 7, refused(__LINE__, status, call))

static void refused(int line, loopmem_status expected, loopmem_status status) {
  char start[64];
  bool right;
  snprintf(start, sizeof start, "{\"code\":\"%s\",\"message\":\"", loopmem_status_code(expected));
  /* Before the call the answer contained garbage, like an uninitialized buffer. */
  right = status == expected && answer.data != NULL && answer.data != (char *)&answer &&
          strlen(answer.data) == answer.length && strncmp(answer.data, start, strlen(start)) == 0 &&
          answer.data[strlen(start)] != '"' && answer.data[answer.length - 1] == '}';
  if (!right) {
    fprintf(stderr, "misuse.c:%d: expected %d, got %d: %s\n", line, (int)expected, (int)status,
            answer.data == NULL || answer.data == (char *)&answer ? "no answer" : answer.data);
    exit(1);
  }
  loopmem_buffer_free(&answer);
  CHECK(answer.data == NULL && answer.length == 0);
}

static loopmem_status open_with(const char *options) {
  loopmem_store store = {0};
  return loopmem_open(options, strlen(options), NULL, &store, &answer);
}

static loopmem_status call(loopmem_store store, const char *method, const char *params) {
  return loopmem_call(store, method, params, strlen(params), NULL, &answer);
}

static void every_status_has_its_code(void) {
#define HAS_ITS_CODE(number, NAME, Code, doc) \
  CHECK(LOOPMEM_##NAME == number);            \
  CHECK(strcmp(loopmem_status_code(number), #Code) == 0);
  LOOPMEM_ERRORS(HAS_ITS_CODE)
#undef HAS_ITS_CODE
  CHECK(strcmp(loopmem_status_code(LOOPMEM_OK), "OK") == 0);
  CHECK(strcmp(loopmem_status_code(-1), "Unknown") == 0);
  CHECK(strcmp(loopmem_status_code(9999), "Unknown") == 0);
  CHECK(loopmem_abi_version() == LOOPMEM_ABI_VERSION);
  CHECK(strchr(loopmem_version(), '.') != NULL);
}

static void options_that_are_wrong(const char *folder) {
  char options[4096];
  loopmem_store store = {0};
  loopmem_host host = {0};
  FILE *file;

  REFUSED(LOOPMEM_MISUSE, loopmem_open("{}", 2, NULL, NULL, &answer));
  REFUSED(LOOPMEM_MISUSE, loopmem_open(NULL, 5, NULL, &store, &answer));
  REFUSED(LOOPMEM_MISUSE, loopmem_open("{}", (size_t)-1, NULL, &store, &answer));
  REFUSED(LOOPMEM_MISUSE, loopmem_open(NULL, 0, &host, &store, &answer));
  host.size = sizeof host - 1;
  REFUSED(LOOPMEM_MISUSE, loopmem_open(NULL, 0, &host, &store, &answer));
  CHECK(loopmem_open("{", 1, NULL, &store, NULL) == LOOPMEM_VALIDATION_ERROR);

  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("{\"home\":\"\xff\"}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("{"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("[]"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("null"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("{} {}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("{\"home\":7}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("{\"home\":\"\"}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("{\"home\":\"a\\u0000b\"}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("{\"home\":\"\\ud800\"}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("{\"houme\":\"a\"}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("{\"lockTimeoutMs\":-1}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("{\"branchScope\":\"nobody\"}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, open_with("{\"redactionPatterns\":[\"(\"]}"));

  snprintf(options, sizeof options, "%s/file", folder);
  file = fopen(options, "w");
  CHECK(file != NULL && fclose(file) == 0);
  snprintf(options, sizeof options, "{\"home\":\"%s/file\"}", folder);
  REFUSED(LOOPMEM_IO_ERROR, open_with(options));
  CHECK(store.id == 0);
}

static void stores_that_are_not_open(const char *folder) {
  const loopmem_store never[] = {{0}, {1}, {7}, {UINT64_MAX}, {(uint64_t)1 << 32}, {(uint64_t)9 << 32 | 1}};
  loopmem_store old, new;
  size_t index;

  for (index = 0; index < sizeof never / sizeof *never; index++) {
    REFUSED(LOOPMEM_MISUSE, call(never[index], "memory.get", "{}"));
    CHECK(loopmem_close(never[index]) == LOOPMEM_MISUSE);
  }
  old = open_in(folder, "home");
  CHECK(loopmem_close(old) == LOOPMEM_OK);
  CHECK(loopmem_close(old) == LOOPMEM_MISUSE);
  REFUSED(LOOPMEM_MISUSE, call(old, "memory.get", "{}"));
  /* The next store may get the old one's slot, but never its number. */
  new = open_in(folder, "home");
  REFUSED(LOOPMEM_MISUSE, call(old, "memory.get", "{}"));
  CHECK(loopmem_close(old) == LOOPMEM_MISUSE);
  CHECK(loopmem_close(new) == LOOPMEM_OK);
}

static void pointers_and_sizes(loopmem_store store) {
  loopmem_call_options options = {.size = 0};
  loopmem_cancel cancel = loopmem_cancel_new();

  REFUSED(LOOPMEM_MISUSE, loopmem_call(store, NULL, "{}", 2, NULL, &answer));
  REFUSED(LOOPMEM_MISUSE, loopmem_call(store, "memory.get", NULL, 1, NULL, &answer));
  REFUSED(LOOPMEM_MISUSE, loopmem_call(store, "memory.get", "{}", (size_t)-1, NULL, &answer));
  REFUSED(LOOPMEM_MISUSE, loopmem_call(store, "memory.get", "{}", SIZE_MAX / 2 + 1, NULL, &answer));
  CHECK(loopmem_call(store, NULL, NULL, 0, NULL, NULL) == LOOPMEM_MISUSE);
  CHECK(loopmem_call(store, "memory.get", "{", 1, NULL, NULL) == LOOPMEM_VALIDATION_ERROR);
  /* Passing neither params nor an answer is not misuse. */
  CHECK(loopmem_call(store, "memory.get", NULL, 0, NULL, NULL) == LOOPMEM_OK);

  REFUSED(LOOPMEM_MISUSE, loopmem_call(store, "memory.get", "{}", 2, &options, &answer));
  options.size = sizeof options - 1;
  REFUSED(LOOPMEM_MISUSE, loopmem_call(store, "memory.get", "{}", 2, &options, &answer));

  options.size = sizeof options;
  options.cancel = cancel;
  CHECK(cancel.id != 0);
  CHECK(loopmem_cancel_free(cancel) == LOOPMEM_OK);
  CHECK(loopmem_cancel_free(cancel) == LOOPMEM_MISUSE);
  CHECK(loopmem_cancel_request(cancel) == LOOPMEM_MISUSE);
  REFUSED(LOOPMEM_MISUSE, loopmem_call(store, "memory.get", "{}", 2, &options, &answer));
  options.cancel.id = UINT64_MAX;
  REFUSED(LOOPMEM_MISUSE, loopmem_call(store, "memory.get", "{}", 2, &options, &answer));

  loopmem_buffer_free(NULL);
  loopmem_buffer_free(&answer);
}

/* A host whose header is newer than the library: unused members are ignored, used ones are refused. */
static void structs_that_have_grown(const char *folder, loopmem_store store) {
  struct {
    loopmem_host known;
    void *clock;
  } host = {{.size = sizeof host}, NULL};
  struct {
    loopmem_call_options known;
    uint32_t priority, more;
  } options = {.known = {.size = sizeof options}};
  char home[4096];
  loopmem_store newer = {0};
  int length = snprintf(home, sizeof home, "{\"home\":\"%s/home\"}", folder);

  CHECK(loopmem_open(home, (size_t)length, &host.known, &newer, NULL) == LOOPMEM_OK);
  CHECK(loopmem_close(newer) == LOOPMEM_OK);
  host.clock = home;
  REFUSED(LOOPMEM_UNSUPPORTED, loopmem_open(home, (size_t)length, &host.known, &newer, &answer));
  CHECK(loopmem_call(store, "memory.get", "{}", 2, &options.known, NULL) == LOOPMEM_OK);
  options.more = 1;
  REFUSED(LOOPMEM_UNSUPPORTED, loopmem_call(store, "memory.get", "{}", 2, &options.known, &answer));
  /* A size that was never initialized is not trusted. */
  options.known.size = (size_t)-1;
  REFUSED(LOOPMEM_MISUSE, loopmem_call(store, "memory.get", "{}", 2, &options.known, &answer));
}

static void methods_that_are_none(loopmem_store store) {
  char *endless = malloc(1 << 20);
  CHECK(endless != NULL);
  memset(endless, 'm', 1 << 20);
  endless[(1 << 20) - 1] = '\0';

  REFUSED(LOOPMEM_VALIDATION_ERROR, call(store, "", "{}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, call(store, "memory.nothing", "{}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, call(store, "memory.get ", "{}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, call(store, "memory.\xff", "{}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR, call(store, endless, "{}"));
  free(endless);
}

static void params_that_are_wrong(loopmem_store store) {
  static const char *const wrong[] = {
      "{",
      "[]",
      "5",
      "null x",
      "{} {}",
      "{'repoHash':1}",
      "{\"repoHash\":\"\xff\"}",
      "{\"repoHash\":\"\xed\xa0\x80\"}",
      "{\"repoHash\":7}",
      "{\"repoHash\":\"\"}",
      "{\"repoHash\":\"../../../../tmp\"}",
      "{\"repoHash\":\"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\"}",
      "{\"repoHash\":\"" REPO "a\"}",
      "{\"repoHash\":\"" REPO "\",\"more\":1}",
      "{\"repoHash\":\"" REPO "\"}",
      "{\"repoHash\":\"" REPO "\",\"convention\":[]}",
      "{\"repoHash\":\"" REPO "\",\"convention\":{\"title\":1,\"content\":\"c\"}}",
      "{\"repoHash\":\"" REPO "\",\"convention\":{\"title\":\"\",\"content\":\"c\"}}",
      "{\"repoHash\":\"" REPO "\",\"convention\":{\"title\":\"a\\u0000b\",\"content\":\"c\"}}",
      "{\"repoHash\":\"" REPO "\",\"convention\":{\"title\":\"\\ud800\",\"content\":\"c\"}}",
      "{\"repoHash\":\"" REPO "\",\"convention\":{\"title\":\"t\",\"content\":\"c\",\"tags\":\"t\"}}",
      "{\"repoHash\":\"" REPO "\",\"convention\":{\"title\":\"t\",\"content\":\"c\",\"tags\":[1]}}",
  };
  const char with_nul[] = "{\"repoHash\":\"a\0b\"}";
  const size_t deep = 200000;
  char *nested = malloc(deep);
  size_t index;

  for (index = 0; index < sizeof wrong / sizeof *wrong; index++) {
    REFUSED(LOOPMEM_VALIDATION_ERROR, call(store, "memory.upsertConvention", wrong[index]));
  }
  REFUSED(LOOPMEM_VALIDATION_ERROR, loopmem_call(store, "memory.get", with_nul, sizeof with_nul - 1, NULL, &answer));

  /* Neither unclosed nor closed deep nesting may overflow the stack. */
  CHECK(nested != NULL);
  memset(nested, '[', deep);
  memcpy(nested, "{\"convention\":", 14);
  REFUSED(LOOPMEM_VALIDATION_ERROR, loopmem_call(store, "memory.upsertConvention", nested, deep, NULL, &answer));
  free(nested);
}

static void typed_params_that_are_wrong(loopmem_store store, size_t title_bytes) {
  const char *const tags[] = {"tag", NULL};
  loopmem_convention_draft draft = {.title = "t", .content = "c"};
  loopmem_memory_upsert_convention_params params = {.repo_hash = REPO};
  char *title = malloc(title_bytes + 1);

  REFUSED(LOOPMEM_VALIDATION_ERROR, loopmem_repo_sanitize_remote_url(store, NULL, NULL, &answer));
  REFUSED(LOOPMEM_VALIDATION_ERROR, loopmem_memory_upsert_convention(store, &params, NULL, &answer));
  params.convention = &draft;
  draft.tags = tags;
  draft.tags_count = 2;
  REFUSED(LOOPMEM_VALIDATION_ERROR, loopmem_memory_upsert_convention(store, &params, NULL, &answer));
  draft.tags = NULL;
  draft.title = "\xc3\x28";
  REFUSED(LOOPMEM_VALIDATION_ERROR, loopmem_memory_upsert_convention(store, &params, NULL, &answer));
  draft.title = title;
  CHECK(title != NULL);
  memset(title, 't', title_bytes);
  title[title_bytes] = '\0';
  REFUSED(LOOPMEM_VALIDATION_ERROR, loopmem_memory_upsert_convention(store, &params, NULL, &answer));
  free(title);
}

/* Only debug builds have a method that panics. */
static void a_panic_is_an_answer(loopmem_store store) {
#ifdef LOOPMEM_DEBUG
  CHECK(call(store, "debug.panic", "{}") == LOOPMEM_INTERNAL);
  CHECK(strstr(answer.data, "payload") == NULL);
  loopmem_buffer_free(&answer);
  REFUSED(LOOPMEM_INTERNAL, call(store, "debug.panic", "{}"));
#else
  REFUSED(LOOPMEM_VALIDATION_ERROR, call(store, "debug.panic", "{}"));
#endif
}

/* Only under the lock is it known whether a draft creates a record: lock files may be created, but no record. */
static void a_new_record_without_its_fields(loopmem_store store, const char *home) {
  char memory[4096 + 128];
  REFUSED(LOOPMEM_VALIDATION_ERROR,
          call(store, "memory.upsertConvention", "{\"repoHash\":\"" REPO "\",\"convention\":{}}"));
  REFUSED(LOOPMEM_VALIDATION_ERROR,
          call(store, "memory.upsertConvention", "{\"repoHash\":\"" REPO "\",\"convention\":{\"id\":\"a\"}}"));
  snprintf(memory, sizeof memory, "%s/repos/" REPO "/memory.json", home);
  CHECK(access(memory, F_OK) != 0);
}

int main(int count, char **arguments) {
  char home[4096];
  loopmem_store store;

  CHECK(count == 3);
  alarm(600); /* A hang is a failure too. */
  snprintf(home, sizeof home, "%s/home", arguments[1]);

  every_status_has_its_code();
  options_that_are_wrong(arguments[1]);
  stores_that_are_not_open(arguments[1]);
  store = open_in(arguments[1], "home");
  pointers_and_sizes(store);
  structs_that_have_grown(arguments[1], store);
  methods_that_are_none(store);
  params_that_are_wrong(store);
  typed_params_that_are_wrong(store, strtoul(arguments[2], NULL, 10));
  a_panic_is_an_answer(store);

  /* After all that, the store still works, and the home was never created. */
  CHECK_OK(call(store, "memory.get", "{\"repoHash\":\"" REPO "\"}"), &answer);
  CHECK(strcmp(answer.data, "{\"conventions\":[],\"decisions\":[],\"notes\":[],\"summaries\":[]}") == 0);
  loopmem_buffer_free(&answer);
  CHECK(access(home, F_OK) != 0);
  a_new_record_without_its_fields(store, home);
  CHECK(loopmem_close(store) == LOOPMEM_OK);
  return 0;
}
