// loopmem from C++17: remember something about the repository of the current folder, then pack it for a prompt.
//
//     c++ -std=c++17 quickstart.cpp -I../../include -L../../target/debug -lloopmem -o quickstart
//     LD_LIBRARY_PATH=../../target/debug ./quickstart [HOME]     HOME: default ~/.codex-toolloop

#include <iostream>

#include "loopmem.hpp"

int main(int count, char **arguments) {
  try {
    loopmem_store_options options{};
    if (count > 1) options.home = arguments[1];
    const loopmem::Store store = loopmem::Store::open(options);
    std::cout << "repository: " << store.call("repo.identify") << "\n";

    loopmem_convention_draft draft{};
    draft.id = "cpp";
    draft.title = "Errors name their file";
    draft.content = "No I/O error without its path.";
    loopmem_memory_upsert_convention_params upsert{};
    upsert.convention = &draft;
    std::cout << "convention: " << store.call(loopmem_memory_upsert_convention, upsert) << "\n";

    loopmem_summary_append_params append{};
    append.run_id = "quickstart";
    append.step_id = "cpp";
    append.summary = "Stored a convention from C++.";
    std::cout << "summary: " << store.call(loopmem_summary_append, append) << "\n";

    loopmem_context_build_params build{};
    build.max_chars = 8000;
    std::cout << "pack: " << store.call(loopmem_context_build, build) << "\n";
  } catch (const loopmem::Error &error) {
    std::cerr << error.code() << ": " << error.what() << "\n";
    return 1;
  }
}
