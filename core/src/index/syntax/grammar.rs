//! The grammars of this build and their compiled queries, one per language and process.
//!
//! A query is the grammar's own tag query, where it has a usable one, followed by ours. A name that several patterns
//! match takes its kind and extent from the last of them, so ours correct the shipped ones: a Rust `struct` is tagged
//! as a class there, a Python method as a function. The shipped queries of C, C++ and Swift are not used: they capture
//! the declarator or the enclosing class instead of the definition, and with it the wrong lines.

use std::sync::OnceLock;

use tree_sitter::{CaptureQuantifier, Query};

use super::super::scan::{Kind, Language};

/// A language that can be parsed, and the query that finds its definitions.
pub(super) struct Grammar {
    pub(super) language: tree_sitter::Language,
    pub(super) query: Query,
    /// The capture `@name`.
    pub(super) name: u32,
    /// What each capture defines, by capture index; `None` for captures that are not definitions.
    pub(super) kinds: Vec<Option<Kind>>,
}

impl Grammar {
    /// Compiles the concatenated queries; `None` if they are not valid for this version of the grammar.
    fn compile(language: tree_sitter::Language, queries: &[&str]) -> Option<Self> {
        let mut query = Query::new(&language, &queries.join("\n")).ok()?;
        let name = query.capture_index_for_name("name")?;
        let kinds: Vec<Option<Kind>> = query.capture_names().iter().map(|capture| kind(capture)).collect();
        // References and documentation are not asked for; patterns without a definition would only cost time.
        for pattern in 0..query.pattern_count() {
            let quantifiers = query.capture_quantifiers(pattern);
            let defines =
                kinds.iter().zip(quantifiers).any(|(kind, q)| kind.is_some() && *q != CaptureQuantifier::Zero);
            if !defines {
                query.disable_pattern(pattern);
            }
        }
        Some(Self { language, query, name, kinds })
    }
}

/// The kind that a capture such as `definition.method` stands for.
fn kind(capture: &str) -> Option<Kind> {
    Some(match capture.strip_prefix("definition.")? {
        "function" => Kind::Function,
        "method" => Kind::Method,
        "class" => Kind::Class,
        "struct" => Kind::Struct,
        "enum" => Kind::Enum,
        "interface" => Kind::Interface,
        "type" => Kind::Type,
        "module" => Kind::Module,
        "constant" => Kind::Constant,
        "variable" => Kind::Variable,
        "macro" => Kind::Macro,
        "field" | "property" => Kind::Field,
        _ => return None,
    })
}

macro_rules! compiled {
    ($language:expr, $($query:expr),+ $(,)?) => {{
        static GRAMMAR: OnceLock<Option<Grammar>> = OnceLock::new();
        GRAMMAR.get_or_init(|| Grammar::compile($language.into(), &[$($query),+])).as_ref()
    }};
}

const JAVASCRIPT: &str = include_str!("queries/javascript.scm");
const TYPESCRIPT: &str = include_str!("queries/typescript.scm");
const C: &str = include_str!("queries/c.scm");

/// The grammar of `language`; `None` if the build has none or its query does not compile.
pub(super) fn of(language: Language) -> Option<&'static Grammar> {
    match language {
        Language::C => compiled!(tree_sitter_c::LANGUAGE, C),
        Language::Go => {
            compiled!(tree_sitter_go::LANGUAGE, tree_sitter_go::TAGS_QUERY, include_str!("queries/go.scm"))
        }
        Language::Java => {
            compiled!(tree_sitter_java::LANGUAGE, tree_sitter_java::TAGS_QUERY, include_str!("queries/java.scm"))
        }
        Language::JavaScript => compiled!(
            tree_sitter_javascript::LANGUAGE,
            tree_sitter_javascript::TAGS_QUERY,
            JAVASCRIPT,
            "(field_definition property: (property_identifier) @name value: [(arrow_function) (function_expression)]) @definition.method",
        ),
        Language::Python => {
            compiled!(tree_sitter_python::LANGUAGE, tree_sitter_python::TAGS_QUERY, include_str!("queries/python.scm"))
        }
        Language::Rust => {
            compiled!(tree_sitter_rust::LANGUAGE, tree_sitter_rust::TAGS_QUERY, include_str!("queries/rust.scm"))
        }
        Language::TypeScript => compiled!(
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            tree_sitter_javascript::TAGS_QUERY,
            tree_sitter_typescript::TAGS_QUERY,
            JAVASCRIPT,
            TYPESCRIPT,
        ),
        Language::Tsx => compiled!(
            tree_sitter_typescript::LANGUAGE_TSX,
            tree_sitter_javascript::TAGS_QUERY,
            tree_sitter_typescript::TAGS_QUERY,
            JAVASCRIPT,
            TYPESCRIPT,
        ),
        other => more(other),
    }
}

#[cfg(feature = "syntax-all")]
fn more(language: Language) -> Option<&'static Grammar> {
    match language {
        Language::Bash => compiled!(tree_sitter_bash::LANGUAGE, include_str!("queries/bash.scm")),
        Language::Cpp => compiled!(tree_sitter_cpp::LANGUAGE, C, include_str!("queries/cpp.scm")),
        Language::CSharp => compiled!(
            tree_sitter_c_sharp::LANGUAGE,
            tree_sitter_c_sharp::TAGS_QUERY,
            include_str!("queries/c_sharp.scm"),
        ),
        Language::Kotlin => compiled!(tree_sitter_kotlin_ng::LANGUAGE, include_str!("queries/kotlin.scm")),
        Language::Lua => {
            compiled!(tree_sitter_lua::LANGUAGE, tree_sitter_lua::TAGS_QUERY, include_str!("queries/lua.scm"))
        }
        Language::Php => {
            compiled!(tree_sitter_php::LANGUAGE_PHP, tree_sitter_php::TAGS_QUERY, include_str!("queries/php.scm"))
        }
        Language::Ruby => {
            compiled!(tree_sitter_ruby::LANGUAGE, tree_sitter_ruby::TAGS_QUERY, include_str!("queries/ruby.scm"))
        }
        Language::Scala => compiled!(tree_sitter_scala::LANGUAGE, include_str!("queries/scala.scm")),
        Language::Swift => compiled!(tree_sitter_swift::LANGUAGE, include_str!("queries/swift.scm")),
        _ => None,
    }
}

#[cfg(not(feature = "syntax-all"))]
fn more(_: Language) -> Option<&'static Grammar> {
    None
}
