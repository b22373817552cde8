/* One store, many threads: no write is lost, a wait for a lock ends when another thread cancels it, and closing a store
 * lets the calls in progress finish.
 *
 *     threads FOLDER     FOLDER: empty, for the home
 */

#define _DEFAULT_SOURCE /* alarm, flock */

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <unistd.h>

#include "check.h"

#define THREADS 8
#define WRITES 5
/* Longer than any test may take: these waits end for another reason. */
#define FOREVER_MS 3600000

static loopmem_status upsert(loopmem_store store, const char *id, uint32_t timeout_ms, loopmem_cancel cancel,
                             loopmem_buffer *answer) {
  const loopmem_convention_draft draft = {.id = id, .title = "title", .content = "content"};
  const loopmem_memory_upsert_convention_params params = {.repo_hash = REPO, .convention = &draft};
  const loopmem_call_options options = {.size = sizeof options, .timeout_ms = timeout_ms, .cancel = cancel};
  return loopmem_memory_upsert_convention(store, &params, &options, answer);
}

static size_t stored(loopmem_store store) {
  const loopmem_memory_get_params params = {REPO, NULL, NULL};
  loopmem_buffer answer = {NULL, 0};
  size_t count = 0;
  const char *at;
  CHECK_OK(loopmem_memory_get(store, &params, NULL, &answer), &answer);
  for (at = answer.data; (at = strstr(at, "\"title\":")) != NULL; at++) count++;
  loopmem_buffer_free(&answer);
  return count;
}

typedef struct writer {
  pthread_t thread;
  loopmem_store store;
  int number;
} writer;

static void *write_some(void *of) {
  const writer *it = of;
  int index;
  for (index = 0; index < WRITES; index++) {
    char id[32];
    loopmem_cancel none = {0};
    loopmem_buffer answer = {NULL, 0};
    snprintf(id, sizeof id, "%d-%d", it->number, index);
    CHECK_OK(upsert(it->store, id, FOREVER_MS, none, &answer), &answer);
    CHECK(strstr(answer.data, id) != NULL);
    loopmem_buffer_free(&answer);
  }
  return NULL;
}

static void no_write_of_eight_threads_is_lost(loopmem_store store) {
  writer writers[THREADS];
  int index;
  for (index = 0; index < THREADS; index++) {
    writers[index].store = store;
    writers[index].number = index;
    CHECK(pthread_create(&writers[index].thread, NULL, write_some, &writers[index]) == 0);
  }
  for (index = 0; index < THREADS; index++) CHECK(pthread_join(writers[index].thread, NULL) == 0);
  CHECK(stored(store) == THREADS * WRITES);
}

/* A call that waits for a lock held by this test. */
typedef struct waiter {
  pthread_t thread;
  loopmem_store store;
  loopmem_cancel cancel;
  loopmem_status status;
  loopmem_buffer answer;
  atomic_bool returned;
} waiter;

static void *wait_for_lock(void *of) {
  waiter *it = of;
  it->status = upsert(it->store, "waited", FOREVER_MS, it->cancel, &it->answer);
  atomic_store(&it->returned, true);
  return NULL;
}

/* Starts it, and returns when it waits: a thread that waits for a lock holds its gate, and no other holds this one. */
static void start(waiter *it, int gate) {
  atomic_init(&it->returned, false);
  it->answer.data = NULL;
  CHECK(pthread_create(&it->thread, NULL, wait_for_lock, it) == 0);
  while (flock(gate, LOCK_SH | LOCK_NB) == 0) {
    CHECK(flock(gate, LOCK_UN) == 0);
    CHECK(!atomic_load(&it->returned));
    sched_yield();
  }
}

static int open_file(const char *folder, const char *name) {
  char path[4096];
  int file;
  snprintf(path, sizeof path, "%s/home/repos/" REPO "/%s", folder, name);
  file = open(path, O_RDWR);
  CHECK(file >= 0);
  return file;
}

static void another_thread_ends_a_wait(loopmem_store store, int lock, int gate) {
  waiter it = {.store = store, .cancel = loopmem_cancel_new()};
  loopmem_buffer answer = {NULL, 0};

  CHECK(flock(lock, LOCK_EX) == 0);
  CHECK(upsert(store, "late", 1, (loopmem_cancel){0}, &answer) == LOOPMEM_LOCK_ACQUISITION_ERROR);
  CHECK(strstr(answer.data, "\"retryable\":true") != NULL);
  loopmem_buffer_free(&answer);

  start(&it, gate);
  CHECK(loopmem_cancel_request(it.cancel) == LOOPMEM_OK);
  CHECK(pthread_join(it.thread, NULL) == 0); /* Although the lock is still held. */
  CHECK(it.status == LOOPMEM_CANCELLED);
  CHECK(strncmp(it.answer.data, "{\"code\":\"Cancelled\"", 19) == 0);
  loopmem_buffer_free(&it.answer);
  CHECK(loopmem_cancel_free(it.cancel) == LOOPMEM_OK);
  CHECK(flock(lock, LOCK_UN) == 0);
  CHECK(stored(store) == THREADS * WRITES);
}

static void closing_lets_a_call_finish(loopmem_store store, int lock, int gate) {
  waiter it = {.store = store, .cancel = loopmem_cancel_new()};

  CHECK(flock(lock, LOCK_EX) == 0);
  start(&it, gate);
  CHECK(loopmem_close(store) == LOOPMEM_OK);
  CHECK(loopmem_cancel_free(it.cancel) == LOOPMEM_OK); /* The call that was given it also continues. */
  CHECK(upsert(store, "after", 1, (loopmem_cancel){0}, NULL) == LOOPMEM_MISUSE);
  CHECK(flock(lock, LOCK_UN) == 0);
  CHECK(pthread_join(it.thread, NULL) == 0);
  CHECK_OK(it.status, &it.answer);
  loopmem_buffer_free(&it.answer);
}

int main(int count, char **arguments) {
  loopmem_store store;
  int lock, gate;

  CHECK(count == 2);
  alarm(600); /* A hang is a failure too. */
  store = open_in(arguments[1], "home");
  no_write_of_eight_threads_is_lost(store);
  lock = open_file(arguments[1], "memory.json.lock");
  gate = open_file(arguments[1], "memory.json.gate");
  another_thread_ends_a_wait(store, lock, gate);
  closing_lets_a_call_finish(store, lock, gate);

  store = open_in(arguments[1], "home");
  CHECK(stored(store) == THREADS * WRITES + 1);
  CHECK(loopmem_close(store) == LOOPMEM_OK);
  CHECK(close(lock) == 0 && close(gate) == 0);
  return 0;
}
