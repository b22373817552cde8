// A C++17 host that stores working contexts in its own map: an exception in its functions becomes an error of the call,
// optional functions may be missing, and its objects live exactly as long as the store and its calls.
//
//     adapter FOLDER     FOLDER: empty, for the homes

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

// The five required functions.
class Map : public loopmem::Adapter {
 public:
  explicit Map(int *alive) : alive_(alive) { ++*alive_; }
  ~Map() override { --*alive_; }

  std::optional<std::string> get(std::string_view key) override {
    begin("get");
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = values_.find(key);
    return at == values_.end() ? std::nullopt : std::make_optional(at->second);
  }
  void set(std::string_view key, std::string_view value) override {
    begin("set");
    const std::lock_guard<std::mutex> lock(mutex_);
    values_.insert_or_assign(std::string(key), std::string(value));
  }
  void del(std::string_view key) override {
    begin("del");
    const std::lock_guard<std::mutex> lock(mutex_);
    values_.erase(std::string(key));
    lists_.erase(std::string(key));
  }
  void push(std::string_view key, std::string_view item) override {
    begin("push");
    const std::lock_guard<std::mutex> lock(mutex_);
    lists_[std::string(key)].emplace_back(item);
  }
  std::vector<std::string> get_list(std::string_view key) override {
    begin("get_list");
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = lists_.find(key);
    return at == lists_.end() ? std::vector<std::string>() : at->second;
  }

  bool has(std::string_view key) const { return values_.count(key) + lists_.count(key) > 0; }

  // Called by every function, with its name.
  std::function<void(std::string_view)> begin = [](std::string_view) {};

 protected:
  std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, std::vector<std::string>, std::less<>> lists_;

 private:
  int *alive_;
};

// And the optional ones.
class RichMap : public Map, public loopmem::CompareAndSet, public loopmem::GetRange, public loopmem::ListKeys {
 public:
  using Map::Map;

  bool compare_and_set(std::string_view key, std::optional<std::string_view> expected,
                       std::string_view value) override {
    compared++;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = values_.find(key);
    if (expected ? at == values_.end() || at->second != *expected : at != values_.end()) return false;
    values_.insert_or_assign(std::string(key), std::string(value));
    return true;
  }
  std::vector<std::string> get_range(std::string_view key, std::int64_t start) override {
    std::vector<std::string> items = get_list(key);
    const auto length = static_cast<std::int64_t>(items.size());
    items.erase(items.begin(), items.begin() + (start < 0 ? std::max<std::int64_t>(0, length + start) : std::min(start, length)));
    ranged++;
    return items;
  }
  std::vector<std::string> list_keys(std::string_view prefix) override {
    std::vector<std::string> keys;
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto &it : values_) keys.push_back(it.first);
    for (const auto &it : lists_) keys.push_back(it.first);
    keys.erase(std::remove_if(keys.begin(), keys.end(), [&](const auto &key) { return key.rfind(prefix, 0) != 0; }),
               keys.end());
    return keys;
  }

  int compared = 0, ranged = 0;
};

class Lines : public loopmem::Logger {
 public:
  explicit Lines(int *alive) : alive_(alive) { ++*alive_; }
  ~Lines() override { --*alive_; }

  void log(loopmem::Level level, std::string_view message, std::string_view payload) override {
    lines.push_back(std::to_string(static_cast<int>(level)) + " " + std::string(message) + " " + std::string(payload));
    if (throws) throw std::runtime_error("the logger is broken");
  }

  std::vector<std::string> lines;
  bool throws = false;

 private:
  int *alive_;
};

std::string options_in(const std::string &folder) { return "{\"home\":\"" + folder + "/home\"}"; }

