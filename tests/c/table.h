/* The adapter and the logger of adapter.c: a table in memory behind a loopmem_adapter, and a loopmem_logger that records
 * its events.
 */

#ifndef TABLE_H
#define TABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

/* The answer of the current call. */
static loopmem_buffer answer;

#define SAYS(status, call, part) says(__LINE__, status, call, part)

static void says(int line, loopmem_status expected, loopmem_status status, const char *part) {
  if (status != expected || answer.data == NULL || strstr(answer.data, part) == NULL) {
    fprintf(stderr, "adapter.c:%d: expected %d and %s, got %d: %s\n", line, (int)expected, part, (int)status,
            answer.data == NULL ? "no answer" : answer.data);
    exit(1);
  }
  loopmem_buffer_free(&answer);
}

/* The host's table: the values and items under all keys, in order of arrival. A value is a list with one item. */

#define MOST 4096

typedef struct row {
  char *key, *json;
} row;

typedef struct table {
  pthread_mutex_t mutex;
  row rows[MOST];
  size_t count;
  atomic_int calls, destroyed;
  /* What else the functions do on request. */
  loopmem_store store;
  const char *calls_back; /* A function of this name calls back into … */
  const char *into;       /* … this scope, … */
  bool on_another_thread, says_within;
  loopmem_status called_back; /* … with this result. */
  const char *fails;          /* A function of this name fails … */
  const char *because;        /* … for this reason. */
  const char *answers;        /* get answers with this. */
  bool answers_twice, closes;
  loopmem_host_call stale; /* A call that has ended. */
} table;

static char *copy(const char *text, size_t length) {
  char *it = malloc(length + 1);
  CHECK(it != NULL);
  if (length > 0) memcpy(it, text, length);
  it[length] = '\0';
  return it;
}

static void free_row(row *it) {
  free(it->key);
  free(it->json);
}

static bool is(const row *it, const char *key, size_t length) {
  return strlen(it->key) == length && memcmp(it->key, key, length) == 0;
}

static void take_away(table *it, const char *key, size_t length) {
  size_t from, to = 0;
  for (from = 0; from < it->count; from++) {
    if (is(&it->rows[from], key, length)) {
      free_row(&it->rows[from]);
    } else {
      it->rows[to++] = it->rows[from];
    }
  }
  it->count = to;
}

static void add(table *it, const char *key, size_t key_length, const char *json, size_t length) {
  CHECK(it->count < MOST);
  it->rows[it->count].key = copy(key, key_length);
  it->rows[it->count++].json = copy(json, length);
}

static size_t kept(table *it, const char *key) {
  size_t index, count = 0;
  for (index = 0; index < it->count; index++) count += is(&it->rows[index], key, strlen(key));
  return count;
}

static loopmem_status update(loopmem_store store, const char *scope, const char *patch, loopmem_host_call within,
                             loopmem_buffer *out) {
  const loopmem_working_update_context_params params = {.scope_id = scope, .patch_json = patch};
  const loopmem_call_options options = {.size = sizeof options, .timeout_ms = 50, .within = within};
  return loopmem_working_update_context(store, &params, &options, out);
}

typedef struct caller {
  table *it;
  loopmem_host_call within;
} caller;

static void *call_back(void *of) {
  const caller *from = of;
  loopmem_buffer out = {NULL, 0};
  from->it->called_back = update(from->it->store, from->it->into, "{\"inner\":true}", from->within, &out);
  loopmem_buffer_free(&out);
  return NULL;
}

/* Every function does this first, without holding the table's mutex. */
static loopmem_status begin(table *it, loopmem_host_call call, const char *name) {
  atomic_fetch_add(&it->calls, 1);
  if (it->calls_back != NULL && strcmp(it->calls_back, name) == 0) {
    caller from = {it, {0}};
    pthread_t thread;
    it->calls_back = NULL;
    if (it->says_within) from.within = call;
    if (it->on_another_thread) {
      CHECK(pthread_create(&thread, NULL, call_back, &from) == 0 && pthread_join(thread, NULL) == 0);
    } else {
      call_back(&from);
    }
  }
  if (it->closes) {
    it->closes = false;
    CHECK(loopmem_close(it->store) == LOOPMEM_OK);
    CHECK(it->destroyed == 0);
  }
  if (it->fails != NULL && strcmp(it->fails, name) == 0) {
    if (it->because == NULL) return 77;
    return loopmem_host_fail(call, it->because, strlen(it->because));
  }
  return LOOPMEM_OK;
}

#define BEGIN(name)                                     \
  table *it = ctx;                                      \
  loopmem_status begun = begin(it, call, name);         \
  if (begun != LOOPMEM_OK) return begun;                \
  CHECK(pthread_mutex_lock(&it->mutex) == 0)
#define END() CHECK(pthread_mutex_unlock(&it->mutex) == 0)

static loopmem_status find(table *it, loopmem_host_call call, const char *key, size_t key_length, int64_t start) {
  loopmem_status status = LOOPMEM_OK;
  int64_t count = 0;
  size_t index;
  for (index = 0; index < it->count; index++) count += is(&it->rows[index], key, key_length);
  if (start < 0) start = start + count < 0 ? 0 : start + count;
  for (index = 0; index < it->count && status == LOOPMEM_OK; index++) {
    if (!is(&it->rows[index], key, key_length) || start-- > 0) continue;
    status = loopmem_host_answer(call, it->rows[index].json, strlen(it->rows[index].json));
  }
  return status;
}

