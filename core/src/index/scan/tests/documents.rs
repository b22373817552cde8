//! Markdown, TOML, YAML and style sheets.

use super::{Language, outline};

#[test]
fn markdown() {
    outline(
        Language::Markdown,
        "# Title; it's \"here\"

Text with # no heading.

## First part ##

```rust
# not a heading
```

~~~~
## nor this
~~~
### nor that
~~~~

    # indented code

### Nested   `code`
#hashtag
####### seven
## Second
",
        "1 heading Title; it's \"here\" | # Title; it's \"here\"
        5 .heading First part | ## First part ##
        19 ..heading Nested   `code` | ### Nested `code`
        22 .heading Second | ## Second",
    );
}

#[test]
fn toml() {
    outline(
        Language::Toml,
        r#"# comment = 1
title = "x"
list = [
  "a = 1",
  [1, 2],
]
text = """
[not.a.table]
key = 1
"""
[package]
name = "x"
dependencies = [
    "[no]",
]

[[bin]]
name = "y"

[target."cfg(unix)".dependencies]
libc = { version = "1" }
"#,
        "2 key title | title = \"x\"
        3 key list | list = [
        7 key text | text = \"\"\"
        11 table package | [package]
        17 table bin | [[bin]]
        20 table target.\"cfg(unix)\".dependencies | [target.\"cfg(unix)\".dependencies]",
    );
}

#[test]
fn yaml() {
    outline(
        Language::Yaml,
        "# comment: 1
---
name: build
on:
  push:
    branches: [main]
  pull_request:
\"quoted\": 1
script: |
  not: a key
  at: all
jobs:
  test:
    steps:
      - run: |
          key: no
  lint:
    x: 1
list:
- name: a
  value: b
url: http://example.com
",
        "3 key name | name: build
        4 key on | on
        5 .key push | push
        7 .key pull_request | pull_request
        8 key quoted | \"quoted\": 1
        9 key script | script: |
        12 key jobs | jobs
        13 .key test | test
        17 .key lint | lint
        19 key list | list
        22 key url | url: http://example.com",
    );
}

#[test]
fn css() {
    outline(
        Language::Css,
        r#"/* .commented { } */
@import url("x.css");
@mixin button($size: 1px) {
  padding: $size;
}
:root {
  --color: red;
  background: url(http://example.com/x.png);
}
.card > a:hover, .card::before {
  content: "{ .fake {";
  &:focus {
    color: blue; // .no {
  }
}
@media (max-width: 10px) {
  #main .item[data-x="y"] { color: red; }
}
@keyframes spin {
  from { left: 0; }
  100% { left: 1px; }
}
"#,
        "3 function button | @mixin button($size: 1px)
        6 selector :root | :root
        10 selector .card > a:hover, .card::before | .card > a:hover, .card::before
        12 .selector &:focus | &:focus
        17 .selector #main .item[data-x=\"y\"] | #main .item[data-x=\"y\"]
        19 function spin | @keyframes spin",
    );
}
