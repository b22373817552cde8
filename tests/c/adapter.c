/* A C host that stores working contexts in its own table: a memory store on top of a loopmem_adapter, with a
 * loopmem_logger.
 *
 *     adapter FOLDER     FOLDER: empty, for the homes
 */

#define _DEFAULT_SOURCE /* alarm */

#include "table.h"

static void what_the_store_keeps_the_host_keeps(loopmem_store store, table *it) {
  const double embedding[] = {0.1, -2.5e-7, 3};
  const double timestamp = 1700000000000.5;
  const char *const names[] = {"a", "never was"};
  const loopmem_memory_entry_metadata_draft metadata = {
      .source = "user", .timestamp = &timestamp, .embedding = embedding, .embedding_count = 3};
  const loopmem_memory_entry_draft entry = {.id = "e1", .content = "He said \"no\"", .metadata = &metadata};
  const char second_entry[] = "{\"scopeId\":\"job-1\",\"entry\":{\"id\":\"e2\",\"content\":\"x\"}}";
  const int64_t one = 1;

  SAYS(LOOPMEM_OK, loopmem_working_get_context(store, &(loopmem_working_get_context_params){"job-1"}, NULL, &answer),
       "{}");
  SAYS(LOOPMEM_OK,
       loopmem_working_update_context(
           store, &(loopmem_working_update_context_params){.scope_id = "job-1", .patch_json = "{\"a\":1, \"b\":null}"},
           NULL, &answer),
       "{\"a\":1,\"b\":null}");
  SAYS(LOOPMEM_OK,
       loopmem_working_update_context(store,
                                      &(loopmem_working_update_context_params){.scope_id = "job-1",
                                                                               .patch_json = " {\"c\":[\"}\",{}]} ",
                                                                               .remove = names,
                                                                               .remove_count = 2,
                                                                               .source = "agent"},
                                      NULL, &answer),
       "{\"b\":null,\"c\":[\"}\",{}]}");
  CHECK(kept(it, "context:job-1") == 1 && kept(it, "trail:job-1") == 2 && kept(it, "context:job") == 0);

  SAYS(LOOPMEM_OK, loopmem_working_add_log(store, &(loopmem_working_add_log_params){"job-1", &entry}, NULL, &answer),
       "{\"id\":\"e1\",\"content\":\"He said \\\"no\\\"\",\"metadata\":{\"source\":\"user\",\"timestamp\":1700000000000.5,"
       "\"embedding\":[0.1,-2.5e-07,3]}}");
  SAYS(LOOPMEM_OK,
       loopmem_call(store, "working.addLog", second_entry, sizeof second_entry - 1, NULL, &answer),
       "\"e2\"");
  CHECK_OK(loopmem_working_get_logs(store, &(loopmem_working_get_logs_params){"job-1", &one, NULL}, NULL, &answer),
           &answer);
  CHECK(strstr(answer.data, "\"e2\"") != NULL && strstr(answer.data, "\"e1\"") == NULL);
  loopmem_buffer_free(&answer);
  CHECK_OK(loopmem_working_search_logs(store,
                                       &(loopmem_working_search_logs_params){
                                           .scope_id = "job-1", .embedding = embedding, .embedding_count = 3},
                                       NULL, &answer),
           &answer);
  CHECK(strstr(answer.data, "\"e1\"") != NULL && strstr(answer.data, "\"e2\"") == NULL);
  loopmem_buffer_free(&answer);
}

static void checkpoints_come_and_go(loopmem_store store, table *it) {
  char key[128];
  long long timestamp;
  loopmem_working_restore_checkpoint_params restore = {.job_id = "job-1"};
  CHECK_OK(loopmem_working_save_checkpoint(store, &(loopmem_working_save_checkpoint_params){"job-1"}, NULL, &answer),
           &answer);
  CHECK(sscanf(answer.data, "{\"timestamp\":%lld}", &timestamp) == 1);
  loopmem_buffer_free(&answer);
  snprintf(key, sizeof key, "checkpoint:job-1:%lld", timestamp);
  CHECK(kept(it, key) == 1);
  SAYS(LOOPMEM_OK, update(store, "job-1", "{\"b\":2}", (loopmem_host_call){0}, &answer), "\"b\":2");
  restore.timestamp = timestamp;
  SAYS(LOOPMEM_OK, loopmem_working_restore_checkpoint(store, &restore, NULL, &answer), "\"b\":null");
  restore.timestamp = 7;
  SAYS(LOOPMEM_NOT_FOUND, loopmem_working_restore_checkpoint(store, &restore, NULL, &answer), "no checkpoint 7");
}

