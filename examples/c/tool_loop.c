/* An agent that remembers: the loop asks a model, runs the tools that it calls, and ends a step. Every prompt has what
 * earlier steps did; what the model remembers is also in the prompts of later runs.
 *
 *     cc -std=c11 tool_loop.c $(pkg-config --cflags --libs loopmem) -o tool_loop
 *     ./tool_loop [RUN [CLOCK]]     RUN: an id; CLOCK: a fixed time, for tests
 */

#define _POSIX_C_SOURCE 200809L /* popen */
#include <sys/wait.h>
#include <time.h>

#include "loopmem.h"

#define TASK "Check my changes before I commit them."
enum { MAX_STEPS = 8, MAX_CALLS = 4, MAX_EVENTS = MAX_CALLS + 2, PACK_CHARS = 8000, OUTPUT_BYTES = 4000 };

typedef struct call {
  enum { READ_FILE, RUN, REMEMBER } tool;
  const char *argument; /* The path or the command. */
  loopmem_convention_draft convention;
} call;

typedef struct reply {
  const char *answer, *follow_up; /* NULL if there is none. */
  call calls[MAX_CALLS];
  size_t count;
} reply;

typedef struct result {
  bool is_error;
  char did[256], output[OUTPUT_BYTES + 1];
} result;

/* Your model's API is called here, with the schemas of the tools. This one decides by the prompt alone. */
static reply ask_model(const char *prompt) {
  const call check = {.tool = RUN, .argument = "git diff --check"};
  const char *ran = "# Ran `git diff --check`: exit status ", *status = strstr(prompt, ran);
  if (status != NULL && status[strlen(ran)] == '0') return (reply){.answer = "The changes can be committed."};
  if (status != NULL) {
    return (reply){.answer = "The changes cannot be committed yet.", .follow_up = "Fix what `git diff --check` reports"};
  }
  if (strstr(prompt, "[check-changes]") != NULL) return (reply){.calls = {check}, .count = 1};
  if (strstr(prompt, "CONTRIBUTING.md`") == NULL) {
    return (reply){.calls = {{.tool = READ_FILE, .argument = "CONTRIBUTING.md"}}, .count = 1};
  }
  const loopmem_convention_draft convention = {
      .id = "check-changes", .title = "Check changes before a commit",
      .content = "Run `git diff --check`: it finds conflict markers and trailing spaces."};
  return (reply){.calls = {{.tool = REMEMBER, .convention = convention}, check}, .count = 2};
}

/* Ends the program if a call failed: with status 75 if the same command may succeed later. */
static void require(loopmem_status status, const loopmem_buffer *answer) {
  if (status == LOOPMEM_OK) return;
  const char *json = answer->data == NULL ? "" : answer->data;
  fprintf(stderr, "%s: %s\n", loopmem_status_code(status), json);
  exit(strstr(json, "\"retryable\":true") != NULL ? 75 : 1);
}

static void read_all(FILE *file, result *it) {
  it->output[fread(it->output, 1, OUTPUT_BYTES, file)] = '\0';
  while (fgetc(file) != EOF) continue; /* A command whose output is not read to the end would fail. */
}

static void read_file(const char *path, result *it) {
  const bool is_inside = path[0] != '/' && strstr(path, "..") == NULL;
  FILE *file = is_inside ? fopen(path, "r") : NULL;
  it->is_error = file == NULL;
  snprintf(it->did, sizeof it->did, "%s `%s`", it->is_error ? "Could not read" : "Read", path);
  if (file == NULL) return;
  read_all(file, it);
  fclose(file);
}

