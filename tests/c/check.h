/* Shared by the C test programs: a check that reports where it failed, and a store in the folder they were given. */

#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loopmem.h"

/* Not assert: it must also run in release builds. */
#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      exit(1); \
    } \
  } while (0)

/* As CHECK(status == LOOPMEM_OK), and prints the error. */
#define CHECK_OK(status, answer) check_ok(__LINE__, status, answer)

static inline void check_ok(int line, loopmem_status status, const loopmem_buffer *answer) {
  if (status == LOOPMEM_OK) return;
  fprintf(stderr, "line %d: status %d: %s\n", line, (int)status, answer->data == NULL ? "" : answer->data);
  exit(1);
}

/* The key of a repository without a workspace. */
#define REPO "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* Opens a store whose home is `name` in `folder`. The tests create `folder`, and its path needs no escapes. */
static inline loopmem_store open_in(const char *folder, const char *name) {
  char options[4096];
  loopmem_store store = {0};
  loopmem_buffer answer = {NULL, 0};
  int length = snprintf(options, sizeof options, "{\"home\":\"%s/%s\"}", folder, name);
  CHECK(length > 0 && (size_t)length < sizeof options);
  CHECK_OK(loopmem_open(options, (size_t)length, NULL, &store, &answer), &answer);
  CHECK(store.id != 0);
  CHECK(answer.data == NULL && answer.length == 0);
  return store;
}

#endif