static void a_scope_is_listed_and_deleted(loopmem_store store, table *it, bool can_list) {
  if (can_list) {
    SAYS(LOOPMEM_OK, update(store, "other \"scope\"", "{}", (loopmem_host_call){0}, &answer), "{}");
    SAYS(LOOPMEM_OK, loopmem_working_list_scopes(store, NULL, NULL, &answer), "[\"job-1\",\"other \\\"scope\\\"\"]");
    SAYS(LOOPMEM_OK,
         loopmem_working_delete_scope(store, &(loopmem_working_delete_scope_params){.scope_id = "other \"scope\""}, NULL, &answer),
         "true");
  } else {
    SAYS(LOOPMEM_UNSUPPORTED, loopmem_working_list_scopes(store, NULL, NULL, &answer), "listKeys");
  }
  SAYS(LOOPMEM_OK, loopmem_working_delete_scope(store, &(loopmem_working_delete_scope_params){.scope_id = "job-1"}, NULL, &answer),
       "true");
  CHECK(it->count == 0);
  SAYS(LOOPMEM_OK, loopmem_working_delete_scope(store, &(loopmem_working_delete_scope_params){.scope_id = "job-1"}, NULL, &answer),
       "false");
}

static void five_functions_are_enough_and_eight_are_used(const char *folder) {
  int can_all;
  for (can_all = 0; can_all < 2; can_all++) {
    table *it = new_table();
    open_over(folder, it, can_all ? all_functions() : five, NULL);
    what_the_store_keeps_the_host_keeps(it->store, it);
    checkpoints_come_and_go(it->store, it);
    a_scope_is_listed_and_deleted(it->store, it, can_all);
    close_and_free(it);
  }
}

static void a_failure_is_an_adapter_error_with_its_cause(const char *folder) {
  const char *const reason = "disk \"full\" \xff";
  static const char *const wrong[] = {"", "{", "{} {}", "\xff", "[1]", "7", "nul"};
  table *it = new_table();
  const loopmem_working_get_context_params job = {"job-1"};
  size_t index;
  open_over(folder, it, all_functions(), NULL);
  SAYS(LOOPMEM_OK, update(it->store, "job-1", "{\"a\":1}", (loopmem_host_call){0}, &answer), "{\"a\":1}");

  it->fails = "get";
  it->because = reason;
  SAYS(LOOPMEM_ADAPTER_ERROR, loopmem_working_get_context(it->store, &job, NULL, &answer),
       "\"message\":\"the adapter's get failed\",\"operation\":\"working.getContext\",\"id\":\"context:job-1\","
       "\"cause\":\"disk \\\"full\\\" \xef\xbf\xbd\",\"retryable\":false}");
  it->because = "";
  SAYS(LOOPMEM_ADAPTER_ERROR, loopmem_working_get_context(it->store, &job, NULL, &answer), "no reason");
  /* A status that only the host knows. */
  it->because = NULL;
  SAYS(LOOPMEM_ADAPTER_ERROR, loopmem_working_get_context(it->store, &job, NULL, &answer), "status 77");
  for (index = 0; index < 2; index++) {
    it->fails = index == 0 ? "compare_and_set" : "push";
    SAYS(LOOPMEM_ADAPTER_ERROR, update(it->store, "job-1", "{\"a\":2}", (loopmem_host_call){0}, &answer), it->fails);
  }
  it->fails = NULL;

  for (index = 0; index < sizeof wrong / sizeof *wrong; index++) {
    it->answers = wrong[index];
    SAYS(LOOPMEM_ADAPTER_ERROR, loopmem_working_get_context(it->store, &job, NULL, &answer), "context:job-1");
  }
  it->answers = "{}";
  it->answers_twice = true;
  SAYS(LOOPMEM_ADAPTER_ERROR, loopmem_working_get_context(it->store, &job, NULL, &answer), "already answered");
  it->answers_twice = false;
  it->answers = " {\"a\" : 3}\n";
  SAYS(LOOPMEM_OK, loopmem_working_get_context(it->store, &job, NULL, &answer), "{\"a\" : 3}");
  it->answers = "null";
  SAYS(LOOPMEM_OK, loopmem_working_get_context(it->store, &job, NULL, &answer), "{}");
  it->answers = NULL;

  /* A call that has ended can no longer be answered. */
  CHECK(it->stale.id != 0);
  CHECK(loopmem_host_answer(it->stale, "{}", 2) == LOOPMEM_MISUSE);
  CHECK(loopmem_host_fail(it->stale, "x", 1) == LOOPMEM_MISUSE);
  CHECK(loopmem_host_answer((loopmem_host_call){0}, "{}", 2) == LOOPMEM_MISUSE);
  SAYS(LOOPMEM_MISUSE, update(it->store, "job-1", "{}", it->stale, &answer), "has ended");
  close_and_free(it);
}

