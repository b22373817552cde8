// Shared by the C++ test programs: a check that reports where it failed, and the error that a piece of code throws.

#ifndef CHECK_HPP
#define CHECK_HPP

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "loopmem.hpp"

// Not assert: it must also run in release builds.
#define CHECK(...) check(__FILE__, __LINE__, (__VA_ARGS__), #__VA_ARGS__)

inline void check(const char *file, int line, bool holds, const char *condition) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::exit(1);
}

inline bool holds(const std::string &json, const std::string &part) { return json.find(part) != std::string::npos; }

// The error that `body` throws, which must be a `Kind`.
template <class Kind>
Kind thrown(const std::function<void()> &body) {
  try {
    body();
  } catch (const loopmem::Error &error) {
    if (const auto *right = dynamic_cast<const Kind *>(&error)) return *right;
    std::fprintf(stderr, "unexpected class: %s: %s\n", error.code(), error.what());
    std::exit(1);
  }
  std::fprintf(stderr, "nothing was thrown\n");
  std::exit(1);
}

#endif
