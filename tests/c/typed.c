/* The typed functions: any text that a C host passes is stored and comes back unchanged.
 *
 *     typed FOLDER     FOLDER: empty, for the home
 */

#include "check.h"

/* Every kind of text that JSON writes differently from C: quotes, backslashes, control characters, and UTF-8 of two,
 * three and four bytes. */
#define TEXT "He said \"no\" \\ \\u0041\n\ttab \x01 \x1f \x7f caf\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80"
#define TEXT_AS_JSON \
  "\"He said \\\"no\\\" \\\\ \\\\u0041\\n\\ttab \\u0001 \\u001f \x7f caf\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80\""

static bool holds(const loopmem_buffer *answer, const char *json) {
  return strstr(answer->data, json) != NULL;
}

static void text_comes_back_as_it_was(loopmem_store store) {
  const char *const tags[] = {"plain", TEXT, "c++"};
  const loopmem_convention_draft draft = {.id = "id-1", .title = TEXT, .content = TEXT, .tags = tags, .tags_count = 3};
  const loopmem_memory_upsert_convention_params upsert = {.repo_hash = REPO, .convention = &draft};
  const loopmem_memory_get_params get = {REPO, NULL, NULL};
  loopmem_buffer stored = {NULL, 0}, all = {NULL, 0};

  CHECK_OK(loopmem_memory_upsert_convention(store, &upsert, NULL, &stored), &stored);
  CHECK(strlen(stored.data) == stored.length);
  CHECK(holds(&stored, "\"id\":\"id-1\""));
  CHECK(holds(&stored, "\"title\":" TEXT_AS_JSON));
  CHECK(holds(&stored, "\"content\":" TEXT_AS_JSON));
  CHECK(holds(&stored, "\"tags\":[\"plain\"," TEXT_AS_JSON ",\"c++\"]"));
  CHECK_OK(loopmem_memory_get(store, &get, NULL, &all), &all);
  CHECK(holds(&all, stored.data));
  loopmem_buffer_free(&stored);
  loopmem_buffer_free(&all);
}

static void what_is_left_out_stays(loopmem_store store) {
  const loopmem_convention_draft draft = {.id = "id-1", .content = "new"};
  const loopmem_memory_upsert_convention_params upsert = {.repo_hash = REPO, .convention = &draft};
  loopmem_buffer stored = {NULL, 0};

  CHECK_OK(loopmem_memory_upsert_convention(store, &upsert, NULL, &stored), &stored);
  CHECK(holds(&stored, "\"title\":" TEXT_AS_JSON));
  CHECK(holds(&stored, "\"content\":\"new\""));
  CHECK(holds(&stored, "\"c++\"]"));
  loopmem_buffer_free(&stored);
}

static void an_empty_list_is_not_a_list_left_out(loopmem_store store) {
  const char *const none[] = {NULL};
  const loopmem_convention_draft draft = {.id = "id-1", .tags = none};
  const loopmem_memory_upsert_convention_params upsert = {.repo_hash = REPO, .convention = &draft};
  loopmem_buffer stored = {NULL, 0};

  CHECK_OK(loopmem_memory_upsert_convention(store, &upsert, NULL, &stored), &stored);
  CHECK(holds(&stored, "\"tags\":[]"));
  loopmem_buffer_free(&stored);
}

static void numbers_and_lists_of_names(loopmem_store store) {
  const char *const sections[] = {"summaries", "conventions"};
  const int64_t one = 1;
  loopmem_summary_append_params append = {REPO, NULL, NULL, "run", "step 1", "Built it.", NULL, 0};
  loopmem_summary_list_params list = {REPO, NULL, NULL, "run", NULL, &one, NULL};
  loopmem_context_build_params build = {0};
  loopmem_buffer answer = {NULL, 0};

  CHECK(loopmem_summary_append(store, &append, NULL, NULL) == LOOPMEM_OK);
  append.step_id = "step 2";
  CHECK(loopmem_summary_append(store, &append, NULL, NULL) == LOOPMEM_OK);
  CHECK_OK(loopmem_summary_list(store, &list, NULL, &answer), &answer);
  CHECK(holds(&answer, "step 2") && !holds(&answer, "step 1"));
  loopmem_buffer_free(&answer);

  build.repo_hash = REPO;
  build.max_chars = 8000;
  build.sections = sections;
  build.sections_count = 1;
  CHECK_OK(loopmem_context_build(store, &build, NULL, &answer), &answer);
  CHECK(holds(&answer, "Built it.") && !holds(&answer, "He said"));
  loopmem_buffer_free(&answer);
}

static void a_call_says_what_it_redacted(loopmem_store store) {
  loopmem_buffer answer = {NULL, 0}, redactions = {NULL, 0};
  loopmem_call_options options = {.size = sizeof options, .redactions = &redactions};
  loopmem_note_draft note = {.content = "DB_PASSWORD=hunter22"};
  loopmem_memory_upsert_note_params params = {.repo_hash = REPO, .note = &note};
  CHECK_OK(loopmem_memory_upsert_note(store, &params, &options, &answer), &answer);
  CHECK(strstr(answer.data, "[REDACTED:keyed-value:") != NULL);
  CHECK(strcmp(redactions.data,
               "[{\"method\":\"memory.upsertNote\",\"field\":\"content\",\"rule\":\"keyed-value\",\"count\":1}]") == 0);
  loopmem_buffer_free(&redactions);
  loopmem_buffer_free(&answer);
  note.content = "plain";
  CHECK_OK(loopmem_memory_upsert_note(store, &params, &options, &answer), &answer);
  CHECK(redactions.data == NULL && redactions.length == 0);
  loopmem_buffer_free(&answer);
}

