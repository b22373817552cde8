//! A realistic text per language of the feature `syntax`, and its symbols.

use super::assert_outline;
use crate::index::scan::Language;

#[test]
fn rust() {
    assert_outline(
        Language::Rust,
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
5-5 Constant LIMIT | pub const LIMIT: usize = 64
6-9 Constant NAMES | static NAMES: [&str; 2]
10-10 Type Result | pub type Result<T> = std::result::Result<T, io::Error>
13-15 Struct Store | pub struct Store<K>
17-17 Enum State | pub enum State
19-23 Interface Source | pub trait Source: Send
20-20   Type Item | type Item
21-21   Method next | fn next(&mut self) -> Option<Self::Item>
22-22   Method size | fn size(&self) -> usize
25-35 Class Store | impl<K: Ord> Source for Store<K> where K: Clone
29-29   Type Item | type Item = K
31-34   Method next | fn next(&mut self) -> Option<K>
32-32     Constant STEP | const STEP: usize = 1
37-37 Macro twice | macro_rules! twice
39-46 Module inner | mod inner
40-45   Function run | pub(super) async fn run( a: u8, b: u8, ) -> u8
",
    );
}

#[test]
fn python() {
    assert_outline(
        Language::Python,
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
3-3 Constant TIMEOUT | TIMEOUT = 30
4-6 Constant ROUTES | ROUTES
11-22 Class User | class User(Base)
12-12   Field name | name: str
13-13   Field role | role: str = \"admin\"
16-19   Method label | def label(self) -> str
17-18     Function inner | def inner()
21-22   Method save | async def save(self, *, force: bool = False)
25-26 Function main | def main(argv=None)
",
    );
}

#[test]
fn javascript() {
    assert_outline(
        Language::JavaScript,
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
2-2 Constant LIMIT | const LIMIT = 10
3-5 Constant table | let table
7-9 Function add | export const add = (a, b) =>
10-17 Class Server | export default class Server extends Base
11-11   Method constructor | constructor(port)
12-14   Method start | static async start({ port })
15-15   Method handler | handler = () =>
16-16   Method #secret | #secret()
18-18 Function ids | function* ids()
19-21 Function stop | exports.stop = function (code)
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
1-3 Interface Shape | export interface Shape extends Named
2-2   Method area | area(): number
4-4 Type Id | export type Id = string | number
5-7 Type Big | type Big
8-8 Enum Color | export enum Color
9-11 Module "pkg" | declare module "pkg"
10-10   Function load | export function load(name: string): void
12-14 Module Geo | namespace Geo
15-22 Class Store | export abstract class Store<T> implements Shape
16-16   Field items | private readonly items: T[] = []
17-17   Method constructor | constructor(private size: number)
18-18   Method get | abstract get(key: string): T
19-21   Method put | put = (key: string, value: T): void =>
23-25 Function open | export async function open<T>(path: string): Promise<Store<T>>
26-26 Constant LIMIT | export const LIMIT: number = 3
"#;

#[test]
fn typescript() {
    assert_outline(Language::TypeScript, TYPED, TYPED_OUTLINE);
}

#[test]
fn tsx() {
    assert_outline(Language::Tsx, TYPED, TYPED_OUTLINE);
    assert_outline(
        Language::Tsx,
        "export const App: React.FC<Props> = ({ name }) => {\n  return <Hello name={name} />;\n};\n\
         function Hello({ name }: Props) { return <b>{name}</b>; }\n",
        "
1-3 Function App | export const App: React.FC<Props> = ({ name }) =>
4-4 Function Hello | function Hello({ name }: Props)
",
    );
}

#[test]
fn go() {
    assert_outline(
        Language::Go,
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
5-5 Constant Limit | const Limit = 10
7-7 Constant A | A = iota
8-8 Constant B | B
12-12 Variable ErrGone | ErrGone = errors.New(\"gone\")
13-15 Variable table | table
19-21 Struct Store | type Store struct
24-26 Interface Reader | Reader interface
25-25   Method Read | Read(p []byte) (int, error)
27-27 Type ID | ID = string
28-28 Type Handler | Handler func(w Writer) error
31-34 Method Get | func (s *Store) Get(key string) (value string, ok bool)
36-36 Function New | func New[T any](opts ...Option) *Store
",
    );
}

#[test]
fn java() {
    assert_outline(
        Language::Java,
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
5-19 Class Orders | public final class Orders<T> extends Base implements Runnable
6-6   Field LIMIT | private static final int LIMIT = 3
7-7   Field byId | private final Map<String, T> byId = new HashMap<>()
10-10   Method Orders | public Orders(Repo repo)
13-15   Method run | public void run() throws IOException
17-17   Interface Listener | interface Listener
17-17     Method on | void on(Event e)
18-18   Enum State | enum State
21-21 Class Point | record Point(int x, int y)
22-22 Interface Marker | @interface Marker
",
    );
}

#[test]
fn c() {
    assert_outline(
        Language::C,
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
3-3 Macro LIMIT | #define LIMIT 64
4-5 Macro MAX | #define MAX(a, b)
7-9 Type node | typedef struct node { .. } node
10-10 Type point | typedef struct { .. } point
11-11 Type compare | typedef int (*compare)(const void *, const void *)
12-12 Enum color | enum color
13-13 Struct value | union value
15-15 Function store_open | extern int store_open(const char *path)
16-18 Variable names | static const char *names[]
20-25 Function find | static node * find(node *head, int key)
27-27 Function main | int main(int argc, char **argv)
",
    );
}