static loopmem_status answers_a_set(void *ctx, loopmem_host_call call, const char *key, size_t key_length,
                                    const char *value, size_t value_length) {
  (void)ctx, (void)key, (void)key_length, (void)value, (void)value_length;
  return loopmem_host_answer(call, "true", 4);
}

static loopmem_status two_items_in_one(void *ctx, loopmem_host_call call, const char *key, size_t key_length) {
  (void)ctx, (void)key, (void)key_length;
  return loopmem_host_answer(call, "1,2", 3);
}

static loopmem_status no_text(void *ctx, loopmem_host_call call, const char *key, size_t key_length) {
  (void)ctx, (void)key, (void)key_length;
  CHECK(loopmem_host_answer(call, "x", (size_t)-1) == LOOPMEM_MISUSE);
  return loopmem_host_answer(call, NULL, 3);
}

static void an_answer_that_is_none_makes_the_call_fail(const char *folder) {
  table *it = new_table();
  loopmem_adapter adapter = five;
  adapter.set = answers_a_set;
  adapter.get_list = two_items_in_one;
  adapter.get = no_text;
  open_over(folder, it, adapter, NULL);
  SAYS(LOOPMEM_ADAPTER_ERROR,
       loopmem_working_get_logs(it->store, &(loopmem_working_get_logs_params){.scope_id = "s"}, NULL, &answer),
       "the answer is not valid JSON");
  SAYS(LOOPMEM_ADAPTER_ERROR,
       loopmem_working_get_context(it->store, &(loopmem_working_get_context_params){"s"}, NULL, &answer),
       "cannot be");
  close_and_free(it);

  it = new_table();
  adapter = five;
  adapter.set = answers_a_set;
  open_over(folder, it, adapter, NULL);
  SAYS(LOOPMEM_ADAPTER_ERROR, update(it->store, "s", "{}", (loopmem_host_call){0}, &answer),
       "set has no answer but its status");
  close_and_free(it);
}

static void a_function_may_call_back_but_not_into_its_own_scope(const char *folder) {
  table *it = new_table();
  int threads;
  open_over(folder, it, five, NULL);
  for (threads = 0; threads < 2; threads++) {
    it->on_another_thread = threads == 1;
    it->says_within = threads == 1;
    it->into = "another";
    it->calls_back = "set";
    SAYS(LOOPMEM_OK, update(it->store, "outer", "{\"a\":1}", (loopmem_host_call){0}, &answer), "{\"a\":1}");
    CHECK(it->calls_back == NULL && it->called_back == LOOPMEM_OK);
    CHECK(kept(it, "context:another") == 1);

    it->into = "outer";
    it->calls_back = "set";
    SAYS(LOOPMEM_OK, update(it->store, "outer", "{\"a\":2}", (loopmem_host_call){0}, &answer), "{\"a\":2}");
    CHECK(it->calls_back == NULL && it->called_back == LOOPMEM_MISUSE);
  }
  /* The origin of this one is unknown: it waits, but not forever. */
  it->says_within = false;
  it->calls_back = "set";
  SAYS(LOOPMEM_OK, update(it->store, "outer", "{\"a\":3}", (loopmem_host_call){0}, &answer), "{\"a\":3}");
  CHECK(it->called_back == LOOPMEM_LOCK_ACQUISITION_ERROR);
  close_and_free(it);
}

