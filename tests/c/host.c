/* A C host that serves calls over its standard streams, so that the conformance cases can run against the C ABI.
 *
 *     host serve OPTIONS      OPTIONS: the options of the store, as JSON
 *
 * The first line of output is the result of opening; if that failed, the program exits with 1. Then every request is three
 * lines: the method, its params, and its time-out in milliseconds (0: as configured). Every answer is one line:
 *
 *     STATUS JSON             STATUS: the number that the C function returned; JSON: `null` if there was no answer
 *
 * A line ends in '\n' and may contain any other byte; the params are passed with their length, so even a NUL arrives. The
 * program exits with 0 if its input ends between two requests, and with 2 and a message if it was used incorrectly.
 */

#define _POSIX_C_SOURCE 200809L /* getline */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "loopmem.h"

typedef struct line {
  char *text;
  size_t capacity;
  size_t length;
} line;

static void give_up(const char *why) {
  fprintf(stderr, "host: %s\n", why);
  exit(2);
}

/* Reads the next line without its end; false at the end of the input. */
static bool next(line *it) {
  ssize_t length = getline(&it->text, &it->capacity, stdin);
  if (length < 0) return false;
  if (it->text[length - 1] != '\n') give_up("the last line is incomplete");
  it->text[--length] = '\0';
  it->length = (size_t)length;
  return true;
}

static uint32_t milliseconds(const line *it) {
  char *end = NULL;
  unsigned long value;
  errno = 0;
  value = strtoul(it->text, &end, 10);
  if (it->length == 0 || end != it->text + it->length || errno != 0 || value > UINT32_MAX) {
    give_up("the time-out must be a number of milliseconds");
  }
  return (uint32_t)value;
}

static void answer(loopmem_status status, loopmem_buffer *buffer) {
  size_t at;
  /* A record that was edited by hand comes back with its line breaks. In JSON they are only white space. */
  for (at = 0; at < buffer->length; at++) {
    if (buffer->data[at] == '\n') buffer->data[at] = ' ';
  }
  printf("%d %s\n", (int)status, buffer->data == NULL ? "null" : buffer->data);
  fflush(stdout);
  loopmem_buffer_free(buffer);
}

int main(int count, char **arguments) {
  loopmem_store store = {0};
  loopmem_buffer buffer = {NULL, 0};
  loopmem_status status;
  line method = {NULL, 0, 0}, params = {NULL, 0, 0}, timeout = {NULL, 0, 0};

  if (count != 3 || strcmp(arguments[1], "serve") != 0) give_up("usage: host serve OPTIONS");
  status = loopmem_open(arguments[2], strlen(arguments[2]), NULL, &store, &buffer);
  answer(status, &buffer);
  if (status != LOOPMEM_OK) return 1;

  while (next(&method)) {
    loopmem_call_options options = {.size = sizeof options};
    if (!next(&params) || !next(&timeout)) give_up("a request is three lines: method, params, time-out");
    /* C ends a method's name at a NUL, so a different method would be called. */
    if (strlen(method.text) != method.length) give_up("the method contains a NUL");
    options.timeout_ms = milliseconds(&timeout);
    status = loopmem_call(store, method.text, params.text, params.length, &options, &buffer);
    answer(status, &buffer);
  }
  free(method.text);
  free(params.text);
  free(timeout.text);
  return loopmem_close(store) == LOOPMEM_OK ? 0 : 2;
}