/* A real agent asks its user first, or runs commands in a sandbox. */
static void run_command(const char *command, result *it) {
  char line[1024];
  int status = -1;
  snprintf(line, sizeof line, "exec 2>&1; %s", command);
  FILE *output = popen(line, "r");
  if (output != NULL) {
    read_all(output, it);
    status = pclose(output);
  }
  it->is_error = status != 0;
  snprintf(it->did, sizeof it->did, "Ran `%s`: exit status %d", command, WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void remember(loopmem_store store, const loopmem_convention_draft *convention, result *it) {
  const loopmem_memory_upsert_convention_params upsert = {.convention = convention};
  loopmem_buffer answer;
  const loopmem_status status = loopmem_memory_upsert_convention(store, &upsert, NULL, &answer);
  /* What the model got wrong is a result for it; any other error ends the run. */
  it->is_error = status == LOOPMEM_VALIDATION_ERROR || status == LOOPMEM_SECRET_REFUSED;
  if (!it->is_error) require(status, &answer);
  if (it->is_error) {
    snprintf(it->did, sizeof it->did, "Could not remember");
    snprintf(it->output, sizeof it->output, "%s", answer.data);
  } else {
    snprintf(it->did, sizeof it->did, "Remembered `%s`", convention->id);
  }
  loopmem_buffer_free(&answer);
}

static void run_tool(loopmem_store store, const call *call, result *it) {
  it->output[0] = '\0';
  switch (call->tool) {
    case READ_FILE: read_file(call->argument, it); break;
    case RUN: run_command(call->argument, it); break;
    case REMEMBER: remember(store, &call->convention, it); break;
  }
  for (size_t end = strlen(it->output); end > 0 && it->output[end - 1] == '\n';) it->output[--end] = '\0';
}

/* Decodes the first member of an answer, a text, and returns the end of `out`. Your JSON library does this. */
static char *decode(const char *json, char *out) {
  static const char escaped[] = "bfnrt", plain[] = "\b\f\n\r\t";
  for (const char *at = strstr(json, ":\"") + 2; *at != '"'; at++) {
    if (*at != '\\') {
      *out++ = *at;
    } else if (*++at == 'u') { /* Only control characters are escaped like this. */
      *out++ = (char)strtoul((char[]){at[3], at[4], '\0'}, NULL, 16);
      at += 4;
    } else {
      const char *found = strchr(escaped, *at);
      *out++ = found == NULL ? *at : plain[found - escaped];
    }
  }
  return out;
}

static void set_state(loopmem_store store, const char *run, int step, const char *status) {
  char patch[64];
  const loopmem_working_update_context_params update = {.scope_id = run, .patch_json = patch};
  loopmem_buffer answer;
  snprintf(patch, sizeof patch, "{\"step\": %d, \"status\": \"%s\"}", step, status);
  require(loopmem_working_update_context(store, &update, NULL, &answer), &answer);
  loopmem_buffer_free(&answer);
}

static bool run_task(loopmem_store store, const char *run) {
  static result results[MAX_CALLS];
  static char prompt[4 * PACK_CHARS + sizeof results + 1024]; /* A character has at most 4 bytes. */
  size_t count = 0;
  for (int step = 1; step <= MAX_STEPS; step++) {
    const loopmem_context_build_params build = {.max_chars = PACK_CHARS, .prompt = TASK, .scope_id = run};
    loopmem_buffer answer;
    /* The state of the run, for its prompts and for others to follow: `loopmem working show RUN`. */
    set_state(store, run, step, "running");
    require(loopmem_context_build(store, &build, NULL, &answer), &answer);
    char *end = decode(answer.data, prompt + sprintf(prompt, "# Task\n\n" TASK "\n\n"));
    loopmem_buffer_free(&answer);
    *end = '\0';
    for (const result *it = results; it < results + count; it++) {
      end += sprintf(end, "\n\n# %s%s%s", it->did, it->output[0] == '\0' ? "" : "\n\n", it->output);
    }
    printf("=== %s, step %d\n%s\n", run, step, prompt);

    const reply reply = ask_model(prompt);
    loopmem_step_event events[MAX_EVENTS];
    for (count = 0; count < reply.count; count++) {
      result *it = &results[count];
      run_tool(store, &reply.calls[count], it);
      events[count] = (loopmem_step_event){.kind = it->is_error ? "error" : "action", .text = it->did};
    }
    char step_id[32];
    loopmem_summary_end_step_params ended = {.run_id = run, .step_id = step_id, .events = events, .events_count = count};
    snprintf(step_id, sizeof step_id, "step-%d", step);
    if (reply.answer != NULL) events[ended.events_count++] = (loopmem_step_event){"output", reply.answer};
    if (reply.follow_up != NULL) events[ended.events_count++] = (loopmem_step_event){"followUp", reply.follow_up};
    require(loopmem_summary_end_step(store, &ended, NULL, &answer), &answer);
    loopmem_buffer_free(&answer);
    for (size_t at = 0; at < ended.events_count; at++) printf("--- %s\n", events[at].text);
    if (reply.answer != NULL) {
      set_state(store, run, step, "done");
      return true;
    }
  }
  fprintf(stderr, "no answer after %d steps\n", MAX_STEPS);
  return false;
}

/* Ctrl-C needs no care: a write that it interrupts is stored as a whole or not at all. */
int main(int count, char **arguments) {
  const loopmem_store_options options = {.clock = count > 2 ? arguments[2] : NULL};
  char run[32];
  loopmem_store store;
  loopmem_buffer answer;
  snprintf(run, sizeof run, "run-%ld", (long)time(NULL));
  require(loopmem_store_open(&options, NULL, &store, &answer), &answer);
  const bool is_done = run_task(store, count > 1 ? arguments[1] : run);
  loopmem_close(store);
  return is_done ? 0 : 1;
}
