// Working contexts with your own storage: createMemoryStore({ adapter, logger }) in C++. The adapter here is two maps;
// yours may be a database.
//
//     c++ -std=c++17 memory_store.cpp -I../../include -L../../target/debug -lloopmem -o memory_store
//     LD_LIBRARY_PATH=../../target/debug ./memory_store

#include <iostream>
#include <map>
#include <memory>
#include <mutex>

#include "loopmem.hpp"

// Called on any thread, concurrently.
class Maps : public loopmem::Adapter {
 public:
  std::optional<std::string> get(std::string_view key) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = values_.find(std::string(key));
    return at == values_.end() ? std::nullopt : std::make_optional(at->second);
  }
  void set(std::string_view key, std::string_view value) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    values_.insert_or_assign(std::string(key), std::string(value));
  }
  void del(std::string_view key) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    values_.erase(std::string(key));
    lists_.erase(std::string(key));
  }
  void push(std::string_view key, std::string_view item) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    lists_[std::string(key)].emplace_back(item);
  }
  std::vector<std::string> get_list(std::string_view key) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = lists_.find(std::string(key));
    return at == lists_.end() ? std::vector<std::string>() : at->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> values_;
  std::map<std::string, std::vector<std::string>> lists_;
};

class Lines : public loopmem::Logger {
  void log(loopmem::Level level, std::string_view message, std::string_view) override {
    std::cout << "log: " << static_cast<int>(level) << " " << message << "\n";
  }
};

int main() try {
  const auto memory = loopmem::create_memory_store(std::make_shared<Maps>(), std::make_shared<Lines>());
  const std::string updated = memory.update_context("job-1", R"({"step":2})");
  const std::string added = memory.add_log("job-1", R"({"id":"e1","content":"Built it."})");
  std::cout << "updated: " << updated << "\nadded: " << added << "\n";
  std::cout << "context: " << memory.get_context("job-1") << "\n";
  std::cout << "logs: " << memory.get_logs("job-1") << "\n";
} catch (const loopmem::Error &error) {
  std::cerr << error.code() << ": " << error.what() << "\n";
  return 1;
}
