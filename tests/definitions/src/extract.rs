//! From a source file to its definitions: parse, query, order.

use std::collections::{HashMap, HashSet};
use std::error::Error;

use tree_sitter::{Node, Parser, Query, QueryCursor, StreamingIterator};

use super::grammar::{self, Grammar};
use super::{Definition, Language, OPTIONAL, Parsed};

/// Children before a declaration that are not part of it.
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

/// A definition in a tree: the last pattern that matched the name decides what it is.
struct Match<'tree> {
    pattern: usize,
    kind: &'static str,
    node: Node<'tree>,
    name: Node<'tree>,
}

/// Finds the definitions of texts in one language.
pub struct Reference {
    parser: Parser,
    query: Query,
    /// What the query's captures are.
    kinds: Vec<Capture>,
}

impl Reference {
    /// The reference for `language`.
    ///
    /// # Errors
    /// If the query is not one for this version of the grammar.
    pub fn new(language: Language) -> Result<Self, Box<dyn Error>> {
        let Grammar { language, query } = grammar::of(language)?;
        let mut parser = Parser::new();
        parser.set_language(&language)?;
        let kinds = query.capture_names().iter().map(|capture| kind(capture)).collect();
        Ok(Reference { parser, query, kinds })
    }

    /// What tree-sitter finds in `text`.
    pub fn parse(&mut self, text: &[u8]) -> Parsed {
        // Only a parser with a time limit ends without a tree.
        self.parser.parse(text, None).map(|tree| self.read(tree.root_node(), text)).unwrap_or_default()
    }

    fn read(&self, root: Node<'_>, text: &[u8]) -> Parsed {
        let mut cursor = QueryCursor::new();
        let mut found: HashMap<_, Match<'_>> = HashMap::new();
        let mut matches = cursor.matches(&self.query, root, text);
        while let Some(matched) = matches.next() {
            let captures =
                || matched.captures().iter().map(|capture| (self.kinds.get(capture.index as usize), capture.node));
            let name = captures().find_map(|(kind, node)| (*kind? == Capture::Name).then_some(node));
            let defined = captures().find_map(|(kind, node)| match *kind? {
                Capture::Definition(kind) => Some((kind, node)),
                _ => None,
            });
            let (Some(name), Some((kind, node))) = (name, defined) else { continue };
            let pattern = matched.pattern_index;
            // The parser inserts empty names to recover.
            let is_last = found.get(&name.byte_range()).is_none_or(|known| known.pattern < pattern);
            if is_last && !name.byte_range().is_empty() {
                found.insert(name.byte_range(), Match { pattern, kind, node, name });
            }
        }
        let mut found: Vec<_> = found.into_values().collect();
        // The outer of two definitions that start together comes first.
        found.sort_by_key(|it| (it.node.start_byte(), usize::MAX - it.node.end_byte(), it.name.start_byte()));
        Parsed { definitions: distinct(&found, text), unsure: unsure(root) }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Capture {
    Name,
    Definition(&'static str),
    Other,
}

fn kind(capture: &str) -> Capture {
    const KINDS: [&str; 13] = [
        "function",
        "method",
        "class",
        "struct",
        "enum",
        "interface",
        "type",
        "module",
        "constant",
        "variable",
        "macro",
        "field",
        "property",
    ];
    match capture.strip_prefix("definition.") {
        Some("property") => Capture::Definition("field"),
        Some(name) => KINDS.into_iter().find(|kind| *kind == name).map_or(Capture::Other, Capture::Definition),
        None if capture == "name" => Capture::Name,
        None if capture == "optional" => Capture::Definition(OPTIONAL),
        None => Capture::Other,
    }
}

/// The definitions that sorted matches are. Enclosing ones are found with a stack of end positions, so no tree is walked.
fn distinct(found: &[Match<'_>], text: &[u8]) -> Vec<Definition> {
    let mut definitions: Vec<Definition> = Vec::with_capacity(found.len());
    // End byte, and index in `definitions`.
    let mut enclosing: Vec<(usize, usize)> = Vec::new();
    let mut variables: HashSet<String> = HashSet::new();
    for Match { kind, node, name, .. } in found {
        // In a function, what C takes for a declaration is one of a variable, or a call.
        let kind = &if is_statement(*node) { OPTIONAL } else { *kind };
        while enclosing.last().is_some_and(|(end, _)| *end < node.end_byte() || *end <= node.start_byte()) {
            enclosing.pop();
        }
        let line = first(*node, *name).start_position().row + 1;
        let lines = line..=(name.start_position().row + 1).max(line);
        let name_of = String::from_utf8_lossy(text.get(name.byte_range()).unwrap_or_default());
        // The name of a conversion ends before its parameters, of which there are none.
        let end = if name.kind() == "operator_cast" { name_of.find("()") } else { None };
        let name = name_of[..end.unwrap_or(name_of.len())].to_owned();
        let outer = enclosing.last().and_then(|(_, index)| definitions.get(*index));
        // `typedef struct node { … } node;` defines one thing for a reader.
        if outer.is_some_and(|outer| outer.kind == "type" && outer.name == name) {
            continue;
        }
        // A script's variable is defined where it is first assigned.
        let is_variable = matches!(*kind, "constant" | "variable");
        if is_variable && enclosing.is_empty() && !variables.insert(name.clone()) {
            continue;
        }
        enclosing.push((node.end_byte(), definitions.len()));
        definitions.push(Definition { name, kind, lines });
    }
    definitions
}

/// Whether a declaration of C is one in a function.
fn is_statement(node: Node<'_>) -> bool {
    let mut parents = std::iter::successors(node.parent(), Node::parent);
    node.kind() == "declaration" && parents.any(|parent| parent.kind() == "compound_statement")
}

/// The first descendant of a definition that is not an attribute, a decorator or a comment.
fn first<'tree>(node: Node<'tree>, name: Node<'tree>) -> Node<'tree> {
    let mut parent = node;
    loop {
        let mut cursor = parent.walk();
        let is_attribute = |child: &Node<'_>| {
            let mut cursor = child.walk();
            let is_attribute = |child: &Node<'_>| ATTRIBUTES.contains(&child.kind());
            // Modifiers that consist of attributes only are skipped as a whole.
            let is_modifiers = child.kind() == "modifiers";
            is_attribute(child) || is_modifiers && child.children(&mut cursor).all(|child| is_attribute(&child))
        };
        match parent.children(&mut cursor).find(|child| !is_attribute(child)) {
            Some(child) if child.start_byte() > name.start_byte() => return name,
            Some(child) if child.kind() == "modifiers" => parent = child,
            Some(child) => return child,
            None => return parent,
        }
    }
}

/// The lines of what the parser could not place, and of the tokens that are given to Rust's macros.
fn unsure(root: Node<'_>) -> Vec<std::ops::RangeInclusive<usize>> {
    let mut lines = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let is_invocation = node.kind() == "macro_invocation";
        if node.is_error() || node.is_missing() || is_invocation {
            // Where an error is noticed may be a line from where it is.
            let around = if is_invocation { 0 } else { 1 };
            lines.push(node.start_position().row + 1 - around..=node.end_position().row + 1 + around);
        } else if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return lines;
            }
        }
    }
}