/* Two nested stores: scopes with the same name are different scopes. */
static void an_adapter_may_stand_on_another_store(const char *folder) {
  table *outer = new_table(), *inner = new_table();
  loopmem_store store;
  open_over(folder, outer, five, NULL);
  open_over(folder, inner, five, NULL);
  store = outer->store;
  outer->store = inner->store;
  outer->into = "job-1";
  outer->calls_back = "set";
  SAYS(LOOPMEM_OK, update(store, "job-1", "{\"a\":1}", (loopmem_host_call){0}, &answer), "{\"a\":1}");
  CHECK(outer->called_back == LOOPMEM_OK && kept(inner, "context:job-1") == 1);

  /* And in a cycle: the second store's adapter calls the first one's scope again. */
  inner->store = store;
  inner->into = "job-1";
  inner->calls_back = "set";
  outer->calls_back = "set";
  SAYS(LOOPMEM_OK, update(store, "job-1", "{\"a\":2}", (loopmem_host_call){0}, &answer), "{\"a\":2}");
  CHECK(outer->called_back == LOOPMEM_OK && inner->called_back == LOOPMEM_MISUSE);
  inner->store = outer->store;
  outer->store = store;
  close_and_free(inner);
  close_and_free(outer);
}

#define THREADS 8
#define WRITES 20

typedef struct writer {
  pthread_t thread;
  table *it;
  int number;
} writer;

static void *write_some(void *of) {
  const writer *by = of;
  int index;
  for (index = 0; index < WRITES; index++) {
    char patch[64], scope[16];
    loopmem_buffer out = {NULL, 0};
    loopmem_working_update_context_params params = {.scope_id = "shared", .patch_json = patch};
    snprintf(patch, sizeof patch, "{\"%d-%d\":true}", by->number, index);
    snprintf(scope, sizeof scope, "own %d", by->number);
    CHECK_OK(loopmem_working_update_context(by->it->store, &params, NULL, &out), &out);
    CHECK(strstr(out.data, "true") != NULL);
    loopmem_buffer_free(&out);
    params.scope_id = scope;
    CHECK_OK(loopmem_working_update_context(by->it->store, &params, NULL, &out), &out);
    loopmem_buffer_free(&out);
  }
  return NULL;
}

static void no_change_of_eight_threads_is_lost(const char *folder) {
  table *it = new_table();
  writer writers[THREADS];
  size_t count = 0;
  const char *at;
  int index;
  open_over(folder, it, five, NULL);
  for (index = 0; index < THREADS; index++) {
    writers[index].it = it;
    writers[index].number = index;
    CHECK(pthread_create(&writers[index].thread, NULL, write_some, &writers[index]) == 0);
  }
  for (index = 0; index < THREADS; index++) CHECK(pthread_join(writers[index].thread, NULL) == 0);
  CHECK_OK(loopmem_working_get_context(it->store, &(loopmem_working_get_context_params){"shared"}, NULL, &answer),
           &answer);
  for (at = answer.data; (at = strstr(at, ":true")) != NULL; at++) count++;
  CHECK(count == THREADS * WRITES);
  loopmem_buffer_free(&answer);
  close_and_free(it);
}

/* If the store was closed meanwhile, the last call destroys. */
static void a_function_may_close_its_own_store(const char *folder) {
  table *it = new_table();
  open_over(folder, it, five, NULL);
  it->closes = true;
  SAYS(LOOPMEM_OK, update(it->store, "job-1", "{\"a\":1}", (loopmem_host_call){0}, &answer), "{\"a\":1}");
  CHECK(it->destroyed == 1);
  SAYS(LOOPMEM_MISUSE, update(it->store, "job-1", "{}", (loopmem_host_call){0}, &answer), "closed");
  CHECK(loopmem_close(it->store) == LOOPMEM_MISUSE && it->destroyed == 1);
  CHECK(pthread_mutex_destroy(&it->mutex) == 0);
  free(it);
}