/* Whether a call with these options has this status and leaves an empty list, whatever was in it before. */
static bool empties(loopmem_call_options options, loopmem_status expected, loopmem_store store, const char *method,
                    const char *params) {
  char before[] = "of an earlier call";
  loopmem_buffer list = {before, sizeof before - 1};
  loopmem_status status;
  options.redactions = &list;
  status = loopmem_call(store, method, params, params == NULL ? 1 : strlen(params), &options, NULL);
  return status == expected && list.data == NULL && list.length == 0;
}

static void a_call_that_fails_leaves_an_empty_list(loopmem_store store) {
  static const char note[] = "{\"repoHash\":\"" REPO "\",\"note\":{\"content\":\"DB_PASSWORD=hunter22\"}}";
  static const char refused[] = "{\"repoHash\":\"nobody\",\"note\":{\"content\":\"DB_PASSWORD=hunter22\"}}";
  const loopmem_store never = {7};
  loopmem_call_options options = {.size = sizeof options};
  char before[] = "of an earlier call";
  loopmem_buffer list = {before, sizeof before - 1};

  CHECK(empties(options, LOOPMEM_MISUSE, never, "memory.upsertNote", note));
  CHECK(empties(options, LOOPMEM_MISUSE, store, NULL, note));
  CHECK(empties(options, LOOPMEM_VALIDATION_ERROR, store, "\xff", note));
  CHECK(empties(options, LOOPMEM_VALIDATION_ERROR, store, "memory.nothing", note));
  CHECK(empties(options, LOOPMEM_MISUSE, store, "memory.upsertNote", NULL));
  CHECK(empties(options, LOOPMEM_VALIDATION_ERROR, store, "memory.upsertNote", "{"));
  CHECK(empties(options, LOOPMEM_VALIDATION_ERROR, store, "memory.upsertNote", refused));
  options.cancel.id = UINT64_MAX;
  CHECK(empties(options, LOOPMEM_MISUSE, store, "memory.upsertNote", note));
  options.cancel.id = 0;
  options.within.id = UINT64_MAX;
  CHECK(empties(options, LOOPMEM_MISUSE, store, "memory.upsertNote", note));
  options.within.id = 0;

  /* Options that cannot be read: nothing is known of a list. */
  options.size = 1;
  options.redactions = &list;
  CHECK(loopmem_call(store, "memory.upsertNote", note, sizeof note - 1, &options, NULL) == LOOPMEM_MISUSE);
  CHECK(list.data == before && list.length == sizeof before - 1);
}

/* What a callback for progress received, and how many of the calls that it made were refused. */
typedef struct reports {
  loopmem_store store;
  uint64_t count, first, last, total, refused;
} reports;

static void report(void *ctx, uint64_t done, uint64_t total) {
  reports *const received = ctx;
  if (received->count++ == 0) received->first = done;
  received->last = done;
  received->total = total;
  if (loopmem_call(received->store, "repo.list", NULL, 0, NULL, NULL) == LOOPMEM_MISUSE) received->refused++;
}

static void a_long_call_reports_its_progress(loopmem_store store, const char *folder) {
  reports received = {.store = store};
  const loopmem_call_options options = {.size = sizeof options, .progress = report, .progress_ctx = &received};
  const loopmem_index_refresh_params params = {folder};
  loopmem_buffer answer = {NULL, 0};
  char path[4096];
  FILE *file;
  const int length = snprintf(path, sizeof path, "%s/part.c", folder);
  CHECK(length > 0 && (size_t)length < sizeof path);
  file = fopen(path, "w");
  CHECK(file != NULL && fputs("int part(void) { return 1; }\n", file) >= 0 && fclose(file) == 0);

  CHECK_OK(loopmem_index_refresh(store, &params, &options, &answer), &answer);
  CHECK(received.count >= 2 && received.first == 0 && received.last == received.total && received.total >= 1);
  CHECK(received.refused == received.count);
  loopmem_buffer_free(&answer);
  CHECK(loopmem_call(store, "repo.list", NULL, 0, NULL, NULL) == LOOPMEM_OK);
}

int main(int count, char **arguments) {
  loopmem_store store;
  CHECK(count == 2);
  store = open_in(arguments[1], "home");
  text_comes_back_as_it_was(store);
  what_is_left_out_stays(store);
  an_empty_list_is_not_a_list_left_out(store);
  numbers_and_lists_of_names(store);
  a_call_says_what_it_redacted(store);
  a_call_that_fails_leaves_an_empty_list(store);
  a_long_call_reports_its_progress(store, arguments[1]);
  CHECK(loopmem_close(store) == LOOPMEM_OK);
  return 0;
}
