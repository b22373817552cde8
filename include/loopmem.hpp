/* loopmem: durable, local-first memory for coding agents. RAII and exceptions over loopmem.h, for C++17.
 *
 *     loopmem::Store store = loopmem::Store::open();
 *     loopmem_context_build_params params{};
 *     params.max_chars = 8000;
 *     std::string pack = store.call(loopmem_context_build, params);  // JSON, as docs/METHODS.md says
 *
 * Threads. Any number of threads may call through one Store, and any thread may close it or trigger a Cancel request
 * meanwhile. As usual in C++, moving, assigning and destroying an object require exclusive access.
 *
 * Ownership. A Store closes itself and a Cancel frees itself. Arguments are only read, during the call; results belong
 * to the caller. A Cancel must outlive the calls that it was passed to.
 *
 * Failures. Every failure is thrown as the subclass of Error for its kind. A store that was closed or moved from throws
 * Misuse. Destructors never throw.
 *
 * Your own storage. Derive from Adapter and pass it to Store::open or create_memory_store; derive from Logger to log
 * calls. Both are shared with the store, which releases them after it was closed and the last of its calls has ended.
 * Their functions are called on the threads that call the store, concurrently. Exceptions stop at the boundary: one
 * thrown by an Adapter becomes an AdapterError whose cause() is its what(), one thrown by a Logger is ignored.
 */

#ifndef LOOPMEM_HPP
#define LOOPMEM_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "loopmem.h"
#include "loopmem/host.hpp"

namespace loopmem {

namespace detail {
std::string member(std::string_view json, std::string_view key);
bool holds_true(std::string_view json, std::string_view key);
std::string sentence(loopmem_status status, std::string_view json);
std::string failure(loopmem_status status, std::string_view message);
std::string_view value_of(std::string_view json, std::string_view key);
std::int64_t integer(std::string_view json);
}  // namespace detail

/// A text in an answer, such as the `text` of a context pack, decoded; empty if the answer has none of this name. For the
/// rest of an answer, use a library for JSON.
inline std::string text_of(std::string_view answer, std::string_view member) {
  return detail::member(answer, member);
}

/// The base class of every error that loopmem throws. Base decisions on the class; `what()` is for people:
/// `operation: message (cause)`.
class Error : public std::runtime_error {
 public:
  Error(loopmem_status status, std::string json)
      : std::runtime_error(detail::sentence(status, json)),
        status_(status),
        json_(std::make_shared<const std::string>(std::move(json))) {}

  /// The status of the C ABI, such as LOOPMEM_VALIDATION_ERROR.
  loopmem_status status() const noexcept { return status_; }
  /// The kind, such as `ValidationError`; `Unknown` if the library does not know the kind.
  const char *code() const noexcept { return loopmem_status_code(status_); }
  /// What went wrong, for people, without operation and cause.
  std::string message() const { return detail::member(*json_, "message"); }
  /// The method that failed, such as `memory.get`. This and the following are empty if unknown.
  std::string operation() const { return detail::member(*json_, "operation"); }
  /// The file concerned.
  std::string path() const { return detail::member(*json_, "path"); }
  /// The record concerned.
  std::string id() const { return detail::member(*json_, "id"); }
  /// The cause.
  std::string cause() const { return detail::member(*json_, "cause"); }
  /// Whether the same call may succeed if it is repeated later.
  bool retryable() const { return detail::holds_true(*json_, "retryable"); }
  /// Whether the change may have been stored although the call failed: check before you try again.
  bool may_be_stored() const { return detail::holds_true(*json_, "mayBeStored"); }
  /// All of this as JSON.
  const std::string &json() const noexcept { return *json_; }

