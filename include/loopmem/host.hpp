/* What a C++ host provides to a store: an Adapter, which stores working contexts, a Logger, and a Tokenizer. Part of
 * loopmem.hpp, which documents what applies to all of them.
 */

#ifndef LOOPMEM_HOST_HPP
#define LOOPMEM_HOST_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../loopmem.h"

namespace loopmem {

namespace detail {
class Lent;
}

/// The host's own storage for working contexts, logs and checkpoints. Values and items are JSON, keys are text.
///
/// A function may call loopmem, but not on the scope that it was called for: that is Misuse. The keys contain the
/// scope: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`, `checkpoint:JOB:TIMESTAMP`.
class Adapter {
 public:
  virtual ~Adapter() = default;

  /// The value under `key`, or none.
  virtual std::optional<std::string> get(std::string_view key) = 0;
  /// Stores `value` under `key`, replacing any previous value.
  virtual void set(std::string_view key, std::string_view value) = 0;
  /// Deletes the value or the list under `key`. A missing key is not a failure.
  virtual void del(std::string_view key) = 0;
  /// Appends `item` to the list under `key`, which is created if it does not exist.
  virtual void push(std::string_view key, std::string_view item) = 0;
  /// The items of the list under `key`, in the order in which they were pushed.
  virtual std::vector<std::string> get_list(std::string_view key) = 0;

  /// The call on behalf of which an adapter runs on this thread; all zeros outside one. For CallOptions::within.
  static loopmem_host_call call() noexcept { return current(); }

 private:
  friend class detail::Lent;

  static loopmem_host_call &current() noexcept {
    static thread_local loopmem_host_call call{};
    return call;
  }
};

/// An Adapter that also derives from this makes changes atomic between processes, and between stores of one process.
class CompareAndSet {
 public:
  virtual ~CompareAndSet() = default;
  /// Stores `value` under `key` if the current value is still `expected` (none: no value); returns whether it did.
  /// `expected` is what was returned, byte for byte except for white space around it, which is dropped.
  virtual bool compare_and_set(std::string_view key, std::optional<std::string_view> expected,
                               std::string_view value) = 0;
};

/// An Adapter that also derives from this can read the end of a log without the rest.
class GetRange {
 public:
  virtual ~GetRange() = default;
  /// The items from `start` on, counted from the end if negative: -2 is the last two, or all if there are fewer.
  virtual std::vector<std::string> get_range(std::string_view key, std::int64_t start) = 0;
};

/// An Adapter that also derives from this can list the scopes.
class ListKeys {
 public:
  virtual ~ListKeys() = default;
  /// The keys that begin with `prefix`.
  virtual std::vector<std::string> list_keys(std::string_view prefix) = 0;
};

/// The level of a log line. Later versions may have levels in between.
enum class Level : std::int32_t {
  debug = LOOPMEM_LOG_DEBUG,
  info = LOOPMEM_LOG_INFO,
  warn = LOOPMEM_LOG_WARN,
  error = LOOPMEM_LOG_ERROR,
};

/// Called by a store after each of its calls.
class Logger {
 public:
  virtual ~Logger() = default;
  /// Receives a sentence for people, and a JSON object with the same information for programs. Neither contains a
  /// secret.
  virtual void log(Level level, std::string_view message, std::string_view payload) = 0;
};

/// Counts tokens for limits in tokens, such as max_tokens of items.recall.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  /// The number of tokens of `text`. No lock is held meanwhile.
  virtual std::size_t count(std::string_view text) = 0;
};

namespace detail {

/// What is passed to a store: tables of C functions that forward to the objects.
class Lent {
 public:
  Lent(std::shared_ptr<Adapter> adapter, std::shared_ptr<Logger> logger, std::shared_ptr<Tokenizer> tokenizer) {
    if (adapter != nullptr) {
      adapter_ = std::make_unique<Storage>(std::move(adapter));
      adapter_table_.size = sizeof adapter_table_;
      adapter_table_.ctx = adapter_.get();
      adapter_table_.get = get;
      adapter_table_.set = set;
      adapter_table_.del = del;
      adapter_table_.push = push;
      adapter_table_.get_list = get_list;
      if (adapter_->compares != nullptr) adapter_table_.compare_and_set = compare_and_set;
      if (adapter_->ranges != nullptr) adapter_table_.get_range = get_range;
      if (adapter_->lists != nullptr) adapter_table_.list_keys = list_keys;
      adapter_table_.destroy = [](void *ctx) { delete static_cast<Storage *>(ctx); };
      host_.adapter = &adapter_table_;
    }
    if (logger != nullptr) {
      logger_ = std::make_unique<std::shared_ptr<Logger>>(std::move(logger));
      logger_table_.size = sizeof logger_table_;
      logger_table_.ctx = logger_.get();
      logger_table_.log = log;
      logger_table_.destroy = [](void *ctx) { delete static_cast<std::shared_ptr<Logger> *>(ctx); };
      host_.logger = &logger_table_;
    }
    if (tokenizer != nullptr) {
      tokenizer_ = std::make_unique<std::shared_ptr<Tokenizer>>(std::move(tokenizer));
      tokenizer_table_.size = sizeof tokenizer_table_;
      tokenizer_table_.ctx = tokenizer_.get();
      tokenizer_table_.count = count;
      tokenizer_table_.destroy = [](void *ctx) { delete static_cast<std::shared_ptr<Tokenizer> *>(ctx); };
      host_.tokenizer = &tokenizer_table_;
    }
    host_.size = sizeof host_;
  }
  Lent(const Lent &) = delete;
  Lent &operator=(const Lent &) = delete;

