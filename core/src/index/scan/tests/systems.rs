//! Rust, Go, C, C++, Zig and Swift.

use super::{Language, outline};

#[test]
fn rust() {
    outline(
        Language::Rust,
        r##"//! fn in_doc() {}
use std::fmt;
/* struct Commented {
   /* fn nested() {} */
   fn still() {}
*/
pub const LIMIT: usize = 10;
static mut COUNT: u32 = 0;
const _: () = assert!(true);
#[derive(Debug)]
pub(crate) struct Point<T> {
    x: T,
}
pub enum Shape { Round, Square }
impl<T: fmt::Debug + Fn(u8) -> u8> fmt::Display for Point<T>
where
    T: Clone,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LOCAL: u8 = b'{';
        let text = "
fn in_string() {}
";
        let raw = r#"
struct Raw { "
"#;
        match self { _ if x('}') => {} }
    }
    pub async unsafe fn long(
        first: u8, // the first
        second: &'static str,
    ) -> Option<u8> {
        None
    }
}
pub trait Draw: Sized {
    type Out;
    fn draw(&self);
}
mod tests {
    #[test] fn works() {}
    extern "C" fn callback() {}
}
macro_rules! square {
    ($x:expr) => { $x * $x };
}
pub const fn last() {}
impl Drop for &mut dyn Other { }
pub union Bits { a: u8 }
type Alias<T> = Vec<T>;
"##,
        "7 constant LIMIT | pub const LIMIT: usize = 10
        8 variable COUNT | static mut COUNT: u32 = 0
        11 struct Point | pub(crate) struct Point<T>
        14 enum Shape | pub enum Shape
        15 class Point | impl<T: fmt::Debug + Fn(u8) -> u8> fmt::Display for Point<T>
        19 .method fmt | fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result
        29 .method long | pub async unsafe fn long(first: u8, second: &'static str) -> Option<u8>
        36 interface Draw | pub trait Draw: Sized
        37 .type Out | type Out
        38 .method draw | fn draw(&self)
        40 module tests | mod tests
        41 .function works | #[test] fn works()
        42 .function callback | extern \"C\" fn callback()
        44 macro square | macro_rules! square
        47 function last | pub const fn last()
        48 class Other | impl Drop for &mut dyn Other
        49 struct Bits | pub union Bits
        50 type Alias | type Alias<T> = Vec<T>",
    );
}

