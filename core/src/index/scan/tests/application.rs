//! Java, C#, Kotlin, Scala, PHP, protobuf and SQL.

use super::{Language, outline};

#[test]
fn java() {
    outline(
        Language::Java,
        r#"package com.example;
import java.util.List;
/** class Commented { } */
@Service
public abstract class Store<T extends Item> extends Base implements Closeable {
    private static final int LIMIT = 10;
    private final List<T> items = new ArrayList<>();
    enum Color { RED(1), GREEN(2); Color(int x) { } }
    public Store(List<T> items) {
        super(items);
        this.items = items;
    }
    @Override
    public void close() throws IOException {
        if (items.isEmpty()) {
            return;
        }
        for (T item : items) { item.close(); }
        String text = """
            public void inString() {
            """;
        new Thread(new Runnable() {
            public void run() { }
        }).start();
        call(1);
    }
    @Deprecated public <R> Map<String, R> map(
            Function<T, R> f,
            int limit) {
        return other(f);
    }
    abstract T get(String key);
    interface Visitor { void visit(int x); }
    public record Pair(int left, int right) { }
}
@interface Marker { }
"#,
        "5 class Store | public abstract class Store<T extends Item> extends Base implements Closeable
        6 .constant LIMIT | private static final int LIMIT = 10
        8 .enum Color | enum Color
        9 .method Store | public Store(List<T> items)
        14 .method close | public void close() throws IOException
        27 .method map | @Deprecated public <R> Map<String, R> map(Function<T, R> f, int limit)
        32 .method get | abstract T get(String key)
        33 .interface Visitor | interface Visitor
        34 .struct Pair | public record Pair(int left, int right)
        36 interface Marker | @interface Marker",
    );
}

