//! The language of a file, by its path.

/// A language that the scanner knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    Java,
    C,
    Cpp,
    CSharp,
    Ruby,
    Php,
    Bash,
    Kotlin,
    Swift,
    Scala,
    Lua,
    Markdown,
    Sql,
    Proto,
    Css,
    Toml,
    Yaml,
    Json,
    Html,
    Elixir,
    Haskell,
    Zig,
    /// Any other text. It has terms and no definitions.
    Other,
}

impl Language {
    /// The language of the file at `path`, by its name or extension in any case. Only the last step of the path counts.
    pub fn of_path(path: &[u8]) -> Self {
        let name = path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or(path);
        let mut lower = [0; 24];
        let name = match lower.get_mut(..name.len()) {
            Some(lower) => {
                lower.copy_from_slice(name);
                lower.make_ascii_lowercase();
                &*lower
            }
            // Only the end of a long name matters.
            None => {
                let end = name.get(name.len().saturating_sub(lower.len())..).unwrap_or(&[]);
                for (lower, byte) in lower.iter_mut().zip(end) {
                    *lower = byte.to_ascii_lowercase();
                }
                &lower
            }
        };
        if let Some(language) = Self::of_name(name) {
            return language;
        }
        match name.iter().rposition(|byte| *byte == b'.') {
            Some(dot) => Self::of_extension(name.get(dot + 1..).unwrap_or(&[])),
            None => Self::Other,
        }
    }

    fn of_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"rakefile" | b"gemfile" | b"guardfile" | b"podfile" | b"fastfile" | b"vagrantfile" | b"brewfile" => {
                Self::Ruby
            }
            b".bashrc" | b".bash_profile" | b".profile" | b".zshrc" | b".envrc" | b"pkgbuild" => Self::Bash,
            b"sconstruct" | b"sconscript" | b"wscript" => Self::Python,
            b"pipfile" => Self::Toml,
            b".clang-format" | b".clang-tidy" => Self::Yaml,
            b".babelrc" | b".eslintrc" | b".prettierrc" => Self::Json,
            _ => return None,
        })
    }

    fn of_extension(extension: &[u8]) -> Self {
        match extension {
            b"rs" => Self::Rust,
            b"py" | b"pyi" | b"pyw" | b"pyx" | b"pxd" | b"bzl" => Self::Python,
            b"js" | b"mjs" | b"cjs" | b"jsx" | b"es6" => Self::JavaScript,
            b"ts" | b"mts" | b"cts" => Self::TypeScript,
            b"tsx" => Self::Tsx,
            b"go" => Self::Go,
            b"java" => Self::Java,
            b"c" | b"h" => Self::C,
            b"cpp" | b"cc" | b"cxx" | b"c++" | b"hpp" | b"hh" | b"hxx" | b"h++" | b"ipp" | b"inl" | b"tpp" | b"cu"
            | b"cuh" => Self::Cpp,
            b"cs" | b"csx" => Self::CSharp,
            b"rb" | b"rake" | b"gemspec" | b"ru" => Self::Ruby,
            b"php" | b"phtml" => Self::Php,
            b"sh" | b"bash" | b"zsh" | b"ksh" | b"bats" => Self::Bash,
            b"kt" | b"kts" => Self::Kotlin,
            b"swift" => Self::Swift,
            b"scala" | b"sc" | b"sbt" => Self::Scala,
            b"lua" | b"luau" => Self::Lua,
            b"md" | b"markdown" | b"mdx" => Self::Markdown,
            b"sql" | b"ddl" | b"psql" => Self::Sql,
            b"proto" => Self::Proto,
            b"css" | b"scss" | b"less" => Self::Css,
            b"toml" => Self::Toml,
            b"yml" | b"yaml" => Self::Yaml,
            b"json" | b"jsonc" | b"json5" => Self::Json,
            b"html" | b"htm" | b"xhtml" => Self::Html,
            b"ex" | b"exs" => Self::Elixir,
            b"hs" => Self::Haskell,
            b"zig" => Self::Zig,
            _ => Self::Other,
        }
    }

    /// The name in lower case, such as `rust`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::TypeScript => "typescript",
            Self::Tsx => "tsx",
            Self::Go => "go",
            Self::Java => "java",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::CSharp => "csharp",
            Self::Ruby => "ruby",
            Self::Php => "php",
            Self::Bash => "bash",
            Self::Kotlin => "kotlin",
            Self::Swift => "swift",
            Self::Scala => "scala",
            Self::Lua => "lua",
            Self::Markdown => "markdown",
            Self::Sql => "sql",
            Self::Proto => "proto",
            Self::Css => "css",
            Self::Toml => "toml",
            Self::Yaml => "yaml",
            Self::Json => "json",
            Self::Html => "html",
            Self::Elixir => "elixir",
            Self::Haskell => "haskell",
            Self::Zig => "zig",
            Self::Other => "other",
        }
    }

    /// Whether it is a programming language, as opposed to a document, data, markup or style sheets.
    pub fn is_code(self) -> bool {
        !matches!(self, Self::Markdown | Self::Css | Self::Toml | Self::Yaml | Self::Json | Self::Html | Self::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn a_language_is_known_by_the_last_step_of_a_path() {
        for (path, language) in [
            ("src/lib.rs", Language::Rust),
            ("A.PY", Language::Python),
            ("web/App.tsx", Language::Tsx),
            ("x.d.ts", Language::TypeScript),
            ("a/b.c/Rakefile", Language::Ruby),
            ("a/b.rs/noextension", Language::Other),
            ("a_name_that_is_longer_than_any_buffer_here.service.proto", Language::Proto),
            ("src\\main.cc", Language::Cpp),
            ("Cargo.lock", Language::Other),
            (".rs", Language::Rust),
            ("", Language::Other),
        ] {
            assert_eq!(Language::of_path(path.as_bytes()), language, "{path}");
        }
    }
}