static void a_logger_is_told_of_calls_and_may_call(const char *folder) {
  static told lines;
  table *it = new_table();
  loopmem_logger logger = {sizeof logger, &lines, log_line, forget};
  open_over(folder, it, five, &logger);
  lines.store = it->store;
  SAYS(LOOPMEM_OK, update(it->store, "job-1", "{\"a\":1}", (loopmem_host_call){0}, &answer), "{\"a\":1}");
  CHECK(lines.store.id == 0);
  CHECK(strcmp(lines.text, "10 Context updated for job-1 {\"scopeId\":\"job-1\"}\n") == 0);
  CHECK_OK(loopmem_working_save_checkpoint(it->store, &(loopmem_working_save_checkpoint_params){"job-1"}, NULL, &answer),
           &answer);
  loopmem_buffer_free(&answer);
  CHECK(strstr(lines.text, "\n20 Checkpoint saved for job-1 at ") != NULL);
  it->fails = "get";
  it->because = "gone";
  SAYS(LOOPMEM_ADAPTER_ERROR, update(it->store, "job-1", "{}", (loopmem_host_call){0}, &answer), "gone");
  CHECK(strstr(lines.text, "\n40 working.updateContext: the adapter's get failed (gone) {\"") != NULL);
  CHECK(strstr(lines.text, "\"code\":\"AdapterError\"") != NULL);
  CHECK(lines.destroyed == 0);
  close_and_free(it);
  CHECK(lines.destroyed == 1);
}

/* Invalid tables are refused, old ones are accepted. What was not taken is not destroyed. */
static void what_is_no_table_is_refused(const char *folder) {
  const size_t members[] = {offsetof(loopmem_adapter, get), offsetof(loopmem_adapter, set),
                            offsetof(loopmem_adapter, del), offsetof(loopmem_adapter, push),
                            offsetof(loopmem_adapter, get_list)};
  const char *const names[] = {"no function get,", "no function set,", "no function del,", "no function push,",
                               "no function get_list,"};
  struct {
    loopmem_adapter known;
    void *more;
  } newer = {all_functions(), NULL};
  table *it = new_table();
  static told lines;
  loopmem_logger logger = {sizeof logger, &lines, log_line, forget};
  loopmem_adapter adapter = five;
  loopmem_host host = {.size = sizeof host, .adapter = &adapter, .logger = &logger};
  loopmem_store store = {0};
  size_t index;

  for (index = 0; index < 5; index++) {
    adapter = five;
    adapter.ctx = it;
    memset((char *)&adapter + members[index], 0, sizeof adapter.get);
    SAYS(LOOPMEM_VALIDATION_ERROR, try_to_open(folder, &host, &store), names[index]);
  }
  adapter = five;
  adapter.ctx = it;
  adapter.size = 0;
  SAYS(LOOPMEM_MISUSE, try_to_open(folder, &host, &store), "sizeof(loopmem_adapter)");
  adapter.size = offsetof(loopmem_adapter, list_keys);
  SAYS(LOOPMEM_MISUSE, try_to_open(folder, &host, &store), "sizeof(loopmem_adapter)");
  adapter.size = sizeof adapter;
  logger.log = NULL;
  SAYS(LOOPMEM_VALIDATION_ERROR, try_to_open(folder, &host, &store), "no function log,");
  logger.log = log_line;
  logger.size--;
  SAYS(LOOPMEM_MISUSE, try_to_open(folder, &host, &store), "sizeof(loopmem_logger)");
  logger.size++;
  /* These are valid, but the options are not. */
  SAYS(LOOPMEM_VALIDATION_ERROR, loopmem_open("[]", 2, &host, &store, &answer), "code");
  SAYS(LOOPMEM_MISUSE, loopmem_open("{}", 2, &host, NULL, &answer), "store is NULL");
  CHECK(store.id == 0 && it->destroyed == 0 && lines.destroyed == 0 && it->calls == 0);

  newer.known.size = sizeof newer;
  newer.known.ctx = it;
  newer.more = it;
  host.adapter = &newer.known;
  SAYS(LOOPMEM_UNSUPPORTED, try_to_open(folder, &host, &store), "loopmem_adapter has members");
  newer.more = NULL;
  CHECK_OK(try_to_open(folder, &host, &store), &answer);
  it->store = store;
  close_and_free(it);
  CHECK(lines.destroyed == 1);
}

