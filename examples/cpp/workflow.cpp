// A workflow as agents run it: every step is a separate process, which learns about earlier steps from the
// context pack. Its output goes into the working context of the run.
//
//     c++ -std=c++17 workflow.cpp -I../../include -L../../target/debug -lloopmem -Wl,-rpath,$PWD/../../target/debug -o workflow
//     ./workflow             runs all steps
//     ./workflow RUN STEP    runs one step: plan, build, test or review

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <iostream>

#include "loopmem.hpp"

struct Step { std::string id, did, output; };

static const Step steps[] = {
    {"plan", "Read the issue", "Two changes are needed"}, {"build", "Made both changes", "src/parser.rs and its tests"},
    {"test", "Ran the tests", "214 passed"}, {"review", "Read the diff", "Nothing to add"}};

static void play_step(const std::string &run, const std::string &id) {
  const auto step = std::find_if(std::begin(steps), std::end(steps), [&](const Step &it) { return it.id == id; });
  if (step == std::end(steps)) throw std::runtime_error("the steps are plan, build, test and review");

  const auto store = loopmem::Store::open();
  const std::string pack = store.call("context.build", R"({"maxChars": 8000})");
  for (auto earlier = std::begin(steps); earlier != step; ++earlier) {
    const bool is_included = pack.find(run + " / " + earlier->id) != pack.npos;
    if (!is_included) throw std::runtime_error("the pack does not contain " + earlier->id);
  }

  // An agent would work here, with the pack in its prompt.
  loopmem_step_event events[2]{};
  events[0].kind = "action", events[0].text = step->did.c_str();
  events[1].kind = "output", events[1].text = step->output.c_str();
  loopmem_summary_end_step_params end{};
  end.run_id = run.c_str(), end.step_id = id.c_str();
  end.events = events, end.events_count = std::size(events);
  store.call(loopmem_summary_end_step, end);
  store.call("working.updateContext",
             R"({"scopeId": ")" + run + R"(", "patch": {")" + id + R"(": ")" + step->output + R"("}})");
  std::cout << id << ": " << step - std::begin(steps) << " earlier steps in the pack\n";
}

static void play_run(std::string self) {
  std::string run = "run-" + std::to_string(std::time(nullptr));
  for (auto [id, did, output] : steps) {
    char *const arguments[] = {self.data(), run.data(), id.data(), nullptr};
    pid_t child{};
    int status = posix_spawnp(&child, self.c_str(), nullptr, nullptr, arguments, environ);
    if (status != 0 || waitpid(child, &status, 0) != child || status != 0) throw std::runtime_error(id + " failed");
  }
}

int main(int count, char **arguments) try {
  count == 3 ? play_step(arguments[1], arguments[2]) : play_run(arguments[0]);
} catch (const std::exception &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