#[test]
fn go() {
    outline(
        Language::Go,
        "package main

import (
\t\"fmt\"
)

// func commented() {}
const Limit = 10

const (
\tFirst = iota
\tSecond // and more
\tThird
)

var text = `
func inString() {}
`

type (
\tID int
\tPair struct {
\t\tleft int
\t}
)

type Store[K comparable] struct {
\titems map[K]int
}

type Reader interface {
\tRead(p []byte) (int, error)
}

func (s *Store[K]) Get(key K) (int, error) {
\tvar local = 1
\tif x := f(); x {
\t\treturn s.items[key], nil
\t}
\tfor i := range items { }
}

func Map[T any](
\titems []T,
\tf func(T) T,
) []T {
\treturn nil
}
",
        "8 constant Limit | const Limit = 10
        11 constant First | First = iota
        12 constant Second | Second
        13 constant Third | Third
        16 variable text | var text = `
        21 type ID | ID int
        22 struct Pair | Pair struct
        27 struct Store | type Store[K comparable] struct
        31 interface Reader | type Reader interface
        35 method Get | func (s *Store[K]) Get(key K) (int, error)
        43 function Map | func Map[T any](items []T, f func(T) T) []T",
    );
}

#[test]
fn c() {
    outline(
        Language::C,
        r#"#ifndef STORE_H
#define STORE_H
#include <stdio.h>
#define LIMIT 10
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b)) {
/* int commented(void) {
} */
typedef unsigned int id_t;
typedef struct {
    int x;
    struct { int inner; } y;
} point_t;
typedef int (*compare_fn)(const void *, const void *);
struct node {
    struct node *next;
};
enum color { RED, GREEN };
int declared(int x);
struct node *declared_too(void);
static const char *names[] = { "int fake(void) {", "b" };

static int
split_line(int a,
           int b)
{
    if (a) {
        return call(b);
    }
    while (x(1)) { }
    return 0;
}

struct node *make_node(const char *name) {
#ifdef A
    if (x) {
#else
    if (y) {
#endif
    }
    return NULL;
}
static inline void __attribute__((unused)) last(void) { }
int main(int argc, char **argv)
{
    for (int i = 0; i < 1; i++) { }
}
#endif
"#,
        "4 macro LIMIT | #define LIMIT 10
        5 macro MAX | #define MAX(a, b)
        9 type id_t | typedef unsigned int id_t
        10 struct point_t | typedef struct
        14 type compare_fn | typedef int (*compare_fn)(const void *, const void *)
        15 struct node | struct node
        18 enum color | enum color
        21 constant names | static const char *names[]
        24 function split_line | static int split_line(int a, int b)
        34 function make_node | struct node *make_node(const char *name)
        43 function last | static inline void __attribute__((unused)) last(void)
        44 function main | int main(int argc, char **argv)",
    );
}

#[test]
fn cpp() {
    outline(
        Language::Cpp,
        r#"namespace app::net {
// class Commented {};
constexpr int kLimit = 1'000;
class EXPORT Server final : public Base {
 public:
  Server(int port) : port_(port), name_("x") {
    start();
  }
  ~Server();
  virtual int run(const Options& options) const override;
  bool operator==(const Server& other) const { return true; }
  static Server* create();
 private:
  int port_ = 0;
  std::string text = R"(
class InString {
)";
};

template <typename T>
T Server::convert(T value) {
  switch (value) { case 1: return call(2); }
  foo(bar);
  return T();
}

template <class T> struct Pair { T left; };

Server::Server()
    : port_(1),
      name_("y") {
}

using Name = std::string;
enum class Color : int { Red };
auto run() -> int {
  return 1;
}
}  // namespace
extern "C" {
void exported(void) {}
}
"#,
        "1 module app::net | namespace app::net
        3 .constant kLimit | constexpr int kLimit = 1'000
        4 .class Server | class EXPORT Server final : public Base
        6 ..method Server | Server(int port) : port_(port), name_(\"x\")
        9 ..method ~Server | ~Server()
        10 ..method run | virtual int run(const Options& options) const override
        11 ..method operator== | bool operator==(const Server& other) const
        12 ..method create | static Server* create()
        21 .method convert | template <typename T> T Server::convert(T value)
        27 .struct Pair | template <class T> struct Pair
        29 .method Server | Server::Server()
        34 .type Name | using Name = std::string
        35 .enum Color | enum class Color : int
        36 .function run | auto run() -> int
        40 module extern \"C\" | extern \"C\"
        41 .function exported | void exported(void)",
    );
}

#[test]
fn zig() {
    outline(
        Language::Zig,
        r#"const std = @import("std");
// fn commented() void {}
pub const Limit: usize = 10;
pub const Point = struct {
    x: f32,
    const Self = @This();
    pub fn init(x: f32) Point {
        const local = 1;
        if (x > 1) { return .{ .x = x }; }
        return .{ .x = '{' };
    }
};
const Color = enum { red, green };
const text =
    \\pub fn inString() {
    \\"
;
export fn add(a: i32, b: i32) callconv(.C) i32 {
    while (true) {}
    return a + b;
}
test "addition works" {
    try expect(add(1, 2) == 3);
}
"#,
        "3 constant Limit | pub const Limit: usize = 10
        4 struct Point | pub const Point = struct
        7 .method init | pub fn init(x: f32) Point
        13 enum Color | const Color = enum
        14 constant text | const text
        18 function add | export fn add(a: i32, b: i32) callconv(.C) i32
        22 function addition works | test \"addition works\"",
    );
}

#[test]
fn swift() {
    outline(
        Language::Swift,
        r#"import Foundation
// class Commented {}
/* /* nested */ func commented() {} */
let limit = 10
@MainActor
public final class Store<T>: Base {
    private var items: [T] = []
    static let shared = Store()
    var count: Int {
        let local = 1
        return items.count
    }
    init?(name: String) {
        if name.isEmpty { return nil }
    }
    class func make() -> Store { Store() }
    @discardableResult public override func get(
        _ key: String,
        default other: T
    ) async throws -> T? {
        let text = """
        func inString() {}
        """
        guard let x = y else { return nil }
        for i in items { }
    }
}
protocol Shape { func draw() }
extension Store: Shape where T: Hashable {
    func draw() {}
}
enum Color { case red }
typealias Name = String
func + (left: Store, right: Store) -> Store { left }
"#,
        "4 constant limit | let limit = 10
        6 class Store | public final class Store<T>: Base
        7 .field items | private var items: [T] = []
        8 .field shared | static let shared = Store()
        9 .field count | var count: Int
        13 .method init | init?(name: String)
        16 .method make | class func make() -> Store
        17 .method get | @discardableResult public override func get(_ key: String, default other: T) async throws -> T?
        28 interface Shape | protocol Shape
        29 class Store | extension Store: Shape where T: Hashable
        30 .method draw | func draw()
        32 enum Color | enum Color
        33 type Name | typealias Name = String
        34 function + | func + (left: Store, right: Store) -> Store",
    );
}