void a_memory_store_over_a_map_is_the_specifications(const std::string &folder) {
  int alive = 0;
  {
    auto map = std::make_shared<Map>(&alive);
    const loopmem::MemoryStore memory = loopmem::create_memory_store(map, nullptr, options_in(folder));
    CHECK(memory.get_context("job-1") == "{}");
    CHECK(memory.update_context("job-1", R"({"a":1,"b":{"c":2}})") == R"({"a":1,"b":{"c":2}})");
    CHECK(memory.update_context("job-1", R"({"b":null})", {"a"}, "agent") == R"({"b":null})");
    CHECK(memory.get_context("job-1") == R"({"b":null})" && memory.get_context("job-2") == "{}");
    CHECK(map->has("context:job-1") && map->has("trail:job-1") && !map->has("context:job-2"));

    loopmem_memory_entry_draft entry{};
    entry.id = "e1";
    entry.content = "x";
    CHECK(holds(memory.add_log("job-1", entry), R"("id":"e1","content":"x")"));
    CHECK(holds(memory.add_log("job-1", R"({"id":"e2","content":"y","mood":"good"})"), R"("mood":"good")"));
    CHECK(holds(memory.get_logs("job-1"), "e1") && !holds(memory.get_logs("job-1", 1), "e1"));

    const std::int64_t first = memory.save_checkpoint("job-1"), second = memory.save_checkpoint("job-1");
    CHECK(second > first && first > 1000000000000);
    CHECK((memory.list_checkpoints("job-1") == std::vector<std::int64_t>{first, second}));
    memory.update_context("job-1", R"({"b":3})");
    CHECK(memory.restore_checkpoint("job-1", first) == R"({"b":null})");
    CHECK(memory.delete_checkpoint("job-1", first) && !memory.delete_checkpoint("job-1", first));
    CHECK(memory.list_checkpoints("job-2").empty());
    const auto missing = thrown<loopmem::NotFound>([&] { memory.restore_checkpoint("job-1", first); });
    CHECK(holds(missing.what(), "job-1") && holds(missing.what(), std::to_string(first)));
    CHECK(holds(memory.store().call("working.history", R"({"scopeId":"job-1"})"), R"("source":"agent")"));

    // C would read each of these only up to the NUL.
    const std::string nul("job-1\0x", 7);
    thrown<loopmem::ValidationError>([&] { memory.get_context(nul); });
    thrown<loopmem::ValidationError>([&] { memory.update_context("job-1", std::string("{}\0", 3)); });
    thrown<loopmem::ValidationError>([&] { memory.update_context("job-1", "{}", {nul}); });
    for (const char *wrong : {"[]", "7", "", "{}, \"source\": \"x\""}) {
      thrown<loopmem::ValidationError>([&] { memory.update_context("job-1", wrong); });
      thrown<loopmem::ValidationError>([&] { memory.add_log("job-1", wrong); });
    }
    map.reset();
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

void what_an_adapter_offers_beyond_five_is_used(const std::string &folder) {
  int alive = 0;
  const auto map = std::make_shared<Map>(&alive);
  const auto rich = std::make_shared<RichMap>(&alive);
  const loopmem::Store poor_store = loopmem::Store::open(options_in(folder), map);
  const loopmem::Store store = loopmem::Store::open(options_in(folder), rich);
  const char *const add = R"({"scopeId":"job-1","patch":{"a":1}})";
  for (const loopmem::Store *it : {&poor_store, &store}) {
    CHECK(it->call("working.updateContext", add) == R"({"a":1})");
    CHECK(it->call("working.getLogs", R"({"scopeId":"job-1","limit":1})") == "[]");
  }
  CHECK(rich->compared == 1 && rich->ranged == 1);
  CHECK(store.call("working.listScopes") == R"(["job-1"])");
  thrown<loopmem::Unsupported>([&] { poor_store.call("working.listScopes"); });
}

void what_an_adapter_throws_is_the_cause_of_an_adapter_error(const std::string &folder) {
  int alive = 0;
  const auto map = std::make_shared<Map>(&alive);
  const loopmem::Store store = loopmem::Store::open(options_in(folder), map);
  const char *const update = R"({"scopeId":"job-1","patch":{"a":1}})";
  map->begin = [](std::string_view) { throw std::runtime_error("disk \"full\""); };
  const auto failed = thrown<loopmem::AdapterError>([&] { store.call("working.updateContext", update); });
  CHECK(failed.cause() == "disk \"full\"" && failed.id() == "context:job-1" && !failed.retryable());
  map->begin = [](std::string_view) { throw 7; };
  CHECK(holds(thrown<loopmem::AdapterError>([&] { store.call("working.updateContext", update); }).cause(),
              "other than a std::exception"));
  map->begin = [](std::string_view name) {
    if (name == "push") throw std::bad_alloc();
  };
  CHECK(holds(thrown<loopmem::AdapterError>([&] { store.call("working.updateContext", update); }).message(), "push"));
  map->begin = [](std::string_view) {};
  map->set("context:job-1", "{");
  thrown<loopmem::AdapterError>([&] { store.call("working.getContext", R"({"scopeId":"job-1"})"); });
}

void a_function_may_call_back_but_not_into_its_own_scope(const std::string &folder) {
  int alive = 0;
  const auto map = std::make_shared<Map>(&alive);
  const loopmem::Store store = loopmem::Store::open(options_in(folder), map);
  CHECK(loopmem::Adapter::call().id == 0);
  int played = 0;
  map->begin = [&](std::string_view name) {
    if (name != "set" || played > 0) return;
    played++;
    const char *const same = R"({"scopeId":"job-1","patch":{}})", *const other = R"({"scopeId":"job-2","patch":{}})";
    const loopmem_host_call call = loopmem::Adapter::call();
    CHECK(call.id != 0);
    thrown<loopmem::Misuse>([&] { store.call("working.updateContext", same); });
    store.call("working.updateContext", other);
    CHECK(loopmem::Adapter::call().id == call.id);
    std::thread([&] {
      CHECK(loopmem::Adapter::call().id == 0);
      loopmem::CallOptions options;
      options.within = call;
      thrown<loopmem::Misuse>([&] { store.call("working.updateContext", same, options); });
      store.call("working.updateContext", other, options);
    }).join();
  };
  store.call("working.updateContext", R"({"scopeId":"job-1","patch":{"a":1}})");
  CHECK(played == 1 && loopmem::Adapter::call().id == 0);
}

void a_logger_is_told_and_what_it_throws_changes_nothing(const std::string &folder) {
  int alive = 0;
  {
    const auto lines = std::make_shared<Lines>(&alive);
    const loopmem::MemoryStore memory = loopmem::create_memory_store(nullptr, lines, options_in(folder));
    memory.update_context("logged", "{}");
    CHECK(lines->lines.back() == R"(10 Context updated for logged {"scopeId":"logged"})");
    lines->throws = true;
    memory.update_context("logged", "{}");
    thrown<loopmem::ValidationError>([&] { memory.get_context(""); });
    CHECK(lines->lines.size() == 3 && lines->lines.back().rfind("40 working.getContext: ", 0) == 0);
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

void a_store_that_does_not_open_keeps_nothing(const std::string &) {
  int alive = 0;
  thrown<loopmem::ValidationError>(
      [&] { loopmem::Store::open("[]", std::make_shared<Map>(&alive), std::make_shared<Lines>(&alive)); });
  CHECK(alive == 0);
}

}  // namespace

int main(int count, char **arguments) {
  CHECK(count == 2);
  const std::string folder = arguments[1];
  a_memory_store_over_a_map_is_the_specifications(folder);
  what_an_adapter_offers_beyond_five_is_used(folder);
  what_an_adapter_throws_is_the_cause_of_an_adapter_error(folder);
  a_function_may_call_back_but_not_into_its_own_scope(folder);
  a_logger_is_told_and_what_it_throws_changes_nothing(folder);
  a_store_that_does_not_open_keeps_nothing(folder);
  return 0;
}