 private:
  loopmem_status status_;
  std::shared_ptr<const std::string> json_;  // Shared, since copying an exception must not throw.
};

// One class for every kind, from the same table as the C header's numbers: loopmem::ValidationError, …
#define LOOPMEM_CLASS(number, NAME, Code, doc) \
  class Code : public Error {                  \
   public:                                     \
    using Error::Error;                        \
  };
LOOPMEM_ERRORS(LOOPMEM_CLASS)
#undef LOOPMEM_CLASS

/// Throws the class of `status`; a plain Error if this header does not know it.
[[noreturn]] inline void raise(loopmem_status status, std::string json) {
  switch (status) {
#define LOOPMEM_CASE(number, NAME, Code, doc) \
  case number:                                \
    throw Code(status, std::move(json));
    LOOPMEM_ERRORS(LOOPMEM_CASE)
#undef LOOPMEM_CASE
    default:
      throw Error(status, std::move(json));
  }
}

/// A cancel request, shared by any number of calls. Once triggered, it stays triggered.
class Cancel {
 public:
  Cancel() : raw_(loopmem_cancel_new()) {
    if (raw_.id == 0) raise(LOOPMEM_MISUSE, detail::failure(LOOPMEM_MISUSE, "too many cancel requests are open"));
  }
  Cancel(Cancel &&other) noexcept : raw_(std::exchange(other.raw_, {})) {}
  Cancel &operator=(Cancel other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Cancel() { loopmem_cancel_free(raw_); }

  /// Cancels every call that was given this request and is waiting: it throws Cancelled. May be called from any thread.
  void request() const {
    const loopmem_status status = loopmem_cancel_request(raw_);
    if (status != LOOPMEM_OK) raise(status, detail::failure(status, "this cancel request was moved from"));
  }

  /// For calls of the C header; still owned by this object. All zeros after a move.
  loopmem_cancel raw() const noexcept { return raw_; }

 private:
  loopmem_cancel raw_;
};

/// Options of a single call.
struct CallOptions {
  /// The maximum time that the call waits in total, in milliseconds: for locks, and for a server or an adapter. 0: as
  /// configured.
  std::uint32_t timeout_ms = 0;
  /// The cancel request, if any.
  const Cancel *cancel = nullptr;
  /// For a call that a function of an Adapter makes on a different thread than it was called on: its Adapter::call().
  loopmem_host_call within{};
  /// Receives what the call redacted, as a JSON list of `Redaction` of docs/METHODS.md; empty if it redacted nothing.
  std::string *redactions = nullptr;
  /// Called with the number of completed steps and the total while a long call runs: see `progress` of
  /// loopmem_call_options. An exception in it is ignored.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

namespace detail {

/// The answer of a call, freed in any case.
class Answer {
 public:
  Answer() = default;
  Answer(const Answer &) = delete;
  Answer &operator=(const Answer &) = delete;
  ~Answer() { loopmem_buffer_free(&buffer_); }

  loopmem_buffer *out() noexcept { return &buffer_; }

  /// Returns the result, or throws the exception for `status`.
  std::string take(loopmem_status status) const {
    // The only failure without an error is a typed function that could not allocate its params.
    if (status != LOOPMEM_OK && buffer_.data == nullptr) throw std::bad_alloc();
    std::string text = buffer_.data == nullptr ? std::string() : std::string(buffer_.data, buffer_.length);
    if (status != LOOPMEM_OK) raise(status, std::move(text));
    return text;
  }

 private:
  loopmem_buffer buffer_{};
};

/// The options of a call, and the buffer for what it redacts.
class RawOptions {
 public:
  explicit RawOptions(const CallOptions &options);
  RawOptions(const RawOptions &) = delete;
  RawOptions &operator=(const RawOptions &) = delete;
  ~RawOptions() { loopmem_buffer_free(&buffer_); }

  const loopmem_call_options *get() const noexcept { return &raw_; }

  /// Tells the host what the call redacted.
  void tell() const {
    if (redactions_ == nullptr) return;
    redactions_->assign(buffer_.data == nullptr ? "" : buffer_.data, buffer_.length);
  }

 private:
  static void report(void *ctx, std::uint64_t done, std::uint64_t total) noexcept {
    try {
      static_cast<const CallOptions *>(ctx)->progress(done, total);
    } catch (...) {
      // An exception must not pass through the library.
    }
  }

