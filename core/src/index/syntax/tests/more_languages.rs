//! A realistic text per language of the feature `syntax-all`, and its symbols.

use super::assert_outline;
use crate::index::scan::Language;

#[test]
fn cpp() {
    assert_outline(
        Language::Cpp,
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
2-2 Macro LIMIT | #define LIMIT 4
3-19 Module geo | namespace geo
4-4   Type Id | using Id = int
5-5   Enum Color | enum class Color
6-15   Class Point | class Point : public Base
8-8     Method Point | Point(int x)
9-9     Method ~Point | ~Point()
10-10     Method x | int x() const
11-11     Method draw | virtual void draw(Canvas &c) = 0
12-12     Method operator+= | Point &operator+=(const Point &o)
17-17   Function max | T max(T a, T b)
18-18   Struct Pair | struct Pair
21-21 Method area | int geo::Point::area(int scale)
22-22 Method operator+= | Point &Point::operator+=(const Point &o)
23-23 Method ~Point | geo::Point::~Point()
24-24 Function helper | static int helper(void)
25-25 Function main | int main()
",
    );
}

#[test]
fn c_sharp() {
    assert_outline(
        Language::CSharp,
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
2-24 Module Shop.Orders | namespace Shop.Orders
5-18   Class Cart | public sealed class Cart<T> : IDisposable where T : class
7-7     Field Limit | private const int Limit = 3
8-8     Field Name | public string Name
9-9     Field Changed | public event EventHandler Changed
10-10     Method Cart | public Cart(int size)
12-16     Method AddAsync | public async Task<int> AddAsync(T item, int count = 1)
14-14       Function Local | int Local()
17-17     Method Dispose | public void Dispose()
19-19   Class Point | public record Point(int X, int Y)
20-20   Enum State | public enum State
21-21   Interface IStore | public interface IStore
21-21     Method Put | void Put(string key)
22-22   Type Handler | public delegate void Handler(object sender)
23-23   Struct Pair | struct Pair
23-23     Field A | public int A
",
    );
}

#[test]
fn kotlin() {
    assert_outline(
        Language::Kotlin,
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
3-3 Constant LIMIT | const val LIMIT = 10
4-4 Type Handler | typealias Handler = (String) -> Unit
7-20 Class User | data class User(val name: String) : Base()
8-8   Field cache | private val cache = mutableMapOf<String, Int>()
9-10   Field label | val label: String
12-15   Method save | override fun save(force: Boolean): Int
17-19   Class Factory | companion object Factory
18-18     Method create | fun create(): User
22-22 Interface Store | interface Store
22-22   Method get | fun get(key: String): String?
23-23 Enum Color | enum class Color
24-24 Class Registry | object Registry
25-25 Function load | suspend fun <T> load(path: String): T
",
    );
}

#[test]
fn lua() {
    assert_outline(
        Language::Lua,
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
1-1 Variable M | local M
2-2 Variable LIMIT | local LIMIT = 3
4-6 Function helper | local function helper(a, b)
8-10 Function open | function M.open(path)
12-12 Method close | function M:close() end
14-16 Function run | M.run = function(n)
",
    );
}

#[test]
fn php() {
    assert_outline(
        Language::Php,
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
2-2 Module App\Http | namespace App\Http
4-4 Constant LIMIT | const LIMIT = 3
7-20 Class Controller | final class Controller extends Base implements Handler
9-9   Constant NAME | public const NAME = 'x'
10-10   Field name | private ?string $name = null
12-12   Method __construct | public function __construct(private Repo $repo)
15-19   Method index | public static function index(Request $request): Response
22-22 Interface Handler | interface Handler
22-22   Method handle | public function handle(int $x): void
23-23 Interface Logs | trait Logs
24-24 Enum Suit | enum Suit: string
25-25 Function helper | function helper(array $a = [])
",
    );
}

#[test]
fn ruby() {
    assert_outline(
        Language::Ruby,
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
2-24 Module Shop | module Shop
3-3   Constant LIMIT | LIMIT = 3
6-23   Class Cart | class Cart < Base
9-11     Method initialize | def initialize(items = [])
13-13     Method open | def self.open(path)
15-17     Method empty? | def empty?
19-21     Method name= | def name=(value)
22-22     Method blank? | alias blank? empty?
26-28 Function helper | def helper(a, b: 1)
",
    );
}

#[test]
fn scala() {
    assert_outline(
        Language::Scala,
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
3-9 Class Main | object Main extends App
4-4   Field limit | val limit = 3
5-8   Method run | def run(args: Array[String]): Int
11-11 Interface Shape | sealed trait Shape
11-11   Method area | def area: Double
12-14 Class Circle | case class Circle(r: Double) extends Shape
13-13   Method area | override def area: Double
15-16 Enum Color | enum Color
18-21 Class Store | class Store[T](size: Int)
19-19   Type Key | type Key = String
20-21   Method get | def get(key: String): Option[T]
23-23 Function helper | def helper(x: Int)
",
    );
}

#[test]
fn swift() {
    assert_outline(
        Language::Swift,
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
3-3 Constant limit | let limit = 3
4-4 Type Handler | public typealias Handler = (String) -> Void
7-16 Class Store | public final class Store<T>: Base, Codable
8-8   Field items | private var items: [T] = []
9-9   Field count | var count: Int
10-10   Method init | init(size: Int)
12-15   Method get | func get(_ key: String) async throws -> T?
18-18 Struct Point | struct Point
18-18   Field x | var x: Int
19-21 Enum Color | enum Color
20-20   Method name | func name() -> String
22-22 Interface Shape | protocol Shape
22-22   Method area | func area() -> Double
23-25 Class Store | extension Store: Shape
24-24   Method area | func area() -> Double
26-26 Function helper | func helper(x: Int) -> Int
",
    );
}
