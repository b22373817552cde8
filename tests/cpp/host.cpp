// A C++17 host: objects own what they opened, failures are exceptions of the right class, and using an object after it
// was closed or moved from is always an error.
//
//     host FOLDER     FOLDER: empty, for the home

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "check.hpp"

namespace {

const std::string REPO(64, 'a');

loopmem::Store open_in(const std::string &folder) {
  const std::string home = folder + "/home";
  loopmem_store_options options{};
  options.home = home.c_str();
  return loopmem::Store::open(options);
}

void objects_are_moved_and_never_copied() {
  static_assert(!std::is_copy_constructible_v<loopmem::Store> && !std::is_copy_assignable_v<loopmem::Store>);
  static_assert(!std::is_copy_constructible_v<loopmem::Cancel> && !std::is_copy_assignable_v<loopmem::Cancel>);
  static_assert(std::is_nothrow_move_constructible_v<loopmem::Store> &&
                std::is_nothrow_move_assignable_v<loopmem::Store>);
  static_assert(std::is_nothrow_move_constructible_v<loopmem::Cancel> &&
                std::is_nothrow_move_assignable_v<loopmem::Cancel>);
  static_assert(std::is_nothrow_copy_constructible_v<loopmem::Error>);  // Otherwise throwing one could terminate the process.
}

void typed_calls_and_calls_by_name_are_the_same(const loopmem::Store &store) {
  const std::array<const char *, 2> tags{"style", "c++"};
  loopmem_convention_draft draft{};
  draft.title = "Say \"no\"";
  draft.content = "caf\xc3\xa9 \\ tab\t";
  draft.tags = tags.data();
  draft.tags_count = tags.size();
  loopmem_memory_upsert_convention_params params{};
  params.repo_hash = REPO.c_str();
  params.convention = &draft;
  const std::string stored = store.call(loopmem_memory_upsert_convention, params);
  CHECK(holds(stored, R"("title":"Say \"no\"","content":"café \\ tab\t","tags":["style","c++"])"));

  const std::string all = store.call("memory.get", "{\"repoHash\":\"" + REPO + "\"}");
  CHECK(holds(all, stored));
  loopmem_memory_get_params get{};
  get.repo_hash = REPO.c_str();
  CHECK(store.call(loopmem_memory_get, get) == all);
}

void a_call_says_what_it_redacted(const loopmem::Store &store) {
  std::string redactions = "?";
  loopmem::CallOptions options;
  options.redactions = &redactions;
  const auto upsert = [&](const std::string &content) {
    store.call("memory.upsertNote", R"({"repoHash":")" + REPO + R"(","note":{"content":")" + content + R"("}})", options);
  };
  upsert("DB_PASSWORD=hunter22");
  CHECK(redactions == R"([{"method":"memory.upsertNote","field":"content","rule":"keyed-value","count":1}])");
  upsert("plain");
  CHECK(redactions.empty());
}

void a_long_call_reports_its_progress(const loopmem::Store &store, const std::string &folder) {
  std::ofstream(folder + "/part.cpp") << "int part() { return 1; }\n";
  const std::string params = R"({"workspace":")" + folder + R"("})";
  loopmem::CallOptions options;
  const loopmem::Cancel cancel;
  options.cancel = &cancel;
  options.progress = [&](std::uint64_t, std::uint64_t) { cancel.request(); };
  thrown<loopmem::Cancelled>([&] { store.call("index.refresh", params, options); });

  std::uint64_t reported = 0;
  std::uint64_t last = 0;
  options.cancel = nullptr;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    reported++;
    last = total - done;
    throw std::runtime_error("ignored");
  };
  store.call("index.refresh", params, options);
  CHECK(reported >= 2 && last == 0);
}

void failures_are_exceptions_of_their_kind(const loopmem::Store &store) {
  const auto unknown = thrown<loopmem::ValidationError>([&] { store.call("memory.nothing"); });
  CHECK(unknown.status() == LOOPMEM_VALIDATION_ERROR);
  CHECK(unknown.code() == std::string("ValidationError"));
  CHECK(holds(unknown.json(), R"("code":"ValidationError")"));
  CHECK(holds(unknown.what(), R"(unknown method "memory.nothing"; )"));

  const auto missing = thrown<loopmem::ValidationError>([&] { store.call("repo.sanitizeRemoteUrl"); });
  CHECK(missing.what() == std::string("repo.sanitizeRemoteUrl: `url` is missing"));
  CHECK(missing.operation() == "repo.sanitizeRemoteUrl" && missing.message() == "`url` is missing");
  loopmem_repo_sanitize_remote_url_params params{};
  CHECK(thrown<loopmem::Error>([&] { store.call(loopmem_repo_sanitize_remote_url, params); }).json() == missing.json());

  // As a host would write it: the more specific class first.
  bool caught = false;
  try {
    store.call("memory.get", R"({"repoHash":"abc"})");
  } catch (const loopmem::ValidationError &) {
    caught = true;
  } catch (const std::exception &) {
  }
  CHECK(caught);

  // C would read only up to the NUL, and that is a method.
  using namespace std::string_view_literals;
  thrown<loopmem::ValidationError>([&] { store.call("memory.get\0x"sv); });
  thrown<loopmem::ValidationError>([&] { store.call("memory.get", "{}\0"sv); });
  thrown<loopmem::ValidationError>([] { loopmem::Store::open("[]"); });
}

// Every class of the table is thrown for its own number, and an unknown number is at least an Error.
void every_status_has_its_class() {
#define HAS_ITS_CLASS(number, NAME, Code, doc)                                                    \
  CHECK(thrown<loopmem::Code>([] { loopmem::raise(number, "{}"); }).code() == std::string(#Code)); \
  static_assert(std::is_base_of_v<loopmem::Error, loopmem::Code>);
  LOOPMEM_ERRORS(HAS_ITS_CLASS)
#undef HAS_ITS_CLASS
  const auto newer = thrown<loopmem::Error>([] { loopmem::raise(9999, R"({"code":"Newer","message":"m"})"); });
  CHECK(newer.status() == 9999 && newer.code() == std::string("Unknown") && newer.what() == std::string("m"));
}

void the_sentence_is_the_errors_own_members_without_escapes() {
  const auto sentence = [](const char *json) { return std::string(loopmem::Error(LOOPMEM_MISUSE, json).what()); };
  CHECK(sentence(R"({"code":"","message":"a \"b\" \\ \/ c\n\u0001\u00e9\u65e5\ud83d\ude00é","retryable":false})") ==
        "a \"b\" \\ / c\n\x01é日😀é");
  CHECK(sentence(R"({ "message" : "m" , "operation" : "o" , "cause" : "c" })") == "o: m (c)");
  CHECK(sentence(R"({"x":{"message":"inner"},"y":["message",{"message":1},"a:b"],"message":"outer"})") == "outer");
  CHECK(sentence(R"({"id":"message","message":"m"})") == "m");
  // Invalid JSON is not read beyond its end.
  for (const char *broken : {"", "{", R"({"message":"\)", R"({"message":"\u)", R"({"message")", "\"", "]]"}) {
    CHECK(sentence(broken).size() < 10);
  }
}

void an_error_tells_its_members() {
  const loopmem::Error full(LOOPMEM_LOCK_ACQUISITION_ERROR,
                            R"({"code":"C","message":"a \"m\"","operation":"o","path":"/p","id":"i","cause":"c",)"
                            R"("retryable" : true})");
  CHECK(full.message() == "a \"m\"" && full.operation() == "o" && full.path() == "/p");
  CHECK(full.id() == "i" && full.cause() == "c" && full.retryable());
  const loopmem::Error bare(LOOPMEM_MISUSE, R"({"message":"m","x":{"path":"/p","retryable":true},"id":1})");
  CHECK(bare.message() == "m" && bare.operation().empty() && bare.path().empty());
  CHECK(bare.id().empty() && bare.cause().empty() && !bare.retryable());
  CHECK(loopmem::Error(LOOPMEM_IO_ERROR, R"({"message":"m","mayBeStored":true})").may_be_stored());
  CHECK(!full.may_be_stored() && !bare.may_be_stored());
}

void a_text_is_taken_out_of_an_answer() {
  const char *answer = R"({"sections":[{"text":"inner"}],"text":"a\n\"b\" \u00e9","chars":8})";
  CHECK(loopmem::text_of(answer, "text") == "a\n\"b\" é");
  CHECK(loopmem::text_of(answer, "chars").empty() && loopmem::text_of(answer, "missing").empty());
}

