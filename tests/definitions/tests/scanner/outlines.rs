//! What `index.symbols` says of a realistic text in each language: line, kind, name and signature.

use loopmem::testing::index;

/// Asserts the definitions of a text in the language that files with `extension` are in.
#[track_caller]
fn assert_outline(extension: &str, text: &str, expected: &str) {
    let definitions = index::definitions(&format!("text.{extension}"), text.as_bytes());
    let line = |(name, kind, line, signature)| -> String {
        let kind: loopmem::index::Kind = kind;
        format!("{line} {} {name} | {signature}\n", kind.name())
    };
    let found: String = definitions.into_iter().map(line).collect();
    assert!(found.trim() == expected.trim(), "found:\n{found}\nexpected:\n{}\n", expected.trim());
}

#[test]
fn rust() {
    assert_outline(
        "rs",
        r#"//! A store.
use std::io;

/// How many.
pub const LIMIT: usize = 64;
static NAMES: [&str; 2] = [
    "a",
    "b",
];
pub type Result<T> = std::result::Result<T, io::Error>;

#[derive(Debug)]
pub struct Store<K> {
    map: Vec<K>,
}

pub enum State { Open, Closed }

pub trait Source: Send {
    type Item;
    fn next(&mut self) -> Option<Self::Item>;
    fn size(&self) -> usize { 0 }
}

impl<K: Ord> Source for Store<K>
where
    K: Clone,
{
    type Item = K;
    #[inline]
    fn next(&mut self) -> Option<K> {
        const STEP: usize = 1;
        None
    }
}

macro_rules! twice { ($e:expr) => { $e; $e } }

mod inner {
    pub(super) async fn run(
        a: u8,
        b: u8,
    ) -> u8 {
        a + b
    }
}
"#,
        "
5 constant LIMIT | pub const LIMIT: usize = 64
6 variable NAMES | static NAMES: [&str; 2]
10 type Result | pub type Result<T> = std::result::Result<T, io::Error>
13 struct Store | pub struct Store<K>
17 enum State | pub enum State
19 interface Source | pub trait Source: Send
20 type Item | type Item
21 method next | fn next(&mut self) -> Option<Self::Item>
22 method size | fn size(&self) -> usize
25 class Store | impl<K: Ord> Source for Store<K>
29 type Item | type Item = K
31 method next | fn next(&mut self) -> Option<K>
32 constant STEP | const STEP: usize = 1
37 macro twice | macro_rules! twice
39 module inner | mod inner
40 function run | pub(super) async fn run(a: u8, b: u8) -> u8
",
    );
}

#[test]
fn python() {
    assert_outline(
        "py",
        r#"import os

TIMEOUT = 30
ROUTES = {
    "a": 1,
}
TIMEOUT = 60


@dataclass
class User(Base):
    name: str
    role: str = "admin"

    @property
    def label(self) -> str:
        def inner():
            pass
        return self.name

    async def save(self, *, force: bool = False):
        """Save."""


def main(argv=None):
    return 0
"#,
        "
3 constant TIMEOUT | TIMEOUT = 30
4 constant ROUTES | ROUTES
11 class User | class User(Base)
12 field name | name: str
13 field role | role: str = \"admin\"
16 method label | def label(self) -> str
17 function inner | def inner()
21 method save | async def save(self, *, force: bool = False)
25 function main | def main(argv=None)
",
    );
}

#[test]
fn javascript() {
    assert_outline(
        "js",
        r#"'use strict';
const LIMIT = 10;
let table = {
  a: 1,
};
// Adds.
export const add = (a, b) => {
  return a + b;
};
export default class Server extends Base {
  constructor(port) { super(); }
  static async start({ port }) {
    const local = 1;
  }
  handler = () => 1;
  #secret() {}
}
function* ids() {}
exports.stop = function (code) {
  process.exit(code);
};
"#,
        "
2 constant LIMIT | const LIMIT = 10
3 variable table | let table
7 function add | export const add = (a, b)
10 class Server | export default class Server extends Base
11 method constructor | constructor(port)
12 method start | static async start({ port })
15 method handler | handler = ()
16 method #secret | #secret()
18 function ids | function* ids()
19 function stop | exports.stop = function (code)
",
    );
}

const TYPED: &str = r#"export interface Shape extends Named {
  area(): number;
}
export type Id = string | number;
type Big = {
  a: string;
};
export enum Color { Red, Green }
declare module "pkg" {
  export function load(name: string): void;
}
namespace Geo {
  export const origin: Point = { x: 0, y: 0 };
}
export abstract class Store<T> implements Shape {
  private readonly items: T[] = [];
  constructor(private size: number) { }
  abstract get(key: string): T;
  put = (key: string, value: T): void => {
    this.items.push(value);
  };
}
export async function open<T>(path: string): Promise<Store<T>> {
  return null as any;
}
export const LIMIT: number = 3;
"#;

