/* loopmem from C: remember something about the repository of the current folder, then pack it for a prompt.
 *
 *     cc -std=c11 quickstart.c -lloopmem -o quickstart && ./quickstart [HOME]     HOME: default ~/.codex-toolloop
 */

#define _POSIX_C_SOURCE 200809L /* setenv */

#include "loopmem.h"

/* Prints what a call answered; ends the program when it failed. */
static void show(const char *what, loopmem_status status, loopmem_buffer *answer) {
  fprintf(status == LOOPMEM_OK ? stdout : stderr, "%s: %s\n", what, answer->data);
  loopmem_buffer_free(answer);
  if (status != LOOPMEM_OK) exit(1);
}

int main(int count, char **arguments) {
  const char *const tags[] = {"style"};
  const loopmem_repo_identify_params here = {0};
  const loopmem_convention_draft draft = {
      .id = "quickstart", .title = "Errors name their file", .content = "No I/O error without its path.",
      .tags = tags, .tags_count = 1};
  const loopmem_memory_upsert_convention_params upsert = {.convention = &draft};
  const loopmem_summary_append_params append = {
      .run_id = "quickstart", .step_id = "1", .summary = "Stored a first convention."};
  const loopmem_context_build_params build = {.max_chars = 8000};
  loopmem_store store;
  loopmem_buffer answer;
  loopmem_status opened;

  if (count > 1) setenv("CODEX_TOOLLOOP_HOME", arguments[1], 1);
  opened = loopmem_open(NULL, 0, NULL, &store, &answer);
  if (opened != LOOPMEM_OK) show("open", opened, &answer);
  show("repository", loopmem_repo_identify(store, &here, NULL, &answer), &answer);
  show("convention", loopmem_memory_upsert_convention(store, &upsert, NULL, &answer), &answer);
  show("summary", loopmem_summary_append(store, &append, NULL, &answer), &answer);
  show("pack", loopmem_context_build(store, &build, NULL, &answer), &answer);
  return loopmem_close(store) == LOOPMEM_OK ? 0 : 1;
}
