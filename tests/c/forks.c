/* A process forks while its threads are anywhere in the library: no child waits for a thread that it does not have, and
 * each can use what it inherits. A call whose adapter function forks continues in the child too.
 *
 *     forks FOLDER     FOLDER: empty, for the home
 */

#define _DEFAULT_SOURCE /* alarm, fork */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define FORKS 400
#define READERS 2
/* A child that has not ended by then hangs, and its alarm kills it. Its work takes milliseconds. */
#define HANG_SECONDS 60

static loopmem_store store;
static loopmem_cancel inherited;
static atomic_bool is_over;
static atomic_long rounds;
static bool get_forks;
static pid_t forked;

/* Storage that returns the same context for every key, and stores nothing. */

static loopmem_status get(void *ctx, loopmem_host_call call, const char *key, size_t key_length) {
  (void)ctx, (void)key, (void)key_length;
  if (get_forks) {
    forked = fork();
    if (forked == 0) alarm(HANG_SECONDS);
  }
  return loopmem_host_answer(call, "{\"step\":1}", 10);
}

static loopmem_status keep(void *ctx, loopmem_host_call call, const char *key, size_t key_length, const char *value,
                           size_t value_length) {
  (void)ctx, (void)call, (void)key, (void)key_length, (void)value, (void)value_length;
  return LOOPMEM_OK;
}

static loopmem_status nothing(void *ctx, loopmem_host_call call, const char *key, size_t key_length) {
  (void)ctx, (void)call, (void)key, (void)key_length;
  return LOOPMEM_OK;
}

static void read_context(const char *scope) {
  const loopmem_working_get_context_params params = {.scope_id = scope};
  loopmem_buffer answer = {NULL, 0};
  CHECK_OK(loopmem_working_get_context(store, &params, NULL, &answer), &answer);
  CHECK(strcmp(answer.data, "{\"step\":1}") == 0);
  loopmem_buffer_free(&answer);
}

/* Threads that keep the library busy all the time. */

static void *reads(void *scope) {
  while (!is_over) {
    read_context(scope);
    rounds++;
  }
  return NULL;
}

static void *answers_no_call(void *none) {
  while (!is_over) {
    CHECK(loopmem_host_answer((loopmem_host_call){(uint64_t)UINT32_MAX << 32 | 1}, "1", 1) == LOOPMEM_MISUSE);
    rounds++;
  }
  return none;
}

static void *makes_requests(void *none) {
  while (!is_over) {
    loopmem_cancel cancel = loopmem_cancel_new();
    CHECK(cancel.id != 0 && loopmem_cancel_free(cancel) == LOOPMEM_OK);
    CHECK(loopmem_cancel_free(cancel) == LOOPMEM_MISUSE);
    rounds++;
  }
  return none;
}

static void *names_no_method(void *none) {
  while (!is_over) {
    CHECK(loopmem_call(store, NULL, NULL, 0, NULL, NULL) == LOOPMEM_MISUSE);
    rounds++;
  }
  return none;
}

static void uses_everything(const char *folder) {
  const loopmem_working_update_context_params update = {.scope_id = "child", .patch_json = "{\"step\":2}"};
  loopmem_call_options options = {.size = sizeof options};
  loopmem_buffer answer = {NULL, 0};
  loopmem_store own;

  read_context("child");
  read_context("reader-0"); /* A thread of the parent may be reading it. */
  options.cancel = loopmem_cancel_new();
  CHECK_OK(loopmem_working_update_context(store, &update, &options, &answer), &answer);
  CHECK(strcmp(answer.data, "{\"step\":2}") == 0);
  loopmem_buffer_free(&answer);
  CHECK(loopmem_cancel_free(options.cancel) == LOOPMEM_OK);
  CHECK(loopmem_cancel_request(inherited) == LOOPMEM_OK && loopmem_cancel_free(inherited) == LOOPMEM_OK);
  CHECK(strcmp(loopmem_status_code(LOOPMEM_MISUSE), "Misuse") == 0);

  own = open_in(folder, "home");
  CHECK(own.id != store.id && loopmem_close(own) == LOOPMEM_OK);
  CHECK(loopmem_close(store) == LOOPMEM_OK && loopmem_close(store) == LOOPMEM_MISUSE);
}

static void ended_well(pid_t child) {
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(!WIFSIGNALED(status)); /* Killed by its alarm: it hung. */
  CHECK(WEXITSTATUS(status) == 0);
}

static void children_use_what_they_inherit(const char *folder) {
  static char scopes[READERS][16];
  pthread_t threads[READERS + 3];
  int index;

  for (index = 0; index < READERS; index++) {
    snprintf(scopes[index], sizeof scopes[index], "reader-%d", index);
    CHECK(pthread_create(&threads[index], NULL, reads, scopes[index]) == 0);
  }
  CHECK(pthread_create(&threads[READERS], NULL, answers_no_call, NULL) == 0);
  CHECK(pthread_create(&threads[READERS + 1], NULL, makes_requests, NULL) == 0);
  CHECK(pthread_create(&threads[READERS + 2], NULL, names_no_method, NULL) == 0);

  for (index = 0; index < FORKS; index++) {
    long before = rounds;
    pid_t child;
    while (rounds == before) sched_yield(); /* The threads are running. */
    child = fork();
    if (child == 0) {
      alarm(HANG_SECONDS);
      uses_everything(folder);
      _exit(0);
    }
    ended_well(child);
  }

  is_over = true;
  for (index = 0; index < READERS + 3; index++) CHECK(pthread_join(threads[index], NULL) == 0);
}

static void a_call_whose_function_forks_goes_on_in_both(void) {
  get_forks = true;
  read_context("forked");
  get_forks = false;
  if (forked == 0) _exit(0);
  ended_well(forked);
}

int main(int count, char **arguments) {
  const loopmem_adapter adapter = {.size = sizeof adapter, .get = get, .set = keep, .del = nothing, .push = keep,
                                   .get_list = nothing};
  const loopmem_host host = {.size = sizeof host, .adapter = &adapter};
  char options[4096];
  loopmem_buffer answer = {NULL, 0};
  int length;

  CHECK(count == 2);
  alarm(600); /* A hang is a failure too. */
  length = snprintf(options, sizeof options, "{\"home\":\"%s/home\"}", arguments[1]);
  CHECK(length > 0 && (size_t)length < sizeof options);
  CHECK_OK(loopmem_open(options, (size_t)length, &host, &store, &answer), &answer);
  inherited = loopmem_cancel_new();

  children_use_what_they_inherit(arguments[1]);
  a_call_whose_function_forks_goes_on_in_both();

  read_context("parent");
  CHECK(loopmem_cancel_free(inherited) == LOOPMEM_OK && loopmem_close(store) == LOOPMEM_OK);
  return 0;
}
