/* Working contexts with your own storage: createMemoryStore({ adapter, logger }) in C. The adapter here is a list in
 * memory; yours may be a database.
 *
 *     cc -std=c11 memory_store.c -I../../include -L../../target/debug -lloopmem -pthread -o memory_store
 *     LD_LIBRARY_PATH=../../target/debug ./memory_store
 */

#include <pthread.h>

#include "loopmem.h"

/* The values and items under all keys, in order of arrival: a value is a list with one item. */
typedef struct row {
  struct row *next;
  size_t key_length, json_length;
  char text[]; /* The key, followed by the JSON. */
} row;

typedef struct table {
  pthread_mutex_t mutex; /* The functions are called on any thread, concurrently. */
  row *first;
} table;

static bool is(const row *it, const char *key, size_t length) {
  return it->key_length == length && memcmp(it->text, key, length) == 0;
}

static void take_away(table *it, const char *key, size_t length) {
  row **at = &it->first;
  while (*at != NULL) {
    row *here = *at;
    if (!is(here, key, length)) {
      at = &here->next;
    } else {
      *at = here->next;
      free(here);
    }
  }
}

static bool add(table *it, const char *key, size_t key_length, const char *json, size_t json_length) {
  row **at = &it->first, *new = malloc(sizeof *new + key_length + json_length);
  if (new == NULL) return false;
  new->next = NULL;
  new->key_length = key_length;
  new->json_length = json_length;
  memcpy(new->text, key, key_length);
  memcpy(new->text + key_length, json, json_length);
  while (*at != NULL) at = &(*at)->next;
  *at = new;
  return true;
}

/* get and get_list: every answer is copied at once, so the table may change after the mutex is released. */
static loopmem_status find(void *ctx, loopmem_host_call call, const char *key, size_t key_length) {
  table *it = ctx;
  const row *at;
  loopmem_status status = LOOPMEM_OK;
  pthread_mutex_lock(&it->mutex);
  for (at = it->first; at != NULL && status == LOOPMEM_OK; at = at->next) {
    if (is(at, key, key_length)) status = loopmem_host_answer(call, at->text + at->key_length, at->json_length);
  }
  pthread_mutex_unlock(&it->mutex);
  return status;
}

static loopmem_status push(void *ctx, loopmem_host_call call, const char *key, size_t key_length, const char *item,
                           size_t item_length) {
  table *it = ctx;
  bool is_added;
  pthread_mutex_lock(&it->mutex);
  is_added = add(it, key, key_length, item, item_length);
  pthread_mutex_unlock(&it->mutex);
  return is_added ? LOOPMEM_OK : loopmem_host_fail(call, "no memory is left", 17);
}

static loopmem_status del(void *ctx, loopmem_host_call call, const char *key, size_t key_length) {
  table *it = ctx;
  (void)call;
  pthread_mutex_lock(&it->mutex);
  take_away(it, key, key_length);
  pthread_mutex_unlock(&it->mutex);
  return LOOPMEM_OK;
}

static loopmem_status set(void *ctx, loopmem_host_call call, const char *key, size_t key_length, const char *value,
                          size_t value_length) {
  table *it = ctx;
  bool is_added;
  pthread_mutex_lock(&it->mutex);
  take_away(it, key, key_length);
  is_added = add(it, key, key_length, value, value_length);
  pthread_mutex_unlock(&it->mutex);
  return is_added ? LOOPMEM_OK : loopmem_host_fail(call, "no memory is left", 17);
}

static void destroy(void *ctx) {
  table *it = ctx;
  while (it->first != NULL) {
    row *rest = it->first->next;
    free(it->first);
    it->first = rest;
  }
  pthread_mutex_destroy(&it->mutex);
  free(it);
}

static void log_line(void *ctx, int32_t level, const char *message, size_t message_length, const char *payload,
                     size_t payload_length) {
  (void)ctx, (void)payload, (void)payload_length;
  printf("log: %d %.*s\n", (int)level, (int)message_length, message);
}

/* Prints the answer of a call; exits if the call failed. */
static void show(const char *what, loopmem_status status, loopmem_buffer *answer) {
  fprintf(status == LOOPMEM_OK ? stdout : stderr, "%s: %s\n", what, answer->data);
  loopmem_buffer_free(answer);
  if (status != LOOPMEM_OK) exit(1);
}

int main(void) {
  table *it = calloc(1, sizeof *it);
  const loopmem_adapter adapter = {.size = sizeof adapter, .ctx = it, .get = find, .set = set, .del = del,
                                   .push = push, .get_list = find, .destroy = destroy};
  const loopmem_logger logger = {.size = sizeof logger, .log = log_line};
  const loopmem_host host = {.size = sizeof host, .adapter = &adapter, .logger = &logger};
  const loopmem_working_update_context_params update = {.scope_id = "job-1", .patch_json = "{\"step\":2}"};
  const loopmem_working_get_context_params get = {.scope_id = "job-1"};
  const loopmem_memory_entry_draft entry = {.id = "e1", .content = "Built it."};
  const loopmem_working_add_log_params append = {.scope_id = "job-1", .entry = &entry};
  const loopmem_working_get_logs_params logs = {.scope_id = "job-1"};
  loopmem_store store;
  loopmem_buffer answer;
  loopmem_status opened;

  if (it == NULL || pthread_mutex_init(&it->mutex, NULL) != 0) return 1;
  opened = loopmem_open(NULL, 0, &host, &store, &answer);
  if (opened != LOOPMEM_OK) show("open", opened, &answer);
  show("updated", loopmem_working_update_context(store, &update, NULL, &answer), &answer);
  show("context", loopmem_working_get_context(store, &get, NULL, &answer), &answer);
  show("added", loopmem_working_add_log(store, &append, NULL, &answer), &answer);
  show("logs", loopmem_working_get_logs(store, &logs, NULL, &answer), &answer);
  return loopmem_close(store) == LOOPMEM_OK ? 0 : 1; /* Calls destroy. */
}
