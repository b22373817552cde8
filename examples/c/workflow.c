/* A workflow as agents run it: every step is a separate process, which learns about earlier steps from the
 * context pack. Its output goes into the working context of the run.
 *
 *     cc -std=c11 workflow.c -I../../include -L../../target/debug -lloopmem -Wl,-rpath,$PWD/../../target/debug -o workflow
 *     ./workflow             runs all steps
 *     ./workflow RUN STEP    runs one step: plan, build, test or review
 */

#define _POSIX_C_SOURCE 200809L /* posix_spawn */
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>

#include "loopmem.h"

static const struct { const char *id, *did, *output; } steps[] = {
    {"plan", "Read the issue", "Two changes are needed"}, {"build", "Made both changes", "src/parser.rs and its tests"},
    {"test", "Ran the tests", "214 passed"}, {"review", "Read the diff", "Nothing to add"}};
enum { STEPS = sizeof steps / sizeof *steps };
static int fail(const char *why) { return fprintf(stderr, "workflow: %s\n", why), 1; }

static int play_step(const char *run, int at) {
  const loopmem_context_build_params build = {.max_chars = 8000};
  const loopmem_step_event events[] = {
      {.kind = "action", .text = steps[at].did}, {.kind = "output", .text = steps[at].output}};
  const loopmem_summary_end_step_params end = {
      .run_id = run, .step_id = steps[at].id, .events = events, .events_count = 2};
  loopmem_store store;
  loopmem_buffer answer;
  char patch[512];
  const loopmem_working_update_context_params update = {.scope_id = run, .patch_json = patch, .source = steps[at].id};
  if (loopmem_open(NULL, 0, NULL, &store, &answer) != LOOPMEM_OK) return fail(answer.data);
  if (loopmem_context_build(store, &build, NULL, &answer) != LOOPMEM_OK) return fail(answer.data);
  for (int step = 0; step < at; step++) {
    char heading[256];
    snprintf(heading, sizeof heading, "%s / %s", run, steps[step].id);
    if (strstr(answer.data, heading) == NULL) return fail("the pack does not contain every earlier step");
  }
  loopmem_buffer_free(&answer);
  /* An agent would work here, with the pack in its prompt. */
  if (loopmem_summary_end_step(store, &end, NULL, &answer) != LOOPMEM_OK) return fail(answer.data);
  loopmem_buffer_free(&answer);
  snprintf(patch, sizeof patch, "{\"%s\": \"%s\"}", steps[at].id, steps[at].output);
  if (loopmem_working_update_context(store, &update, NULL, &answer) != LOOPMEM_OK) return fail(answer.data);
  loopmem_buffer_free(&answer);
  printf("%s: %d earlier steps in the pack\n", steps[at].id, at);
  return loopmem_close(store) == LOOPMEM_OK ? 0 : 1;
}

static int play_run(char *self) {
  char run[32];
  snprintf(run, sizeof run, "run-%ld", (long)time(NULL));
  for (int step = 0; step < STEPS; step++) {
    extern char **environ;
    char *const arguments[] = {self, run, (char *)steps[step].id, NULL};
    pid_t child;
    int status = posix_spawnp(&child, self, NULL, NULL, arguments, environ);
    if (status != 0 || waitpid(child, &status, 0) != child || status != 0) return fail("a step failed");
  }
  return 0;
}

int main(int count, char **arguments) {
  if (count != 3) return play_run(arguments[0]);
  for (int at = 0; at < STEPS; at++) if (strcmp(steps[at].id, arguments[2]) == 0) return play_step(arguments[1], at);
  return fail("the steps are plan, build, test and review");
}
