//! The grammars, and the queries that find the definitions of each.
//!
//! A query is the grammar's own tag query, where it has a usable one, followed by ours. A name that several patterns
//! match takes its kind and extent from the last of them, so ours correct the shipped ones: a Rust `struct` is tagged
//! as a class there, a Python method as a function. The shipped queries of C, C++ and Swift are not used: they capture
//! the declarator or the enclosing class instead of the definition, and with it the wrong lines.

use tree_sitter::{Query, QueryError};

use super::Language;

/// A language that can be parsed, and the query that finds its definitions.
pub(super) struct Grammar {
    pub(super) language: tree_sitter::Language,
    pub(super) query: Query,
}

const JAVASCRIPT: &str = include_str!("../queries/javascript.scm");
const METHODS_OF_FIELDS: &str = "(field_definition property: [(property_identifier) (private_property_identifier)] @name \
     value: [(arrow_function) (function_expression)]) @definition.method";
const TYPESCRIPT: [&str; 4] = [
    tree_sitter_javascript::TAGS_QUERY,
    tree_sitter_typescript::TAGS_QUERY,
    JAVASCRIPT,
    include_str!("../queries/typescript.scm"),
];
const C: &str = include_str!("../queries/c.scm");

/// The grammar of `language`.
///
/// # Errors
/// If the query is not one for this version of the grammar.
pub(super) fn of(language: Language) -> Result<Grammar, QueryError> {
    let (language, queries): (_, &[&str]) = match language {
        Language::C => (tree_sitter_c::LANGUAGE, &[C]),
        Language::Cpp => (tree_sitter_cpp::LANGUAGE, &[C, include_str!("../queries/cpp.scm")]),
        Language::Go => (tree_sitter_go::LANGUAGE, &[tree_sitter_go::TAGS_QUERY, include_str!("../queries/go.scm")]),
        Language::Java => {
            (tree_sitter_java::LANGUAGE, &[tree_sitter_java::TAGS_QUERY, include_str!("../queries/java.scm")])
        }
        Language::JavaScript => {
            (tree_sitter_javascript::LANGUAGE, &[tree_sitter_javascript::TAGS_QUERY, JAVASCRIPT, METHODS_OF_FIELDS])
        }
        Language::Lua => {
            (tree_sitter_lua::LANGUAGE, &[tree_sitter_lua::TAGS_QUERY, include_str!("../queries/lua.scm")])
        }
        Language::Python => {
            (tree_sitter_python::LANGUAGE, &[tree_sitter_python::TAGS_QUERY, include_str!("../queries/python.scm")])
        }
        Language::Rust => {
            (tree_sitter_rust::LANGUAGE, &[tree_sitter_rust::TAGS_QUERY, include_str!("../queries/rust.scm")])
        }
        Language::TypeScript => (tree_sitter_typescript::LANGUAGE_TYPESCRIPT, &TYPESCRIPT),
        Language::Tsx => (tree_sitter_typescript::LANGUAGE_TSX, &TYPESCRIPT),
        #[cfg(feature = "all")]
        Language::Bash => (tree_sitter_bash::LANGUAGE, &[include_str!("../queries/bash.scm")]),
        #[cfg(feature = "all")]
        Language::CSharp => {
            (tree_sitter_c_sharp::LANGUAGE, &[tree_sitter_c_sharp::TAGS_QUERY, include_str!("../queries/c_sharp.scm")])
        }
        #[cfg(feature = "all")]
        Language::Kotlin => (tree_sitter_kotlin_ng::LANGUAGE, &[include_str!("../queries/kotlin.scm")]),
        #[cfg(feature = "all")]
        Language::Php => {
            (tree_sitter_php::LANGUAGE_PHP, &[tree_sitter_php::TAGS_QUERY, include_str!("../queries/php.scm")])
        }
        #[cfg(feature = "all")]
        Language::Ruby => {
            (tree_sitter_ruby::LANGUAGE, &[tree_sitter_ruby::TAGS_QUERY, include_str!("../queries/ruby.scm")])
        }
        #[cfg(feature = "all")]
        Language::Scala => (tree_sitter_scala::LANGUAGE, &[include_str!("../queries/scala.scm")]),
        #[cfg(feature = "all")]
        Language::Swift => (tree_sitter_swift::LANGUAGE, &[include_str!("../queries/swift.scm")]),
    };
    let language = language.into();
    let query = Query::new(&language, &queries.join("\n"))?;
    Ok(Grammar { language, query })
}