const TYPED_OUTLINE: &str = r#"
1 interface Shape | export interface Shape extends Named
2 method area | area(): number
4 type Id | export type Id = string | number
5 type Big | type Big
8 enum Color | export enum Color
9 module pkg | declare module "pkg"
10 function load | export function load(name: string): void
12 module Geo | namespace Geo
13 constant origin | export const origin: Point
15 class Store | export abstract class Store<T> implements Shape
16 field items | private readonly items: T[] = []
17 method constructor | constructor(private size: number)
18 method get | abstract get(key: string): T
19 method put | put = (key: string, value: T): void
23 function open | export async function open<T>(path: string): Promise<Store<T>>
26 constant LIMIT | export const LIMIT: number = 3
"#;

#[test]
fn typescript() {
    assert_outline("ts", TYPED, TYPED_OUTLINE);
}

#[test]
fn tsx() {
    assert_outline("tsx", TYPED, TYPED_OUTLINE);
    assert_outline(
        "tsx",
        "export const App: React.FC<Props> = ({ name }) => {\n  return <Hello name={name} />;\n};\n\
         function Hello({ name }: Props) { return <b>{name}</b>; }\n",
        "
1 function App | export const App: React.FC<Props> = ({ name })
4 function Hello | function Hello({ name }: Props)
",
    );
}

#[test]
fn go() {
    assert_outline(
        "go",
        r#"package store

import "fmt"

const Limit = 10
const (
	A = iota
	B
)

var (
	ErrGone = errors.New("gone")
	table   = map[string]int{
		"a": 1,
	}
)

// Store keeps.
type Store struct {
	mu sync.Mutex
}

type (
	Reader interface {
		Read(p []byte) (int, error)
	}
	ID = string
	Handler func(w Writer) error
)

func (s *Store) Get(key string) (value string, ok bool) {
	local := 1
	return
}

func New[T any](opts ...Option) *Store { return nil }
"#,
        "
5 constant Limit | const Limit = 10
7 constant A | A = iota
8 constant B | B
12 variable ErrGone | ErrGone = errors.New(\"gone\")
13 variable table | table = map[string]int
19 struct Store | type Store struct
24 interface Reader | Reader interface
25 method Read | Read(p []byte) (int, error)
27 type ID | ID = string
28 type Handler | Handler func(w Writer) error
31 method Get | func (s *Store) Get(key string) (value string, ok bool)
36 function New | func New[T any](opts ...Option) *Store
",
    );
}

#[test]
fn java() {
    assert_outline(
        "java",
        r#"package a.b;

@Service
@Deprecated
public final class Orders<T> extends Base implements Runnable {
    private static final int LIMIT = 3;
    private final Map<String, T> byId = new HashMap<>();

    @Autowired
    public Orders(Repo repo) { this.repo = repo; }

    @Override
    public void run() throws IOException {
        int local = 1;
    }

    interface Listener { void on(Event e); }
    enum State { OPEN, CLOSED }
}

record Point(int x, int y) {}
@interface Marker { }
"#,
        "
5 class Orders | public final class Orders<T> extends Base implements Runnable
6 constant LIMIT | private static final int LIMIT = 3
7 field byId | private final Map<String, T> byId = new HashMap<>()
10 method Orders | public Orders(Repo repo)
13 method run | public void run() throws IOException
17 interface Listener | interface Listener
17 method on | void on(Event e)
18 enum State | enum State
21 struct Point | record Point(int x, int y)
22 interface Marker | @interface Marker
",
    );
}

#[test]
fn c() {
    assert_outline(
        "c",
        r#"#ifndef STORE_H
#define STORE_H
#define LIMIT 64
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))

typedef struct node {
    struct node *next;
} node;
typedef struct { int x; } point;
typedef int (*compare)(const void *, const void *);
enum color { RED, GREEN };
union value { int i; float f; };

extern int store_open(const char *path);
static const char *names[] = {
    "a",
};

static node *
find(node *head, int key)
{
    int local = 1;
    return head;
}

int main(int argc, char **argv) { return 0; }
#endif
"#,
        "
3 macro LIMIT | #define LIMIT 64
4 macro MAX | #define MAX(a, b)
7 struct node | typedef struct node
10 struct point | typedef struct { .. } point
11 type compare | typedef int (*compare)(const void *, const void *)
12 enum color | enum color
13 struct value | union value
15 function store_open | extern int store_open(const char *path)
16 constant names | static const char *names[]
21 function find | static node * find(node *head, int key)
27 function main | int main(int argc, char **argv)
",
    );
}