  loopmem_buffer buffer_{};
  loopmem_call_options raw_;
  std::string *redactions_;
};

inline loopmem_call_options raw(const CallOptions &options) {
  loopmem_call_options raw{};
  raw.size = sizeof raw;
  raw.timeout_ms = options.timeout_ms;
  raw.within = options.within;
  if (options.cancel != nullptr) {
    raw.cancel = options.cancel->raw();
    // Zeros would mean that the call cannot be cancelled, which the caller did not ask for.
    if (raw.cancel.id == 0) raise(LOOPMEM_MISUSE, failure(LOOPMEM_MISUSE, "this cancel request was moved from"));
  }
  return raw;
}

inline RawOptions::RawOptions(const CallOptions &options) : raw_(raw(options)), redactions_(options.redactions) {
  if (redactions_ != nullptr) raw_.redactions = &buffer_;
  if (options.progress) {
    raw_.progress = &RawOptions::report;
    // The library does not write to it.
    raw_.progress_ctx = const_cast<CallOptions *>(&options);
  }
}

}  // namespace detail

/// An open store.
class Store {
 public:
  /// Opens a store. `options` is `StoreOptions` of docs/METHODS.md as JSON; empty means the defaults. An adapter stores
  /// the working contexts; a logger is called after each call; a tokenizer counts tokens, which are estimated without it.
  static Store open(std::string_view options = {}, std::shared_ptr<Adapter> adapter = nullptr,
                    std::shared_ptr<Logger> logger = nullptr, std::shared_ptr<Tokenizer> tokenizer = nullptr) {
    detail::Answer answer;
    detail::Lent lent(std::move(adapter), std::move(logger), std::move(tokenizer));
    loopmem_store raw{};
    answer.take(loopmem_open(options.data(), options.size(), lent.host(), &raw, answer.out()));
    lent.release();
    return Store(raw);
  }

  /// As above. Members of `options` that are NULL are as configured.
  static Store open(const loopmem_store_options &options, std::shared_ptr<Adapter> adapter = nullptr,
                    std::shared_ptr<Logger> logger = nullptr, std::shared_ptr<Tokenizer> tokenizer = nullptr) {
    detail::Answer answer;
    detail::Lent lent(std::move(adapter), std::move(logger), std::move(tokenizer));
    loopmem_store raw{};
    answer.take(loopmem_store_open(&options, lent.host(), &raw, answer.out()));
    lent.release();
    return Store(raw);
  }

