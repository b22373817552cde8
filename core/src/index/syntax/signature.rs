//! The one-line signature of a definition: its text up to the body, whitespace collapsed.

use tree_sitter::Node;

use super::symbol::MAX_SIGNATURE;

/// Fields that lead from a definition to the node that holds its body, as in `const f = () => { … }`.
const TOWARDS_BODY: [&str; 6] = ["value", "right", "type", "default_value", "computed_value", "declarator"];

/// Children that begin a body in grammars without a field for it.
const BODIES: [&str; 18] = [
    "{",
    "accessor_list",
    "block",
    "class_body",
    "declaration_list",
    "do_block",
    "enum_body",
    "enum_class_body",
    "field_declaration_list",
    "field_initializer_list",
    "function_body",
    "getter",
    "indented_block",
    "property_hook_list",
    "setter",
    "statements",
    "template_body",
    "willset_didset_block",
];

/// Children before the declaration that are not part of it.
const ATTRIBUTES: [&str; 9] = [
    "annotation",
    "attribute",
    "attribute_declaration",
    "attribute_item",
    "attribute_list",
    "comment",
    "decorator",
    "line_comment",
    "marker_annotation",
];

/// Keywords that may stand before a captured node on its line: `export const f`, Go's `type T struct`.
const LEADING_WORDS: [&[u8]; 7] = [b"const", b"declare", b"default", b"export", b"let", b"type", b"var"];

/// How far a child list is searched, and how far back a line is: signatures begin with a few nodes and words.
const NEAR: usize = 64;

/// The name of a definition; bytes that are not UTF-8 are replaced.
pub(super) fn name(node: Node<'_>, text: &[u8]) -> String {
    let mut line = Line::default();
    line.push(text.get(node.byte_range()).unwrap_or_default());
    line.finish()
}

/// The signature of a definition, and the node it begins with.
pub(super) fn of<'tree>(node: Node<'tree>, name: Node<'tree>, text: &[u8]) -> (String, Node<'tree>) {
    let first = first(node, name);
    let start = first.start_byte();
    let end = node.end_byte();
    let cut = body(node, name).unwrap_or(end).clamp(start, end);
    let mut line = Line::default();
    line.push(leading_words(text, start));
    line.push(text.get(start..cut).unwrap_or_default());
    line.trim();
    if name.start_byte() >= cut && cut < end {
        // `typedef struct { … } name;`: the name follows the body.
        line.push(b" { .. } ");
        line.push(text.get(name.start_byte()..end).unwrap_or_default());
        line.trim();
    }
    (line.finish(), first)
}

/// The first descendant of a definition that is not an attribute, a decorator or a comment.
fn first<'tree>(node: Node<'tree>, name: Node<'tree>) -> Node<'tree> {
    let mut parent = node;
    loop {
        let mut cursor = parent.walk();
        let mut child = parent.children(&mut cursor).take(NEAR).find(|child| !ATTRIBUTES.contains(&child.kind()));
        // Modifiers that consist of attributes only are skipped as a whole.
        if child.is_some_and(|child| child.kind() == "modifiers" && attributes_only(child)) {
            let mut again = parent.walk();
            child = parent
                .children(&mut again)
                .take(NEAR)
                .find(|child| child.kind() != "modifiers" && !ATTRIBUTES.contains(&child.kind()));
        }
        match child {
            Some(child) if child.start_byte() > name.start_byte() => return name,
            Some(child) if child.kind() == "modifiers" => parent = child,
            Some(child) => return child,
            None => return parent,
        }
    }
}

fn attributes_only(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(NEAR).all(|child| ATTRIBUTES.contains(&child.kind()))
}

/// Where the body begins, or a value that is too long for a signature; `None` if the whole definition is signature.
fn body(node: Node<'_>, name: Node<'_>) -> Option<usize> {
    if let Some(body) = body_within(node, name, 4) {
        return Some(body.start_byte());
    }
    // No body: a value on several lines is left out, a value on one line is the most telling part.
    let value = ["value", "right", "type"].iter().find_map(|field| node.child_by_field_name(field))?;
    let several_lines = value.end_position().row > name.end_position().row;
    (several_lines && value.start_byte() > name.end_byte()).then(|| value.start_byte())
}

/// The body of `node`, or of what its fields lead to within `levels` levels.
fn body_within<'tree>(node: Node<'tree>, name: Node<'tree>, levels: u8) -> Option<Node<'tree>> {
    let levels = levels.checked_sub(1)?;
    let field = || node.child_by_field_name("body").filter(|body| body.start_byte() > node.start_byte());
    initializers(node).or_else(field).or_else(|| listed(node)).or_else(|| {
        let fields = TOWARDS_BODY.iter().filter_map(|field| node.child_by_field_name(field));
        fields
            .chain(wrapper(node))
            .filter(|next| next.id() != name.id())
            .find_map(|next| body_within(next, name, levels))
    })
}

/// C++: `Point(int x) : x_(x) {}` ends before the initializers.
fn initializers(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(NEAR).find(|child| child.kind() == "field_initializer_list")
}

fn listed(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(NEAR).find(|child| BODIES.contains(&child.kind()))
}

/// The child to follow where the grammar has no field on the way to a value (Lua, Java's and C#'s declarators).
fn wrapper(node: Node<'_>) -> Option<Node<'_>> {
    const WRAPPERS: [&str; 6] = [
        "assignment_statement",
        "expression_list",
        "init_declarator",
        "variable_declaration",
        "variable_declarator",
        "function_definition",
    ];
    let mut cursor = node.walk();
    node.children(&mut cursor).take(NEAR).filter(|child| WRAPPERS.contains(&child.kind())).last()
}

/// The keywords before `start` on its line, if there is nothing else before it.
fn leading_words(text: &[u8], start: usize) -> &[u8] {
    let before = text.get(start.saturating_sub(NEAR)..start).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut from = line.len();
    for word in line.rsplit(u8::is_ascii_whitespace) {
        if !word.is_empty() && !LEADING_WORDS.contains(&word) {
            break;
        }
        from = from.saturating_sub(word.len() + 1);
    }
    line.get(from..).unwrap_or_default()
}

/// A line under construction: whitespace collapsed, at most [`MAX_SIGNATURE`] bytes kept.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    space: bool,
}

impl Line {
    fn push(&mut self, text: &[u8]) {
        for byte in text {
            // One character more than fits, so that the cut sees whether the last one is complete.
            if self.bytes.len() > MAX_SIGNATURE + 4 {
                return;
            }
            if byte.is_ascii_whitespace() || *byte == 0 {
                self.space = true;
                continue;
            }
            if self.space && !self.bytes.is_empty() {
                self.bytes.push(b' ');
            }
            self.space = false;
            self.bytes.push(*byte);
        }
    }

    /// Removes what only announced the body: `=`, `:`, `{`, `;`, `,`, a line's `\`. Keeps `=>` and `::`.
    fn trim(&mut self) {
        self.space = false;
        while let Some(last) = self.bytes.last() {
            let announces = matches!(last, b' ' | b'=' | b':' | b'{' | b';' | b',' | b'\\');
            if !announces || self.bytes.ends_with(b"::") || self.bytes.ends_with(b"==") {
                return;
            }
            self.bytes.pop();
        }
    }

    fn finish(self) -> String {
        let mut line = String::from_utf8_lossy(&self.bytes).into_owned();
        if line.len() > MAX_SIGNATURE {
            line.truncate(line.floor_char_boundary(MAX_SIGNATURE));
            line.truncate(line.trim_end().len());
        }
        line
    }
}