#[test]
fn cpp() {
    assert_outline(
        "cpp",
        r#"#include <vector>
#define LIMIT 4
namespace geo {
using Id = int;
enum class Color { Red };
class Point : public Base {
public:
  Point(int x) : x_(x) {}
  ~Point();
  int x() const { return x_; }
  virtual void draw(Canvas &c) = 0;
  Point &operator+=(const Point &o);
private:
  int x_;
};
template <typename T>
T max(T a, T b) { return a > b ? a : b; }
struct Pair { int a, b; };
}  // namespace geo

int geo::Point::area(int scale) { return 0; }
Point &Point::operator+=(const Point &o) { return *this; }
geo::Point::~Point() {}
static int helper(void);
int main() { auto f = [](int x) { return x; }; }
"#,
        "
2 macro LIMIT | #define LIMIT 4
3 module geo | namespace geo
4 type Id | using Id = int
5 enum Color | enum class Color
6 class Point | class Point : public Base
8 method Point | Point(int x)
9 method ~Point | ~Point()
10 method x | int x() const
11 method draw | virtual void draw(Canvas &c) = 0
12 method operator+= | Point &operator+=(const Point &o)
17 function max | template <typename T> T max(T a, T b)
18 struct Pair | struct Pair
21 method area | int geo::Point::area(int scale)
22 method operator+= | Point &Point::operator+=(const Point &o)
23 method ~Point | geo::Point::~Point()
24 function helper | static int helper(void)
25 function main | int main()
",
    );
}

#[test]
fn c_sharp() {
    assert_outline(
        "cs",
        r#"using System;
namespace Shop.Orders
{
    [Serializable]
    public sealed class Cart<T> : IDisposable where T : class
    {
        private const int Limit = 3;
        public string Name { get; set; }
        public event EventHandler Changed;
        public Cart(int size) { }
        [Obsolete]
        public async Task<int> AddAsync(T item, int count = 1)
        {
            int Local() => 1;
            return 1;
        }
        public void Dispose() => Close();
    }
    public record Point(int X, int Y);
    public enum State { Open, Closed }
    public interface IStore { void Put(string key); }
    public delegate void Handler(object sender);
    struct Pair { public int A; }
}
"#,
        "
2 module Shop.Orders | namespace Shop.Orders
5 class Cart | public sealed class Cart<T> : IDisposable where T : class
7 constant Limit | private const int Limit = 3
8 field Name | public string Name
9 field Changed | public event EventHandler Changed
10 method Cart | public Cart(int size)
12 method AddAsync | public async Task<int> AddAsync(T item, int count = 1)
14 function Local | int Local()
17 method Dispose | public void Dispose()
19 struct Point | public record Point(int X, int Y)
20 enum State | public enum State
21 interface IStore | public interface IStore
21 method Put | void Put(string key)
22 type Handler | public delegate void Handler(object sender)
23 struct Pair | struct Pair
23 field A | public int A
",
    );
}

#[test]
fn kotlin() {
    assert_outline(
        "kt",
        r#"package a.b

const val LIMIT = 10
typealias Handler = (String) -> Unit

@Serializable
data class User(val name: String) : Base() {
    private val cache = mutableMapOf<String, Int>()
    val label: String
        get() = name

    override fun save(force: Boolean): Int {
        val local = 1
        return local
    }

    companion object Factory {
        fun create(): User = User("x")
    }
}

interface Store { fun get(key: String): String? }
enum class Color { RED, GREEN }
object Registry
suspend fun <T> load(path: String): T = TODO()
"#,
        "
3 constant LIMIT | const val LIMIT = 10
4 type Handler | typealias Handler = (String) -> Unit
7 class User | data class User(val name: String) : Base()
8 field cache | private val cache = mutableMapOf<String, Int>()
9 field label | val label: String
12 method save | override fun save(force: Boolean): Int
17 class Factory | companion object Factory
18 method create | fun create(): User
22 interface Store | interface Store
22 method get | fun get(key: String): String?
23 enum Color | enum class Color
24 class Registry | object Registry
25 function load | suspend fun <T> load(path: String): T
",
    );
}

#[test]
fn lua() {
    assert_outline(
        "lua",
        r#"local M = {}
local LIMIT = 3

local function helper(a, b)
  return a + b
end

function M.open(path)
  local x = 1
end

function M:close() end

M.run = function(n)
  return n
end
return M
"#,
        "
1 variable M | local M = {}
2 constant LIMIT | local LIMIT = 3
4 function helper | local function helper(a, b)
8 function open | function M.open(path)
12 method close | function M:close() end
14 function run | M.run = function(n)
",
    );
}

