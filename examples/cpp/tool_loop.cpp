// An agent that remembers: the loop asks a model, runs the tools that it calls, and ends a step. Every prompt has what
// earlier steps did; what the model remembers is also in the prompts of later runs.
//
//     c++ -std=c++17 tool_loop.cpp $(pkg-config --cflags --libs loopmem) -o tool_loop
//     ./tool_loop [RUN [CLOCK]]     RUN: an id; CLOCK: a fixed time, for tests

#include <sys/wait.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <loopmem.hpp>
#include <variant>

namespace fs = std::filesystem;

struct ReadFile { std::string path; };
struct Run { std::string command; };
struct Remember { std::string id, title, content; };
using Call = std::variant<ReadFile, Run, Remember>;
struct Reply { std::vector<Call> calls; std::optional<std::string> answer; std::vector<std::string> follow_ups; };
struct Result { bool is_error; std::string did, output; };

static const std::string task = "Check my changes before I commit them.";
constexpr int max_steps = 8;
constexpr std::size_t max_output_bytes = 4000;

// Your model's API is called here, with the schemas of the tools. This one decides by the prompt alone.
static Reply ask_model(const std::string &prompt) {
  const auto has = [&](const std::string &text) { return prompt.find(text) != prompt.npos; };
  const Run check{"git diff --check"};
  if (has("# Ran `git diff --check`: exit status 0")) return {{}, "The changes can be committed.", {}};
  if (has("# Ran `git diff --check`: exit status ")) {
    return {{}, "The changes cannot be committed yet.", {"Fix what `git diff --check` reports"}};
  }
  if (has("[check-changes]")) return {{check}, {}, {}};
  if (!has("CONTRIBUTING.md`")) return {{ReadFile{"CONTRIBUTING.md"}}, {}, {}};
  const std::string content = "Run `git diff --check`: it finds conflict markers and trailing spaces.";
  return {{Remember{"check-changes", "Check changes before a commit", content}, check}, {}, {}};
}

struct Tools {
  const loopmem::Store &store;

  Result operator()(const ReadFile &call) const {
    const bool is_inside = *fs::path(call.path).lexically_normal().begin() != ".." && fs::path(call.path).is_relative();
    std::ifstream file(call.path);
    if (!is_inside || !file) return {true, "Could not read `" + call.path + "`", ""};
    return {false, "Read `" + call.path + "`", std::string(std::istreambuf_iterator<char>(file), {})};
  }

  // A real agent asks its user first, or runs commands in a sandbox.
  Result operator()(const Run &call) const {
    std::FILE *pipe = popen(("exec 2>&1; " + call.command).c_str(), "r");
    if (pipe == nullptr) return {true, "Could not run `" + call.command + "`", ""};
    std::string output;
    for (int byte; (byte = std::fgetc(pipe)) != EOF;) output += static_cast<char>(byte);
    const int ended = pclose(pipe), status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 1;
    return {status != 0, "Ran `" + call.command + "`: exit status " + std::to_string(status), output};
  }

  // What the model got wrong is a result for it; any other error ends the run.
  Result operator()(const Remember &call) const try {
    loopmem_convention_draft draft{};
    draft.id = call.id.c_str(), draft.title = call.title.c_str(), draft.content = call.content.c_str();
    loopmem_memory_upsert_convention_params upsert{};
    upsert.convention = &draft;
    store.call(loopmem_memory_upsert_convention, upsert);
    return {false, "Remembered `" + call.id + "`", ""};
  } catch (const loopmem::ValidationError &error) {
    return {true, "Could not remember", error.what()};
  } catch (const loopmem::SecretRefused &error) {
    return {true, "Could not remember", error.what()};
  }
};

static bool run_task(const loopmem::Store &store, const std::string &run) {
  std::vector<Result> results;
  for (int step = 1; step <= max_steps; step++) {
    const std::string step_id = "step-" + std::to_string(step);
    const auto set_status = [&](const std::string &status) {
      const std::string patch = "{\"step\": " + std::to_string(step) + ", \"status\": \"" + status + "\"}";
      loopmem_working_update_context_params update{};
      update.scope_id = run.c_str(), update.patch_json = patch.c_str();
      store.call(loopmem_working_update_context, update);
    };
    // The state of the run, for its prompts and for others to follow: `loopmem working show RUN`.
    set_status("running");
    loopmem_context_build_params build{};
    build.max_chars = 8000, build.prompt = task.c_str(), build.scope_id = run.c_str();
    std::string prompt = "# Task\n\n" + task + "\n\n" + loopmem::text_of(store.call(loopmem_context_build, build), "text");
    for (const auto &[is_error, did, output] : results) {
      prompt += "\n\n# " + did + "\n\n" + output.substr(0, max_output_bytes);
      prompt.erase(prompt.find_last_not_of('\n') + 1);
    }
    std::cout << "=== " << run << ", step " << step << "\n" << prompt << "\n";

    const Reply reply = ask_model(prompt);
    results.clear();
    for (const Call &call : reply.calls) results.push_back(std::visit(Tools{store}, call));
    std::vector<loopmem_step_event> events;
    for (const Result &it : results) events.push_back({it.is_error ? "error" : "action", it.did.c_str()});
    if (reply.answer) events.push_back({"output", reply.answer->c_str()});
    for (const std::string &text : reply.follow_ups) events.push_back({"followUp", text.c_str()});
    loopmem_summary_end_step_params ended{};
    ended.run_id = run.c_str(), ended.step_id = step_id.c_str();
    ended.events = events.data(), ended.events_count = events.size();
    store.call(loopmem_summary_end_step, ended);
    for (const loopmem_step_event &event : events) std::cout << "--- " << event.text << "\n";
    if (reply.answer) {
      set_status("done");
      return true;
    }
  }
  std::cerr << "no answer after " << max_steps << " steps\n";
  return false;
}

// Ctrl-C needs no care: a write that it interrupts is stored as a whole or not at all.
int main(int count, char **arguments) try {
  loopmem_store_options options{};
  if (count > 2) options.clock = arguments[2];
  const auto store = loopmem::Store::open(options);
  return run_task(store, count > 1 ? arguments[1] : "run-" + std::to_string(std::time(nullptr))) ? 0 : 1;
} catch (const loopmem::Error &error) {
  std::cerr << error.code() << ": " << error.what() << "\n";
  return error.retryable() ? 75 : 1;  // 75: the same command may succeed later.
}
