/* The specified memory store for C++, on top of a Store. Part of loopmem.hpp.
 *
 *     loopmem::MemoryStore memory = loopmem::create_memory_store(std::make_shared<MyAdapter>());
 *     memory.update_context("job-1", R"({"step":2})");
 *     std::string context = memory.get_context("job-1");  // {"step":2}
 */

#ifndef LOOPMEM_MEMORY_STORE_HPP
#define LOOPMEM_MEMORY_STORE_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../loopmem.hpp"

namespace loopmem {

/// Working contexts, logs and checkpoints of a store. Contexts, patches and entries are JSON.
class MemoryStore {
 public:
  explicit MemoryStore(Store store) noexcept : store_(std::move(store)) {}

  /// The context of a scope, `{}` if there is none.
  std::string get_context(const std::string &scope_id) const {
    loopmem_working_get_context_params params{};
    params.scope_id = text(scope_id, "scopeId");
    return store_.call(loopmem_working_get_context, params);
  }

  /// Removes the names in `remove`, sets the values in `patch`, and returns the new context.
  std::string update_context(const std::string &scope_id, const std::string &patch,
                             const std::vector<std::string> &remove = {}, const std::string &source = {}) const {
    std::vector<const char *> names;
    for (const std::string &name : remove) names.push_back(text(name, "remove"));
    loopmem_working_update_context_params params{};
    params.scope_id = text(scope_id, "scopeId");
    params.patch_json = text(patch, "patch");
    params.remove = names.data();
    params.remove_count = names.size();
    if (!source.empty()) params.source = text(source, "source");
    return store_.call(loopmem_working_update_context, params);
  }

  /// Adds an entry to the log of a scope and returns it as stored.
  std::string add_log(const std::string &scope_id, const loopmem_memory_entry_draft &entry) const {
    loopmem_working_add_log_params params{};
    params.scope_id = text(scope_id, "scopeId");
    params.entry = &entry;
    return store_.call(loopmem_working_add_log, params);
  }

  /// As above, with an entry that may have additional members.
  std::string add_log(const std::string &scope_id, const std::string &entry) const {
    struct Json : loopmem_json {
      Json() : loopmem_json{} {}
      Json(const Json &) = delete;
      Json &operator=(const Json &) = delete;
      ~Json() { std::free(data); }
    } json;
    loopmem_json_bytes(&json, "{", 1);
    loopmem_json_key(&json, "scopeId");
    loopmem_json_text(&json, text(scope_id, "scopeId"));
    loopmem_json_key(&json, "entry");
    loopmem_json_value(&json, text(entry, "entry"));
    loopmem_json_bytes(&json, "}", 1);
    if (json.failed) throw std::bad_alloc();
    return store_.call("working.addLog", std::string_view(json.data, json.length));
  }

  /// The log of a scope, oldest entry first: all of it, or the last `limit` entries.
  std::string get_logs(const std::string &scope_id, std::optional<std::int64_t> limit = std::nullopt) const {
    loopmem_working_get_logs_params params{};
    params.scope_id = text(scope_id, "scopeId");
    params.limit = limit ? &*limit : nullptr;
    return store_.call(loopmem_working_get_logs, params);
  }

  /// Saves the context of a job, and returns the checkpoint's timestamp.
  std::int64_t save_checkpoint(const std::string &job_id) const {
    loopmem_working_save_checkpoint_params params{};
    params.job_id = text(job_id, "jobId");
    return detail::integer(detail::value_of(store_.call(loopmem_working_save_checkpoint, params), "timestamp"));
  }

  /// Replaces the job's context with that of a checkpoint, and returns it. Throws NotFound.
  std::string restore_checkpoint(const std::string &job_id, std::int64_t timestamp) const {
    loopmem_working_restore_checkpoint_params params{};
    params.job_id = text(job_id, "jobId");
    params.timestamp = timestamp;
    return store_.call(loopmem_working_restore_checkpoint, params);
  }

  /// The timestamps of a job's checkpoints, oldest first.
  std::vector<std::int64_t> list_checkpoints(const std::string &job_id) const {
    loopmem_working_list_checkpoints_params params{};
    params.job_id = text(job_id, "jobId");
    const std::string json = store_.call(loopmem_working_list_checkpoints, params);
    std::vector<std::int64_t> timestamps;
    for (std::size_t at = 0; (at = json.find_first_of("0123456789", at)) != json.npos;) {
      timestamps.push_back(detail::integer(std::string_view(json).substr(at)));
      at = json.find_first_not_of("0123456789", at);
    }
    return timestamps;
  }

  /// Deletes a checkpoint; returns whether it existed.
  bool delete_checkpoint(const std::string &job_id, std::int64_t timestamp) const {
    loopmem_working_delete_checkpoint_params params{};
    params.job_id = text(job_id, "jobId");
    params.timestamp = timestamp;
    return detail::holds_true(store_.call(loopmem_working_delete_checkpoint, params), "removed");
  }

  /// The store, for the other methods: `working.history`, `working.searchLogs`, `working.listScopes`, …
  const Store &store() const noexcept { return store_; }

 private:
  /// C would read a text only up to a NUL, and might use another scope.
  static const char *text(const std::string &it, const char *name) {
    if (it.find('\0') != it.npos) {
      const std::string message = std::string(name) + " contains a NUL character";
      raise(LOOPMEM_VALIDATION_ERROR, detail::failure(LOOPMEM_VALIDATION_ERROR, message));
    }
    return it.c_str();
  }

  Store store_;
};

/// Opens a store for working contexts. Without an adapter, contexts are stored as configured.
inline MemoryStore create_memory_store(std::shared_ptr<Adapter> adapter = nullptr,
                                       std::shared_ptr<Logger> logger = nullptr,
                                       std::string_view options = {}) {
  return MemoryStore(Store::open(options, std::move(adapter), std::move(logger)));
}

}  // namespace loopmem

#endif  // LOOPMEM_MEMORY_STORE_HPP