void what_is_nested_too_deeply_is_refused(const std::string &folder) {
  const loopmem::MemoryStore memory(loopmem::Store::open("{\"home\":\"" + folder + "/deep\"}"));
  for (const auto &[open, close] : {std::pair("[", "]"), std::pair("{\"a\":", "}")}) {
    std::string patch = "{\"a\":";
    for (int level = 0; level < 100000; level++) patch += open;
    patch += "1";
    for (int level = 0; level < 100000; level++) patch += close;
    patch += "}";
    const auto refused = thrown<loopmem::ValidationError>([&] { memory.update_context("s", patch); });
    CHECK(holds(refused.message(), "the input is nested deeper than 100 levels"));
    CHECK(refused.operation() == "working.updateContext");
  }
  CHECK(memory.get_context("s") == "{}");
}

void stores_are_opened_with_json_or_with_typed_options(const std::string &folder) {
  const std::string home = folder + "/with \"quotes\" \\ and caf\xc3\xa9";
  const std::int64_t patience = 1;
  loopmem_store_options options{};
  options.home = home.c_str();
  options.lock_timeout_ms = &patience;
  const loopmem::Store store = loopmem::Store::open(options);
  store.call("summary.append",
             "{\"repoHash\":\"" + REPO + R"(","runId":"r","stepId":"s","summary":"in the home with quotes"})");
  const std::string summaries = home + "/repos/" + REPO + "/summaries.jsonl";
  CHECK(access(summaries.c_str(), F_OK) == 0);

  options.branch_scope = "nobody";
  const auto refused = thrown<loopmem::ValidationError>([&] { loopmem::Store::open(options); });
  CHECK(holds(refused.message(), "branchScope") && !refused.retryable());
  loopmem::Store::open().close();
  loopmem::Store::open("{}").close();
}

