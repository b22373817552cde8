//! Python, JavaScript, TypeScript, Ruby, Lua, Bash, Elixir and Haskell.

use super::{Language, outline};

#[test]
fn python() {
    outline(
        Language::Python,
        r#""""Module.

def in_docstring():
    pass
"""
import os
# class Commented:
LIMIT: int = 10
NAMES = [
    "a",
]
lower = 1
if LIMIT == 2:
    def conditional(): pass


@decorator("def x():")
class Store(Base, metaclass=Meta):
    '''class InDocstring:'''
    FIELD = 1

    def __init__(self, x: int = 1, *,
                 y: Dict[str, int] = {"a": 1}) -> None:  # why
        self.x = x

    @property
    async def get(self):
        def inner(a):
            return a
        for x in y: pass
        text = f"""
    def in_string():
"""
        return inner(
            lambda: 1)

class Empty: pass

def after(x): return x
"#,
        "8 constant LIMIT | LIMIT: int = 10
        9 constant NAMES | NAMES = [
        14 function conditional | def conditional()
        18 class Store | class Store(Base, metaclass=Meta)
        22 .method __init__ | def __init__(self, x: int = 1, *, y: Dict[str, int] = {\"a\": 1}) -> None
        27 .method get | async def get(self)
        28 ..function inner | def inner(a)
        37 class Empty | class Empty
        39 function after | def after(x)",
    );
}

#[test]
fn javascript() {
    outline(
        Language::JavaScript,
        r#"import x from 'y';
// function commented() {}
/* class Commented {
} */
const LIMIT = 10;
const lower = require('z');
export const config = { a: 1 };
export default async function main(a, { b } = {}) {
  const inner = (x) => x;
  if (a) { return; }
  const text = `
function inTemplate() { ${a.map(y => { return `${y}`; })}
`;
  items.forEach(function named(x) { });
  for (const q of r) { call(q); }
}
function* generate() { }
class Store extends Base {
  static #count = 0;
  constructor(x) {
    super(x);
  }
  get name() { return /[/"{]+/.test(this.x); }
  async *list(a = ')') {
    switch (a) { case 1: break; }
  }
  #secret() { }
  handler = async (e) => { };
}
const arrow = async (a,
  b) => {
};
const single = x => x * 2;
exports.helper = function (x) { };
Store.prototype.extra = function () { };
module.exports = {
  method(a) { },
  other: function () { },
  arrow: (x) => x,
  value: 1,
};
(function () {
  function wrapped() { }
})();
"#,
        "5 constant LIMIT | const LIMIT = 10
        7 constant config | export const config
        8 function main | export default async function main(a, { b } = {})
        9 .function inner | const inner = (x)
        17 function generate | function* generate()
        18 class Store | class Store extends Base
        20 .method constructor | constructor(x)
        23 .method name | get name()
        24 .method list | async *list(a = ')')
        27 .method secret | #secret()
        28 .method handler | handler = async (e)
        30 function arrow | const arrow = async (a, b)
        33 function single | const single = x
        34 function helper | exports.helper = function (x)
        35 method extra | Store.prototype.extra = function ()
        37 .method method | method(a)
        38 .method other | other: function ()
        39 .method arrow | arrow: (x)
        43 .function wrapped | function wrapped()",
    );
}

#[test]
fn typescript() {
    outline(
        Language::TypeScript,
        r#"import { a } from './b';
// interface Commented {}
export interface Shape<T> extends Base {
  area(): number;
  readonly name: string;
}
export type Name = string | { a: number };
type Handler<T> = (x: T) => void;
declare module "things" {
  export function load(x: string): void;
}
export namespace Inner {
  export const enum Color { Red }
}
enum Plain { A }
@Component({ selector: 'x' })
export abstract class Store<T> implements Shape<T> {
  private readonly items: Map<string, T> = new Map();
  constructor(private http: Http, public y?: number) { super(); }
  public async get<K extends string>(
    key: K,
  ): Promise<T | undefined> {
    if (key) { return undefined; }
    const z: number = 1;
    return this.items.get(key);
  }
  abstract run(): void;
  @Input() set value(x: T) { }
  private handle = (e: Event): void => { };
}
export const make = <T,>(x: T): Store<T> => { };
export const reducer: Reducer<State> = (state, action) => state;
let counter = 0;
export function isShape(x: unknown): x is Shape<any> {
  return true;
}
describe('x', () => {
  it('works', async () => { });
});
"#,
        "3 interface Shape | export interface Shape<T> extends Base
        4 .method area | area(): number
        7 type Name | export type Name = string |
        8 type Handler | type Handler<T> = (x: T)
        9 module things | declare module \"things\"
        10 .function load | export function load(x: string): void
        12 module Inner | export namespace Inner
        13 .enum Color | export const enum Color
        15 enum Plain | enum Plain
        17 class Store | export abstract class Store<T> implements Shape<T>
        19 .method constructor | constructor(private http: Http, public y?: number)
        20 .method get | public async get<K extends string>(key: K): Promise<T | undefined>
        27 .method run | abstract run(): void
        28 .method value | @Input() set value(x: T)
        29 .method handle | private handle = (e: Event): void
        31 function make | export const make = <T,>(x: T): Store<T>
        32 function reducer | export const reducer: Reducer<State> = (state, action)
        34 function isShape | export function isShape(x: unknown): x is Shape<any>",
    );
}

#[test]
fn tsx() {
    outline(
        Language::Tsx,
        "export const Button: FC<Props> = ({ label, onClick }) => {
  const [x, setX] = useState(0);
  const handle = useCallback(() => { }, []);
  return <button onClick={() => setX(1)}>Don't {label}</button>;
};
export default function App() {
  return <Button />;
}
",
        "1 function Button | export const Button: FC<Props> = ({ label, onClick })
        6 function App | export default function App()",
    );
}

#[test]
fn ruby() {
    outline(
        Language::Ruby,
        r##"require 'x'
# def commented
=begin
class Commented
=end
module App
  LIMIT = 10
  class Store < Base
    attr_reader :name
    def initialize(name, other: nil)
      @name = "def x #{name} {"
      if name == "x"
        return
      end
    end

    def self.create(*args) = new(*args)

    def empty?
      text = <<~SQL
        def in_heredoc
        class Heredoc
      SQL
      items.each do |x| puts x end
    end

    private def secret!; end
    def ==(other)
      true
    end
    def name=(value); end
    class << self
      def build; end
    end
  end
end
def helper
end
"##,
        "6 module App | module App
        7 .constant LIMIT | LIMIT = 10
        8 .class Store | class Store < Base
        9 ..field name | attr_reader :name
        10 ..method initialize | def initialize(name, other: nil)
        17 ..method create | def self.create(*args) = new(*args)
        19 ..method empty? | def empty?
        27 ..method secret! | private def secret!
        28 ..method == | def ==(other)
        31 ..method name= | def name=(value)
        33 ..method build | def build
        37 function helper | def helper",
    );
}

#[test]
fn lua() {
    outline(
        Language::Lua,
        r#"-- function commented() end
--[[
function commented()
end
]]
local M = {}
LIMIT = 10
local text = [==[
function in_string() end
]] ]==]
local function helper(a, b)
  local inner = function(x) return x end
  if a then
    return call(function() end)
  end
  for i = 1, 10 do end
end
function M.new(name)
  local self = setmetatable({}, M)
  return self
end
function M:get(key) return self[key] end
M.set = function(self, key, value)
end
local s = "function fake()"
return M
"#,
        "7 constant LIMIT | LIMIT = 10
        11 function helper | local function helper(a, b)
        12 .function inner | local inner = function(x) return x end
        18 function new | function M.new(name)
        22 method get | function M:get(key) return self[key] end
        23 function set | M.set = function(self, key, value)",
    );
}

#[test]
fn bash() {
    outline(
        Language::Bash,
        r#"#!/usr/bin/env bash
# commented() {
set -euo pipefail
readonly LIMIT=10
export PATH="$PATH:/x"
usage() {
  cat <<'EOF'
in_heredoc() {
EOF
  echo "it's {" >&2
  if [ "$#" -lt 1 ]; then
    return 1
  fi
}
function build::all {
  local x=$(cmd "$1")
  awk '
function in_awk() {
' file
  case "$x" in
    a) run ;;
  esac
}
function with-both() ( : )
main() { usage "$@"; }
cat <<-END
	fake() {
	END
main "$@"
"#,
        "4 variable LIMIT | readonly LIMIT=10
        5 variable PATH | export PATH=\"$PATH:/x\"
        6 function usage | usage()
        15 function build::all | function build::all
        24 function with-both | function with-both() (:)
        25 function main | main()",
    );
}

#[test]
fn elixir() {
    outline(
        Language::Elixir,
        r#"defmodule App.Store do
  @moduledoc """
  def in_doc(x) do
  """
  # def commented
  @type t :: map()
  defstruct [:name]

  def get(key, opts \\ []) do
    if key do
      nil
    end
    Enum.map(x, fn y -> y end)
  end

  defp empty?(x), do: x == []

  defmacro unless(x) do
    quote do: x
  end

  @callback run(term) :: :ok
end

defprotocol App.Shape do
  def area(shape)
end

defimpl App.Shape, for: Map do
  def area(_), do: 1
end
"#,
        "1 module App.Store | defmodule App.Store
        6 .type t | @type t :: map()
        7 .struct defstruct | defstruct [:name]
        9 .function get | def get(key, opts \\\\ [])
        16 .function empty? | defp empty?(x), do: x == []
        18 .macro unless | defmacro unless(x)
        22 .method run | @callback run(term) :: :ok
        25 interface App.Shape | defprotocol App.Shape
        26 .function area | def area(shape)
        29 module App.Shape | defimpl App.Shape, for: Map
        30 .function area | def area(_), do: 1",
    );
}

#[test]
fn haskell() {
    outline(
        Language::Haskell,
        r#"{-# LANGUAGE OverloadedStrings #-}
{- data Commented = C
   {- nested -}
   commented :: Int
-}
module App.Store (Store, get') where

import Data.Map (Map)

-- data Commented
data Store a = Store
  { items :: Map String a
  , size  :: Int
  }

newtype Id = Id Int
type Name = String

class (Eq a) => Shape a where
  area :: a -> Double

instance Shape Store where
  area _ = 1

get' :: String -> Store a -> Maybe a
get' key store = lookup key (items store)
  where
    helper :: Int
    helper = 1
"#,
        "6 module App.Store | module App.Store (Store, get')
        11 type Store | data Store a = Store
        16 type Id | newtype Id = Id Int
        17 type Name | type Name = String
        19 interface Shape | class (Eq a) => Shape a
        22 class Shape | instance Shape Store
        25 function get' | get' :: String -> Store a -> Maybe a",
    );
}