static loopmem_status get(void *ctx, loopmem_host_call call, const char *key, size_t key_length) {
  loopmem_status status;
  BEGIN("get");
  it->stale = call;
  if (it->answers != NULL) {
    status = loopmem_host_answer(call, it->answers, strlen(it->answers));
    if (it->answers_twice) CHECK(loopmem_host_answer(call, "{}", 2) == LOOPMEM_MISUSE);
    status = it->answers_twice ? LOOPMEM_OK : status;
  } else {
    status = find(it, call, key, key_length, 0);
  }
  END();
  return status;
}

static loopmem_status set(void *ctx, loopmem_host_call call, const char *key, size_t key_length, const char *value,
                          size_t value_length) {
  BEGIN("set");
  take_away(it, key, key_length);
  add(it, key, key_length, value, value_length);
  END();
  return LOOPMEM_OK;
}

static loopmem_status del(void *ctx, loopmem_host_call call, const char *key, size_t key_length) {
  BEGIN("del");
  take_away(it, key, key_length);
  END();
  return LOOPMEM_OK;
}

static loopmem_status push(void *ctx, loopmem_host_call call, const char *key, size_t key_length, const char *item,
                           size_t item_length) {
  BEGIN("push");
  add(it, key, key_length, item, item_length);
  END();
  return LOOPMEM_OK;
}

static loopmem_status get_list(void *ctx, loopmem_host_call call, const char *key, size_t key_length) {
  loopmem_status status;
  BEGIN("get_list");
  status = find(it, call, key, key_length, 0);
  END();
  return status;
}

static loopmem_status get_range(void *ctx, loopmem_host_call call, const char *key, size_t key_length, int64_t start) {
  loopmem_status status;
  BEGIN("get_range");
  status = find(it, call, key, key_length, start);
  END();
  return status;
}

static loopmem_status compare_and_set(void *ctx, loopmem_host_call call, const char *key, size_t key_length,
                                      const char *expected, size_t expected_length, const char *value,
                                      size_t value_length, bool *is_set) {
  size_t index;
  BEGIN("compare_and_set");
  *is_set = expected == NULL;
  for (index = 0; index < it->count; index++) {
    const row *at = &it->rows[index];
    if (!is(at, key, key_length)) continue;
    *is_set = expected != NULL && strlen(at->json) == expected_length && memcmp(at->json, expected, expected_length) == 0;
  }
  if (*is_set) {
    take_away(it, key, key_length);
    add(it, key, key_length, value, value_length);
  }
  END();
  return LOOPMEM_OK;
}

static loopmem_status list_keys(void *ctx, loopmem_host_call call, const char *prefix, size_t prefix_length) {
  loopmem_status status = LOOPMEM_OK;
  size_t index;
  BEGIN("list_keys");
  for (index = 0; index < it->count && status == LOOPMEM_OK; index++) {
    const char *key = it->rows[index].key;
    if (strlen(key) >= prefix_length && memcmp(key, prefix, prefix_length) == 0) {
      status = loopmem_host_answer(call, key, strlen(key));
    }
  }
  END();
  return status;
}

static void destroy(void *ctx) {
  table *it = ctx;
  while (it->count > 0) free_row(&it->rows[--it->count]);
  atomic_fetch_add(&it->destroyed, 1);
}

static const loopmem_adapter five = {.size = sizeof five, .get = get, .set = set, .del = del, .push = push,
                                     .get_list = get_list, .destroy = destroy};

static loopmem_adapter all_functions(void) {
  loopmem_adapter all = five;
  all.compare_and_set = compare_and_set;
  all.get_range = get_range;
  all.list_keys = list_keys;
  return all;
}

/* What the logger received, one line per event. */
typedef struct told {
  char text[1 << 16];
  size_t length;
  int destroyed;
  loopmem_store store; /* The store that it calls back into, unless zero. */
} told;

static void log_line(void *ctx, int32_t level, const char *message, size_t message_length, const char *payload,
                     size_t payload_length) {
  told *it = ctx;
  int written = snprintf(it->text + it->length, sizeof it->text - it->length, "%d %.*s %.*s\n", (int)level,
                         (int)message_length, message, (int)payload_length, payload);
  CHECK(written > 0 && (it->length += (size_t)written) < sizeof it->text);
  if (it->store.id != 0) {
    loopmem_store store = it->store;
    const loopmem_working_get_context_params params = {"job-1"};
    it->store.id = 0;
    CHECK(loopmem_working_get_context(store, &params, NULL, NULL) == LOOPMEM_OK);
  }
}

static void forget(void *ctx) {
  ((told *)ctx)->destroyed++;
}

static loopmem_status try_to_open(const char *folder, const loopmem_host *host, loopmem_store *store) {
  char home[4096];
  loopmem_store_options options = {0};
  snprintf(home, sizeof home, "%s/home", folder);
  options.home = home;
  return loopmem_store_open(&options, host, store, &answer);
}

static table *new_table(void) {
  table *it = calloc(1, sizeof *it);
  CHECK(it != NULL && pthread_mutex_init(&it->mutex, NULL) == 0);
  return it;
}

static void open_over(const char *folder, table *it, loopmem_adapter adapter, loopmem_logger *logger) {
  const loopmem_host host = {.size = sizeof host, .adapter = &adapter, .logger = logger};
  adapter.ctx = it;
  CHECK_OK(try_to_open(folder, &host, &it->store), &answer);
  /* The table is read and not kept. */
  memset(&adapter, 0xff, sizeof adapter);
}

static void close_and_free(table *it) {
  CHECK(it->destroyed == 0);
  CHECK(loopmem_close(it->store) == LOOPMEM_OK);
  CHECK(it->destroyed == 1 && it->count == 0);
  CHECK(pthread_mutex_destroy(&it->mutex) == 0);
  free(it);
}

#endif