void what_was_closed_or_moved_from_is_misuse(const std::string &folder) {
  loopmem::Store first = open_in(folder);
  loopmem::Store second = std::move(first);
  CHECK(first.raw().id == 0);
  thrown<loopmem::Misuse>([&] { first.call("memory.get"); });
  thrown<loopmem::Misuse>([&] { first.close(); });

  // Assignment closes the previous store.
  loopmem::Store third = open_in(folder);
  const loopmem_store replaced = third.raw();
  third = std::move(second);
  CHECK(loopmem_close(replaced) == LOOPMEM_MISUSE);
  third.call("repo.sanitizeRemoteUrl", R"({"url":"x"})");

  third.close();
  const auto closed = thrown<loopmem::Misuse>([&] { third.call("memory.get"); });
  CHECK(holds(closed.what(), "closed"));
  thrown<loopmem::Misuse>([&] { third.close(); });
  third = open_in(folder);
  third.call("repo.sanitizeRemoteUrl", R"({"url":"x"})");

  loopmem_store scoped{};
  {
    const loopmem::Store fourth = open_in(folder);
    scoped = fourth.raw();
  }
  CHECK(loopmem_close(scoped) == LOOPMEM_MISUSE);
}

void a_cancel_request_ends_every_wait_that_was_given_it(const loopmem::Store &store, const std::string &folder) {
  const std::string params = "{\"repoHash\":\"" + REPO + "\"}";
  const int lock = ::open((folder + "/home/repos/" + REPO + "/memory.json.lock").c_str(), O_RDWR);
  CHECK(lock >= 0 && flock(lock, LOCK_EX) == 0);

  loopmem::Cancel cancel;
  loopmem::CallOptions options;
  options.timeout_ms = 1;
  options.cancel = &cancel;
  CHECK(thrown<loopmem::LockAcquisitionError>([&] { store.call("memory.get", params, options); }).retryable());
  cancel.request();
  cancel.request();
  options.timeout_ms = 3600000;
  thrown<loopmem::Cancelled>([&] { store.call("memory.get", params, options); });
  loopmem_memory_get_params get{};
  get.repo_hash = REPO.c_str();
  thrown<loopmem::Cancelled>([&] { store.call(loopmem_memory_get, get, options); });
  CHECK(close(lock) == 0);

  loopmem::Cancel moved = std::move(cancel);
  thrown<loopmem::Misuse>([&] { cancel.request(); });
  // A moved-from request must not be treated as no request.
  thrown<loopmem::Misuse>([&] { store.call("memory.get", "{}", options); });
  moved.request();
  const loopmem_cancel freed = moved.raw();
  moved = loopmem::Cancel();
  CHECK(loopmem_cancel_free(freed) == LOOPMEM_MISUSE);
}