/* Hosts compiled with the first header: a host struct with only its size, options without `within`. */
static void hosts_of_the_first_version_work_as_they_did(const char *folder) {
  /* With garbage after them, which they could not have cleared. */
  struct {
    size_t size;
    void *behind[3];
  } first_host = {sizeof(size_t), {(void *)1, (void *)1, (void *)1}};
  struct {
    size_t size;
    uint32_t timeout_ms;
    loopmem_cancel cancel;
    uint64_t behind[4];
  } first_options = {24, 0, {0}, {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
  loopmem_store store = {0};
  loopmem_host host;
  loopmem_call_options options;
  const loopmem_working_get_context_params params = {"job-1"};
  CHECK(sizeof first_host == sizeof host && sizeof first_options == sizeof options);
  CHECK(offsetof(loopmem_call_options, within) == 24);
  memcpy(&host, &first_host, sizeof host);
  memcpy(&options, &first_options, sizeof options);
  CHECK_OK(try_to_open(folder, &host, &store), &answer);
  SAYS(LOOPMEM_OK, loopmem_working_get_context(store, &params, &options, &answer), "{}");
  CHECK(loopmem_close(store) == LOOPMEM_OK);
  /* Nor had those of the second and the third a tokenizer. */
  host = (loopmem_host){.size = offsetof(loopmem_host, tokenizer), .tokenizer = (void *)1};
  CHECK_OK(try_to_open(folder, &host, &store), &answer);
  /* Nor had those of the third and the fourth a callback for progress. */
  options = (loopmem_call_options){.size = offsetof(loopmem_call_options, progress), .progress_ctx = (void *)1};
  memset(&options.progress, 1, sizeof options.progress);
  SAYS(LOOPMEM_OK, loopmem_working_get_context(store, &params, &options, &answer), "{}");
  CHECK(loopmem_close(store) == LOOPMEM_OK);
  /* No compiler produces a size that cuts a member in two. */
  host.size = sizeof(size_t) + 4;
  SAYS(LOOPMEM_MISUSE, try_to_open(folder, &host, &(loopmem_store){0}), "sizeof(loopmem_host)");
}

/* JSON passed to a typed function is one value, and cannot inject other params. */
static void json_of_the_host_stays_where_it_was_put(const char *folder) {
  static const char *const wrong[] = {"",          " ",    "[]",  "7",        "\"{}\"", "{\"a\":1}}", "{},\"remove\":[\"kept\"]",
                                      "{\"a\":1,", "null", "{\"", "{\"\\\"}", "]",      "{}]",        "{} {}"};
  const double endless = strtod("inf", NULL);
  const loopmem_memory_entry_metadata_draft metadata = {.timestamp = &endless};
  const loopmem_memory_entry_draft entry = {.content = "x", .metadata = &metadata};
  table *it = new_table();
  size_t index;
  open_over(folder, it, five, NULL);
  SAYS(LOOPMEM_OK, update(it->store, "job-1", "{\"kept\":1}", (loopmem_host_call){0}, &answer), "{\"kept\":1}");
  for (index = 0; index < sizeof wrong / sizeof *wrong; index++) {
    SAYS(LOOPMEM_VALIDATION_ERROR, update(it->store, "job-1", wrong[index], (loopmem_host_call){0}, &answer), "code");
  }
  SAYS(LOOPMEM_OK, update(it->store, "job-1", "\n{ } ", (loopmem_host_call){0}, &answer), "{\"kept\":1}");
  SAYS(LOOPMEM_VALIDATION_ERROR,
       loopmem_working_add_log(it->store, &(loopmem_working_add_log_params){"job-1", &entry}, NULL, &answer),
       "entry.metadata.timestamp must be a number");
  close_and_free(it);
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  alarm(600); /* A hang is a failure too. */
  five_functions_are_enough_and_eight_are_used(arguments[1]);
  a_failure_is_an_adapter_error_with_its_cause(arguments[1]);
  an_answer_that_is_none_makes_the_call_fail(arguments[1]);
  a_function_may_call_back_but_not_into_its_own_scope(arguments[1]);
  an_adapter_may_stand_on_another_store(arguments[1]);
  no_change_of_eight_threads_is_lost(arguments[1]);
  a_function_may_close_its_own_store(arguments[1]);
  a_logger_is_told_of_calls_and_may_call(arguments[1]);
  what_is_no_table_is_refused(arguments[1]);
  hosts_of_the_first_version_work_as_they_did(arguments[1]);
  json_of_the_host_stays_where_it_was_put(arguments[1]);
  return 0;
}