#[test]
fn php() {
    assert_outline(
        "php",
        r#"<?php
namespace App\Http;

const LIMIT = 3;

#[Attr]
final class Controller extends Base implements Handler
{
    public const NAME = 'x';
    private ?string $name = null;

    public function __construct(private Repo $repo) {}

    #[Route('/a')]
    public static function index(Request $request): Response
    {
        $local = 1;
        return new Response();
    }
}

interface Handler { public function handle(int $x): void; }
trait Logs { }
enum Suit: string { case Hearts = 'H'; }
function helper(array $a = []) { return 1; }
"#,
        r"
2 module App\Http | namespace App\Http
4 constant LIMIT | const LIMIT = 3
7 class Controller | final class Controller extends Base implements Handler
9 constant NAME | public const NAME = 'x'
10 field name | private ?string $name = null
12 method __construct | public function __construct(private Repo $repo)
15 method index | public static function index(Request $request): Response
22 interface Handler | interface Handler
22 method handle | public function handle(int $x): void
23 interface Logs | trait Logs
24 enum Suit | enum Suit: string
25 function helper | function helper(array $a = [])
",
    );
}

#[test]
fn ruby() {
    assert_outline(
        "rb",
        r#"# frozen_string_literal: true
module Shop
  LIMIT = 3

  # A cart.
  class Cart < Base
    attr_reader :items

    def initialize(items = [])
      @items = items
    end

    def self.open(path) = new(path)

    def empty?
      @items.empty?
    end

    def name=(value)
      @name = value
    end
    alias blank? empty?
  end
end

def helper(a, b: 1)
  a
end
"#,
        "
2 module Shop | module Shop
3 constant LIMIT | LIMIT = 3
6 class Cart | class Cart < Base
7 field items | attr_reader :items
9 method initialize | def initialize(items = [])
13 method open | def self.open(path) = new(path)
15 method empty? | def empty?
19 method name= | def name=(value)
22 method blank? | alias blank? empty?
26 function helper | def helper(a, b: 1)
",
    );
}

#[test]
fn scala() {
    assert_outline(
        "scala",
        r#"package a.b

object Main extends App {
  val limit = 3
  def run(args: Array[String]): Int = {
    val local = 1
    local
  }
}

sealed trait Shape { def area: Double }
case class Circle(r: Double) extends Shape {
  override def area: Double = 3.14 * r * r
}
enum Color:
  case Red, Green

class Store[T](size: Int):
  type Key = String
  def get(key: String): Option[T] =
    None

def helper(x: Int) = x + 1
"#,
        "
3 class Main | object Main extends App
4 field limit | val limit = 3
5 method run | def run(args: Array[String]): Int
11 interface Shape | sealed trait Shape
11 method area | def area: Double
12 class Circle | case class Circle(r: Double) extends Shape
13 method area | override def area: Double
15 enum Color | enum Color
18 class Store | class Store[T](size: Int)
19 type Key | type Key = String
20 function get | def get(key: String): Option[T]
23 function helper | def helper(x: Int)
",
    );
}

#[test]
fn swift() {
    assert_outline(
        "swift",
        r#"import Foundation

let limit = 3
public typealias Handler = (String) -> Void

@MainActor
public final class Store<T>: Base, Codable {
    private var items: [T] = []
    var count: Int { items.count }
    init(size: Int) { }
    @discardableResult
    func get(_ key: String) async throws -> T? {
        let local = 1
        return nil
    }
}

struct Point { var x: Int }
enum Color { case red, green
    func name() -> String { "" }
}
protocol Shape { func area() -> Double }
extension Store: Shape {
    func area() -> Double { 0 }
}
func helper(x: Int) -> Int { x }
"#,
        "
3 constant limit | let limit = 3
4 type Handler | public typealias Handler = (String) -> Void
7 class Store | public final class Store<T>: Base, Codable
8 field items | private var items: [T] = []
9 field count | var count: Int
10 method init | init(size: Int)
12 method get | func get(_ key: String) async throws -> T?
18 struct Point | struct Point
18 field x | var x: Int
19 enum Color | enum Color
20 method name | func name() -> String
22 interface Shape | protocol Shape
22 method area | func area() -> Double
23 class Store | extension Store: Shape
24 method area | func area() -> Double
26 function helper | func helper(x: Int) -> Int
",
    );
}

#[test]
fn bash() {
    assert_outline(
        "sh",
        r#"#!/usr/bin/env bash
set -e
ROOT=/srv
readonly LIMIT=3
export PATH_EXTRA="$ROOT/bin"

usage() {
  local x=1
  echo "usage"
}
function build { make; }
ROOT=/opt
"#,
        "
3 variable ROOT | ROOT=/srv
4 variable LIMIT | readonly LIMIT=3
5 variable PATH_EXTRA | export PATH_EXTRA=\"$ROOT/bin\"
7 function usage | usage()
11 function build | function build
",
    );
}
