/* Writes from C when signalled, and reports each write once it is acknowledged: writer HOME REPO NAME COUNT. */

#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loopmem.h"

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* Reports an acknowledged write, as one line in one write; exits if it was refused. */
static void report(const char *kind, int number, double before, loopmem_status status, loopmem_buffer *buffer) {
  if (status != LOOPMEM_OK) {
    fprintf(stderr, "%s %d: %s\n", kind, number, buffer->data == NULL ? "no answer" : buffer->data);
    exit(1);
  }
  loopmem_buffer_free(buffer);
  printf("%s %d %.3f\n", kind, number, now_ms() - before);
  fflush(stdout);
}

int main(int argc, char **argv) {
  char json[1024], id[128], step[16], text[4096];
  loopmem_store store = {0};
  loopmem_buffer answer = {NULL, 0};
  double begun, before;
  int number, count, copy;

  if (argc != 5 || strlen(argv[3]) > 100) {
    fprintf(stderr, "usage: writer HOME REPO NAME COUNT\n");
    return 2;
  }
  count = atoi(argv[4]);
  snprintf(json, sizeof json, "{\"home\":\"%s\",\"lockTimeoutMs\":60000,\"appendTimeoutMs\":60000}", argv[1]);
  if (loopmem_open(json, strlen(json), NULL, &store, &answer) != LOOPMEM_OK) {
    fprintf(stderr, "%s\n", answer.data == NULL ? "no answer" : answer.data);
    return 1;
  }
  loopmem_buffer_free(&answer);
  printf("ready\n");
  fflush(stdout);
  getchar();
  begun = now_ms();
  for (number = 0; number < count; number++) {
    const loopmem_convention_draft draft = {.id = id, .title = argv[3], .content = text};
    const loopmem_memory_upsert_convention_params upsert = {.repo_hash = argv[2], .convention = &draft};
    loopmem_summary_append_params append = {0};

    snprintf(id, sizeof id, "%s-%d", argv[3], number);
    snprintf(step, sizeof step, "%d", number);
    text[0] = '\0';
    for (copy = 0; copy < 20; copy++) {
      strcat(text, id);
      strcat(text, ".");
    }
    before = now_ms();
    report("upsert", number, before, loopmem_memory_upsert_convention(store, &upsert, NULL, &answer), &answer);

    /* A field that no type knows: it must be preserved. */
    snprintf(json, sizeof json,
             "{\"repoHash\":\"%s\",\"convention\":{\"id\":\"shared\",\"title\":\"shared\",\"content\":\"shared\",\"extra\":{\"%s\":%d}}}",
             argv[2], argv[3], number);
    before = now_ms();
    report("shared", number, before, loopmem_call(store, "memory.upsertConvention", json, strlen(json), NULL, &answer), &answer);

    append.repo_hash = argv[2];
    append.run_id = argv[3];
    append.step_id = step;
    append.summary = text;
    before = now_ms();
    report("append", number, before, loopmem_summary_append(store, &append, NULL, &answer), &answer);
  }
  printf("done %.3f\n", now_ms() - begun);
  return loopmem_close(store) == LOOPMEM_OK ? 0 : 1;
}