class Words : public loopmem::Tokenizer {
 public:
  std::size_t count(std::string_view text) override {
    if (fails) throw std::runtime_error("no vocabulary");
    return text.size();
  }
  bool fails = false;
};

void a_tokenizer_counts_for_limits_in_tokens(const std::string &folder) {
  const std::string home = folder + "/home", codex = folder + "/codex";
  loopmem_store_options options{};
  options.home = home.c_str();
  options.codex_home = codex.c_str();
  const auto tokenizer = std::make_shared<Words>();
  {
    const loopmem::Store store = loopmem::Store::open(options, nullptr, nullptr, tokenizer);
    loopmem_items_add_params item{};
    item.workspace = folder.c_str();
    item.scope = "global";
    item.type = "note";
    item.content = "The proxy listens on port 8443.";
    store.call(loopmem_items_add, item);

    const std::string start = "{\"workspace\":\"" + folder + "\",\"prompt\":\"proxy\",\"maxTokens\":";
    CHECK(holds(store.call("items.recall", start + "1000}"), "\"inPreamble\":true"));
    CHECK(holds(store.call("items.recall", start + "50}"), "\"inPreamble\":false"));
    tokenizer->fails = true;
    const auto error = thrown<loopmem::AdapterError>([&] { store.call("items.recall", start + "1000}"); });
    CHECK(std::string(error.cause()) == "no vocabulary");
  }
  CHECK(tokenizer.use_count() == 1);
}

}  // namespace

int main(int count, char **arguments) {
  CHECK(count == 2);
  const std::string folder = arguments[1];
  const loopmem::Store store = open_in(folder);
  objects_are_moved_and_never_copied();
  typed_calls_and_calls_by_name_are_the_same(store);
  a_call_says_what_it_redacted(store);
  a_long_call_reports_its_progress(store, folder);
  a_tokenizer_counts_for_limits_in_tokens(folder);
  failures_are_exceptions_of_their_kind(store);
  every_status_has_its_class();
  the_sentence_is_the_errors_own_members_without_escapes();
  an_error_tells_its_members();
  a_text_is_taken_out_of_an_answer();
  what_is_nested_too_deeply_is_refused(folder);
  stores_are_opened_with_json_or_with_typed_options(folder);
  what_was_closed_or_moved_from_is_misuse(folder);
  a_cancel_request_ends_every_wait_that_was_given_it(store, folder);
  return 0;
}
