//! What the symbols show beyond a map: constants, fields, nested functions, and several definitions on a line.

use super::super::definitions;
use super::Language;

/// Asserts that the symbols of `text` are `expected`, each as its line, kind and name, and that a map shows only some.
#[track_caller]
fn symbols(language: Language, text: &str, expected: &str) {
    let found = definitions(language, text.as_bytes(), &|| Ok(())).unwrap();
    let found: Vec<String> = found.iter().map(|it| format!("{} {} {}", it.line, it.kind.name(), it.name)).collect();
    assert_eq!(found.join("; "), expected, "{}", language.name());
    assert!(super::scan(language, text).definitions.len() < found.len());
}

#[test]
fn constants_and_fields_of_scripts() {
    symbols(
        Language::Python,
        "import os\nlogger = os.get()\nif x:\n    NAME = 1\n    other: int = 2\nelse:\n    hidden = 3\nclass A:\n    field = 1\n    typed: str\n    def f(self):\n        local = 1\n        def inner(): pass\nprint(a=1)\n",
        "2 constant logger; 4 constant NAME; 5 constant other; 8 class A; 9 field field; 10 field typed; 11 method f; 13 function inner",
    );
    symbols(
        Language::Lua,
        "local path = require 'path'\nlocal a, b = 1, 2\nlocal unset\nlocal t = { run = function() end, n = 1 }\n",
        "1 variable path; 2 variable a; 4 variable t; 4 function run",
    );
    symbols(
        Language::Bash,
        "name=value\nOTHER=\"$(cat \"a b\")\"  # why\nLC_ALL=C sort\nif x; then\n  inner=1\nfi\nexport PLAIN=1\n",
        "1 variable name; 2 variable OTHER; 7 variable PLAIN",
    );
    symbols(
        Language::Ruby,
        "class A::B < C\n  Error = Class.new(D)\n  alias old? new?\n  def self.[](key) end\nend\n",
        "1 class B; 2 constant Error; 3 method old?; 4 method []",
    );
    symbols(
        Language::Php,
        "<?php\nclass A {\n  private ?int $count = 0, $other;\n  public $name;\n  function f($x) { $local = 1; }\n}\n",
        "2 class A; 3 field count; 3 field other; 4 field name; 5 method f",
    );
}

#[test]
fn functions_wherever_they_are_assigned() {
    symbols(
        Language::JavaScript,
        "var a = 1, f = function named() {}, b;\nx.y = z.w = (q) => q;\ncall(function inner() { g = () => 1 });\nconst o = { m() {}, n: async () => {}, k: 1 };\nfunction one() {} function two() { return function three() {} }\nlet c =\n  1\n",
        "1 variable a; 1 function named; 1 function f; 1 variable b; 2 function w; 3 function inner; 3 function g; 4 constant o; 4 method m; 4 method n; 5 function one; 5 function two; 5 function three; 6 variable c",
    );
    symbols(
        Language::TypeScript,
        "export class A extends B<{ x: number }> {\n  private readonly count = 1;\n  name?: string;\n  handler = () => {};\n  get size() { return 1 }\n}\ninterface I { f(): void; g: () => void }\ntype T = { h(): void; i: string };\n",
        "1 class A; 2 field count; 3 field name; 4 method handler; 5 method size; 7 interface I; 7 method f; 8 type T; 8 method h",
    );
}

#[test]
fn members_and_local_types_of_systems_languages() {
    symbols(
        Language::Java,
        "class A {\n  private int a, b = 1;\n  @Nullable Map<K, V> map;\n  Runnable r = new Runnable() {\n    public void run() { int local = 1; }\n  };\n  enum E {\n    ONE {\n      int f() { return 1; }\n    }\n  }\n}\n",
        "1 class A; 2 field a; 2 field b; 3 field map; 4 field r; 5 method run; 7 enum E; 9 method f",
    );
    symbols(
        Language::CSharp,
        "class A {\n  event Handler Changed;\n  int _x = 1;\n  string Name\n  {\n    get; set;\n  }\n  A(string t = @\"a \"\" {\") : base(t) {}\n}\n",
        "1 class A; 2 field Changed; 3 field _x; 4 field Name; 8 method A",
    );
    symbols(
        Language::Go,
        "type R interface {\n\tRead(p []byte) (int, error)\n\tio.Closer\n}\nvar a, b sync.Mutex\nfunc f() {\n\ttype local struct{}\n}\n",
        "1 interface R; 2 method Read; 5 variable a; 5 variable b; 6 function f; 7 struct local",
    );
    symbols(
        Language::Rust,
        "fn f() {\n    const LOCAL: u8 = 1;\n    let x = quote! { fn generated() {} };\n}\nmacro_rules! m { () => { fn hidden() {} } }\nextern \"C\" { fn c(); fn d(); }\nimpl From<[u8; 2]> for A {}\n",
        "1 function f; 2 constant LOCAL; 5 macro m; 6 function c; 6 function d; 7 class A",
    );
    symbols(
        Language::C,
        "int declared(int x);\nstatic char *names[] = { \"a\" }, *other = 0;\n#define lower 1\ntypedef struct tag { int x; } name_t;\nint old(a) int a; { return a; }\ntypedef void (CALL *callback)(int);\n",
        "1 function declared; 2 variable names; 2 variable other; 3 macro lower; 4 struct tag; 4 struct name_t; 5 function old; 6 type callback",
    );
    symbols(
        Language::Cpp,
        "namespace a { int f(); int x = 1; }\nA::~A() = default;\nint A::count = 0;\nvoid g() { struct Local { void h() {} }; auto c = u8'a'; }\nclass B : public F<int(int)> {};\n",
        "1 module a; 1 function f; 1 variable x; 2 method ~A; 3 variable count; 4 function g; 4 struct Local; 4 method h; 5 class B",
    );
}