  const loopmem_host *host() const noexcept { return &host_; }

  /// The store has taken them over, and will destroy them.
  void release() noexcept {
    static_cast<void>(adapter_.release());
    static_cast<void>(logger_.release());
    static_cast<void>(tokenizer_.release());
  }

 private:
  struct Storage {
    explicit Storage(std::shared_ptr<Adapter> it)
        : adapter(std::move(it)),
          compares(dynamic_cast<CompareAndSet *>(adapter.get())),
          ranges(dynamic_cast<GetRange *>(adapter.get())),
          lists(dynamic_cast<ListKeys *>(adapter.get())) {}

    std::shared_ptr<Adapter> adapter;
    CompareAndSet *compares;
    GetRange *ranges;
    ListKeys *lists;
  };

  static loopmem_status fail(loopmem_host_call call, std::string_view why) noexcept {
    return loopmem_host_fail(call, why.data(), why.size());
  }

  /// Runs `body` on the host's object. No exception escapes, since the library is not C++.
  template <class Object = Storage, class Body>
  static loopmem_status guarded(void *ctx, loopmem_host_call call, const Body &body) noexcept {
    const loopmem_host_call outer = std::exchange(Adapter::current(), call);
    loopmem_status status = LOOPMEM_OK;
    try {
      body(*static_cast<Object *>(ctx));
    } catch (const std::exception &thrown) {
      status = fail(call, thrown.what());
    } catch (...) {
      status = fail(call, "something other than a std::exception was thrown");
    }
    Adapter::current() = outer;
    return status;
  }

  /// The library reports an invalid answer itself, when the function has returned.
  static void answer(loopmem_host_call call, std::string_view text) {
    static_cast<void>(loopmem_host_answer(call, text.data(), text.size()));
  }

  static void answer(loopmem_host_call call, const std::vector<std::string> &items) {
    for (const std::string &item : items) answer(call, item);
  }

  static std::optional<std::string_view> optional(const char *data, std::size_t length) {
    return data == nullptr ? std::nullopt : std::make_optional(std::string_view(data, length));
  }

  static loopmem_status get(void *ctx, loopmem_host_call call, const char *key, std::size_t key_length) noexcept {
    return guarded(ctx, call, [&](Storage &it) {
      const std::optional<std::string> value = it.adapter->get({key, key_length});
      if (value) answer(call, *value);
    });
  }

  static loopmem_status set(void *ctx, loopmem_host_call call, const char *key, std::size_t key_length,
                            const char *value, std::size_t value_length) noexcept {
    return guarded(ctx, call, [&](Storage &it) { it.adapter->set({key, key_length}, {value, value_length}); });
  }

  static loopmem_status del(void *ctx, loopmem_host_call call, const char *key, std::size_t key_length) noexcept {
    return guarded(ctx, call, [&](Storage &it) { it.adapter->del({key, key_length}); });
  }

  static loopmem_status push(void *ctx, loopmem_host_call call, const char *key, std::size_t key_length,
                             const char *item, std::size_t item_length) noexcept {
    return guarded(ctx, call, [&](Storage &it) { it.adapter->push({key, key_length}, {item, item_length}); });
  }

  static loopmem_status get_list(void *ctx, loopmem_host_call call, const char *key, std::size_t key_length) noexcept {
    return guarded(ctx, call, [&](Storage &it) { answer(call, it.adapter->get_list({key, key_length})); });
  }

  static loopmem_status compare_and_set(void *ctx, loopmem_host_call call, const char *key, std::size_t key_length,
                                        const char *expected, std::size_t expected_length, const char *value,
                                        std::size_t value_length, bool *is_set) noexcept {
    return guarded(ctx, call, [&](Storage &it) {
      *is_set = it.compares->compare_and_set({key, key_length}, optional(expected, expected_length),
                                             {value, value_length});
    });
  }

  static loopmem_status get_range(void *ctx, loopmem_host_call call, const char *key, std::size_t key_length,
                                  std::int64_t start) noexcept {
    return guarded(ctx, call, [&](Storage &it) { answer(call, it.ranges->get_range({key, key_length}, start)); });
  }

  static loopmem_status list_keys(void *ctx, loopmem_host_call call, const char *prefix,
                                  std::size_t prefix_length) noexcept {
    return guarded(ctx, call, [&](Storage &it) { answer(call, it.lists->list_keys({prefix, prefix_length})); });
  }

  static loopmem_status count(void *ctx, loopmem_host_call call, const char *text, std::size_t text_length,
                              std::size_t *tokens) noexcept {
    return guarded<std::shared_ptr<Tokenizer>>(ctx, call, [&](std::shared_ptr<Tokenizer> &it) {
      *tokens = it->count(std::string_view(text, text_length));
    });
  }

  static void log(void *ctx, std::int32_t level, const char *message, std::size_t message_length, const char *payload,
                  std::size_t payload_length) noexcept {
    try {
      (*static_cast<std::shared_ptr<Logger> *>(ctx))
          ->log(static_cast<Level>(level), {message, message_length}, {payload, payload_length});
    } catch (...) {
      // A logger does not affect the call.
    }
  }

  std::unique_ptr<Storage> adapter_;
  std::unique_ptr<std::shared_ptr<Logger>> logger_;
  std::unique_ptr<std::shared_ptr<Tokenizer>> tokenizer_;
  loopmem_adapter adapter_table_{};
  loopmem_logger logger_table_{};
  loopmem_tokenizer tokenizer_table_{};
  loopmem_host host_{};
};

}  // namespace detail

}  // namespace loopmem

#endif  // LOOPMEM_HOST_HPP
