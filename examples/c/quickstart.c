/* loopmem from C: remember something about the repository of the current folder, then pack it for a prompt.
 *
 *     cc -std=c11 quickstart.c -I../../include -L../../target/debug -lloopmem -o quickstart
 *     LD_LIBRARY_PATH=../../target/debug ./quickstart [HOME]     HOME: default ~/.codex-toolloop
 */

#include "loopmem.h"

/* Prints the answer of a call; exits if the call failed. */
static void show(const char *what, loopmem_status status, loopmem_buffer *answer) {
  fprintf(status == LOOPMEM_OK ? stdout : stderr, "%s: %s\n", what, answer->data);
  loopmem_buffer_free(answer);
  if (status != LOOPMEM_OK) exit(1);
}

int main(int count, char **arguments) {
  const char *const tags[] = {"style"};
  const loopmem_repo_identify_params here = {0};
  const loopmem_convention_draft draft = {
      .id = "c", .title = "Errors name their file", .content = "No I/O error without its path.",
      .tags = tags, .tags_count = 1};
  const loopmem_memory_upsert_convention_params upsert = {.convention = &draft};
  const loopmem_summary_append_params append = {
      .run_id = "quickstart", .step_id = "c", .summary = "Stored a convention from C."};
  const loopmem_context_build_params build = {.max_chars = 8000};
  loopmem_store_options options = {0};
  loopmem_store store;
  loopmem_buffer answer;
  loopmem_status opened;

  options.home = count > 1 ? arguments[1] : NULL;
  opened = loopmem_store_open(&options, NULL, &store, &answer);
  if (opened != LOOPMEM_OK) show("open", opened, &answer);
  show("repository", loopmem_repo_identify(store, &here, NULL, &answer), &answer);
  show("convention", loopmem_memory_upsert_convention(store, &upsert, NULL, &answer), &answer);
  show("summary", loopmem_summary_append(store, &append, NULL, &answer), &answer);
  show("pack", loopmem_context_build(store, &build, NULL, &answer), &answer);
  return loopmem_close(store) == LOOPMEM_OK ? 0 : 1;
}
