//! Shell texts of the feature `syntax-all`, and their symbols.

use super::assert_outline;
use crate::index::scan::Language;

#[test]
fn bash() {
    assert_outline(
        Language::Bash,
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
3-3 Variable ROOT | ROOT=/srv
4-4 Variable LIMIT | readonly LIMIT=3
5-5 Variable PATH_EXTRA | export PATH_EXTRA=\"$ROOT/bin\"
7-10 Function usage | usage()
11-11 Function build | function build
",
    );
}