  Store(Store &&other) noexcept : raw_(std::exchange(other.raw_, {})) {}
  Store &operator=(Store other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Store() { loopmem_close(raw_); }

  /// Closes the store now. Calls in progress finish; later ones throw Misuse, and so does closing it again.
  void close() {
    // The number is kept: it is never reused, and writing it here would race with calls on other threads.
    const loopmem_status status = loopmem_close(raw_);
    if (status != LOOPMEM_OK) raise(status, detail::failure(status, "this store is closed already, or was moved from"));
  }

  /// Calls a method by name with params as JSON, and returns its result as JSON.
  std::string call(std::string_view method, std::string_view params = "{}", const CallOptions &options = {}) const {
    if (method.find('\0') != std::string_view::npos) {
      // C would read the name only up to the NUL, and might find a method.
      raise(LOOPMEM_VALIDATION_ERROR, detail::failure(LOOPMEM_VALIDATION_ERROR, "method contains a NUL character"));
    }
    const std::string name(method);
    const detail::RawOptions raw(options);
    detail::Answer answer;
    const loopmem_status status =
        loopmem_call(raw_, name.c_str(), params.data(), params.size(), raw.get(), answer.out());
    raw.tell();
    return answer.take(status);
  }

  /// Calls a typed function of the C header, such as `loopmem_context_build`, and returns its result as JSON.
  template <class Params>
  std::string call(loopmem_status (*method)(loopmem_store, const Params *, const loopmem_call_options *,
                                            loopmem_buffer *),
                   const Params &params, const CallOptions &options = {}) const {
    const detail::RawOptions raw(options);
    detail::Answer answer;
    const loopmem_status status = method(raw_, &params, raw.get(), answer.out());
    raw.tell();
    return answer.take(status);
  }

  /// For calls of the C header; still owned by this object. All zeros after a move.
  loopmem_store raw() const noexcept { return raw_; }

 private:
  explicit Store(loopmem_store raw) noexcept : raw_(raw) {}

  loopmem_store raw_;
};

// Turns an error's JSON into a sentence. The error is a single object, so its members are found without a JSON library.
namespace detail {

inline void append_utf8(std::string &text, std::uint32_t point) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(static_cast<unsigned char>(value)); };
  if (point < 0x80) {
    byte(point);
    return;
  }
  if (point < 0x800) {
    byte(0xC0 | point >> 6);
  } else {
    if (point < 0x10000) {
      byte(0xE0 | point >> 12);
    } else {
      byte(0xF0 | point >> 18);
      byte(0x80 | (point >> 12 & 0x3F));
    }
    byte(0x80 | (point >> 6 & 0x3F));
  }
  byte(0x80 | (point & 0x3F));
}

/// Reads the four hex digits after `at`, which moves to the last of them.
inline std::uint32_t read_unit(std::string_view json, std::size_t &at) {
  const std::string_view digits = json.substr(at + 1, 4);
  std::uint32_t unit = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  at += digits.size();
  return unit;
}

/// Reads the string whose opening quote is at `at`, which moves to the closing one.
inline std::string read_string(std::string_view json, std::size_t &at) {
  std::string text;
  for (at++; at < json.size() && json[at] != '"'; at++) {
    if (json[at] != '\\' || at + 1 == json.size()) {
      text += json[at];
      continue;
    }
    switch (json[++at]) {
      case 'b': text += '\b'; break;
      case 'f': text += '\f'; break;
      case 'n': text += '\n'; break;
      case 'r': text += '\r'; break;
      case 't': text += '\t'; break;
      case 'u': {
        std::uint32_t point = read_unit(json, at);
        if (point >= 0xD800 && point < 0xDC00 && json.substr(at + 1, 2) == "\\u") {
          at += 2;
          point = 0x10000 + ((point - 0xD800) << 10) + (read_unit(json, at) & 0x3FF);
        }
        append_utf8(text, point);
        break;
      }
      default: text += json[at];  // A quote, a backslash or a slash.
    }
  }
  return text;
}

/// The rest of `json` from the value of the top-level `key` on; empty if there is none. Nested members do not count.
inline std::string_view value_of(std::string_view json, std::string_view key) {
  std::string text;
  int depth = 0;
  for (std::size_t at = 0; at < json.size(); at++) {
    switch (json[at]) {
      case '{':
      case '[': depth++; break;
      case '}':
      case ']': depth--; break;
      case '"': text = read_string(json, at); break;
      case ':':
        // The last string before a colon is a key.
        if (depth == 1 && text == key) {
          const std::size_t start = json.find_first_not_of(" \t\r\n", at + 1);
          return start == json.npos ? std::string_view() : json.substr(start);
        }
        break;
      default: break;
    }
  }
  return {};
}

/// The string at `key`; empty if there is none.
inline std::string member(std::string_view json, std::string_view key) {
  const std::string_view value = value_of(json, key);
  std::size_t at = 0;
  return value.substr(0, 1) == "\"" ? read_string(value, at) : std::string();
}

/// The integer at the start of `json`.
inline std::int64_t integer(std::string_view json) {
  std::int64_t value = 0;
  std::from_chars(json.data(), json.data() + json.size(), value);
  return value;
}

inline bool holds_true(std::string_view json, std::string_view key) {
  return value_of(json, key).substr(0, 4) == "true";
}

inline std::string sentence(loopmem_status status, std::string_view json) {
  const std::string operation = member(json, "operation");
  const std::string message = member(json, "message");
  const std::string cause = member(json, "cause");
  std::string text = operation.empty() ? std::string() : operation + ": ";
  text += message.empty() ? loopmem_status_code(status) : message;
  return cause.empty() ? text : text + " (" + cause + ")";
}

/// The JSON of an error with only a status and a message. `message` must not need escapes.
inline std::string failure(loopmem_status status, std::string_view message) {
  std::string json = "{\"code\":\"";
  json.append(loopmem_status_code(status)).append("\",\"message\":\"").append(message);
  return json.append("\",\"retryable\":false}");
}

}  // namespace detail

}  // namespace loopmem

#include "loopmem/memory_store.hpp"

#endif  // LOOPMEM_HPP