#[test]
fn csharp() {
    outline(
        Language::CSharp,
        r#"using System;
#if DEBUG
#region things {
#endif
namespace App.Core;
// class Commented { }
[Serializable]
public sealed class Store<T> : Base where T : class
{
    public const int Limit = 10;
    private static readonly string Name = @"
public void InString() {
";
    public int Count { get; private set; }
    public string Title => name;
    public event EventHandler Changed;
    public Store(int x) : base(x)
    {
        if (x > 1) { return; }
        foreach (var y in z) { Call(y); }
    }
    [HttpGet("x")] public async Task<T> Get<TKey>(TKey key, int other = 1)
    {
        using (var a = b()) { }
        lock (x) { }
        return await Other(key);
    }
    public static implicit operator int(Store<T> s) => 1;
    protected abstract void Run();
    struct Pair { }
    enum Color { Red }
}
public interface IShape { void Draw(); }
public record Person(string Name);
public delegate void Handler(int x);
"#,
        "5 module App.Core | namespace App.Core
        8 class Store | public sealed class Store<T> : Base where T : class
        10 .constant Limit | public const int Limit = 10
        11 .constant Name | private static readonly string Name = @\"
        14 .field Count | public int Count
        15 .field Title | public string Title
        17 .method Store | public Store(int x) : base(x)
        22 .method Get | [HttpGet(\"x\")] public async Task<T> Get<TKey>(TKey key, int other = 1)
        28 .method int | public static implicit operator int(Store<T> s)
        29 .method Run | protected abstract void Run()
        30 .struct Pair | struct Pair
        31 .enum Color | enum Color
        33 interface IShape | public interface IShape
        34 struct Person | public record Person(string Name)
        35 type Handler | public delegate void Handler(int x)",
    );
}

#[test]
fn kotlin() {
    outline(
        Language::Kotlin,
        r#"package com.example
// fun commented() {}
/* class Commented /* nested */ { */
const val LIMIT = 10
typealias Name = String
data class Point(val x: Int, val y: Int)
@Inject
sealed class Store<T>(
    private val items: List<T>,
) : Base() {
    val count: Int get() = items.size
    companion object {
        const val MAX = 5
    }
    override suspend fun get(key: String): T? {
        val local = 1
        if (key.isEmpty()) { return null }
        when (key) { "x" -> run { } }
        val text = """
            fun inString() {}
        """
        return find { it.key == '}' }
    }
    fun short() = items.size
}
interface Shape { fun draw() }
enum class Color { RED }
object Registry {
    fun <T> String.parse(to: T): T = TODO()
}
fun `names with blanks`() {}
"#,
        "4 constant LIMIT | const val LIMIT = 10
        5 type Name | typealias Name = String
        6 class Point | data class Point(val x: Int, val y: Int)
        8 class Store | sealed class Store<T>(private val items: List<T>) : Base()
        11 .field count | val count: Int get() = items.size
        12 .class companion | companion object
        13 ..constant MAX | const val MAX = 5
        15 .method get | override suspend fun get(key: String): T?
        24 .method short | fun short()
        26 interface Shape | interface Shape
        27 enum Color | enum class Color
        28 class Registry | object Registry
        29 .method parse | fun <T> String.parse(to: T): T
        31 function names with blanks | fun `names with blanks`()",
    );
}

#[test]
fn scala() {
    outline(
        Language::Scala,
        r#"package app
// def commented() = 1
package object things {
  type Name = String
  val Limit = 10
}
sealed trait Shape { def area: Double }
case class Circle(radius: Double) extends Shape {
  override def area: Double = {
    val local = 1
    if (radius > 1) { return 0 }
    radius match { case x if f(x) => x }
  }
  private[this] def helper[T](x: T)(implicit y: Int): T = x
  def +(other: Circle): Circle = other
}
object Circle {
  val text = """
  def inString() = 1
  """
  lazy val DEFAULT = new Circle(1)
  def apply(
      radius: Double,
      other: Char = '}'
  ): Circle = new Circle(radius)
}
final class Store(val x: Int)
"#,
        "3 class things | package object things
        4 .type Name | type Name = String
        5 .field Limit | val Limit = 10
        7 interface Shape | sealed trait Shape
        8 class Circle | case class Circle(radius: Double) extends Shape
        9 .method area | override def area: Double
        14 .method helper | private[this] def helper[T](x: T)(implicit y: Int): T
        15 .method + | def +(other: Circle): Circle
        17 class Circle | object Circle
        18 .field text | val text = \"\"\"
        21 .constant DEFAULT | lazy val DEFAULT = new Circle(1)
        22 .method apply | def apply(radius: Double, other: Char = '}'): Circle
        27 class Store | final class Store(val x: Int)",
    );
}

#[test]
fn php() {
    outline(
        Language::Php,
        r#"<?php
namespace App\Models;
use Foo\Bar;
# function commented() {}
// class Commented {}
const LIMIT = 10;
define('OTHER', 1);
#[Entity]
abstract class User extends Model implements Shape
{
    use Notifiable;
    public const TABLE = 'users';
    private $name = "{";
    public function __construct(
        private string $first,
        ?int $second = null,
    ) {
        if ($first) { return; }
        $this->call(function ($x) { return 1; });
        $text = <<<SQL
function in_heredoc() {
class Heredoc {
SQL;
        foreach ($a as $b) { foo($b); }
    }
    final protected static function &get(array $x): ?array { return $x; }
}
interface Shape { function draw(); }
trait Notifiable { }
enum Color: string { case Red = 'r'; }
function helper($x) { }
"#,
        "2 module App\\Models | namespace App\\Models
        6 constant LIMIT | const LIMIT = 10
        7 constant OTHER | define('OTHER', 1)
        9 class User | abstract class User extends Model implements Shape
        12 .constant TABLE | public const TABLE = 'users'
        14 .method __construct | public function __construct(private string $first, ?int $second = null)
        26 .method get | final protected static function &get(array $x): ?array
        28 interface Shape | interface Shape
        29 interface Notifiable | trait Notifiable
        30 enum Color | enum Color: string
        31 function helper | function helper($x)",
    );
}

#[test]
fn proto() {
    outline(
        Language::Proto,
        r#"syntax = "proto3";
package app.v1;
// message Commented {}
/* service Commented {
} */
import "other.proto";

message User {
  string name = 1;
  message Address {
    string street = 1;
  }
  oneof contact {
    string mail = 2;
  }
  enum Role { ADMIN = 0; }
  repeated Address addresses = 3;
  map<string, int32> counts = 4 [deprecated = true];
  string message = 5;
}

enum Color {
  RED = 0;
}

service Users {
  rpc Get(GetRequest) returns (User);
  rpc List(ListRequest) returns (stream User) {
    option (google.api.http) = { get: "/v1/users" };
  }
}
"#,
        "8 message User | message User
        10 .message Address | message Address
        13 .field contact | oneof contact
        16 .enum Role | enum Role
        22 enum Color | enum Color
        26 interface Users | service Users
        27 .method Get | rpc Get(GetRequest) returns (User)
        28 .method List | rpc List(ListRequest) returns (stream User)",
    );
}

#[test]
fn sql() {
    outline(
        Language::Sql,
        r#"-- CREATE TABLE commented (id int);
/* CREATE VIEW commented AS
SELECT 1; */
BEGIN;
CREATE TABLE IF NOT EXISTS app.users (
    id INTEGER PRIMARY KEY, -- the key
    name TEXT NOT NULL DEFAULT 'it''s'
);
create unique index concurrently users_name on users (name);
INSERT INTO users VALUES ('
CREATE TABLE in_string (id int);
');
CREATE OR REPLACE VIEW "active_users" AS SELECT * FROM users;
CREATE MATERIALIZED VIEW totals AS SELECT 1;
CREATE FUNCTION add(a integer,
    b integer) RETURNS integer AS 'x' LANGUAGE sql;
CREATE TRIGGER touch BEFORE UPDATE ON users;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE SCHEMA reporting;
CREATE USER nobody;
SELECT create_table(1);
ALTER TABLE users ADD COLUMN x int;
"#,
        "5 table users | CREATE TABLE IF NOT EXISTS app.users (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'it''s')
        9 key users_name | create unique index concurrently users_name on users (name)
        13 table active_users | CREATE OR REPLACE VIEW \"active_users\" AS SELECT * FROM users
        14 table totals | CREATE MATERIALIZED VIEW totals AS SELECT 1
        15 function add | CREATE FUNCTION add(a integer, b integer) RETURNS integer AS 'x' LANGUAGE sql
        17 function touch | CREATE TRIGGER touch BEFORE UPDATE ON users
        18 type mood | CREATE TYPE mood AS ENUM ('sad', 'ok')
        19 module reporting | CREATE SCHEMA reporting",
    );
}
