//! From a source text to its symbols: parse, query, order.
//!
//! Both the parser and the query cursor are given a number of steps in proportion to the text's length. A step is one
//! progress callback (about a hundred operations of the parser), so the limit is the same on every machine.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use tree_sitter::{
    Node, ParseOptions, ParseState, Parser, QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator,
};

use super::super::scan::Kind;
use super::grammar::Grammar;
use super::signature;
use super::symbol::Symbol;

/// Steps that every text is given, however short.
const BASE_STEPS: usize = 200;
/// Bytes of text per further step. Source text needs one step for 35 to 400 bytes.
const BYTES_PER_STEP: usize = 16;
/// The text is handed to the lexer in chunks of this many bytes, and reads are counted: some lexers look ahead to the
/// end of the text at every token that could open a long string.
const CHUNK: usize = 1_024;
/// Reads that every text is given: after a look ahead to the end, the next token begins with a new read.
const BASE_READS: usize = 4_000;
/// Further reads per chunk. Source text needs one to eight, the most where it is short.
const READS_PER_CHUNK: usize = 16;
/// Comparisons of siblings that the query cursor may need for every text, and further ones per byte.
const BASE_COMPARISONS: usize = 1_000_000;
const COMPARISONS_PER_BYTE: usize = 16;
/// Matches that the query cursor may have in progress at a time.
const MATCHES_IN_PROGRESS: u32 = 4_096;

/// A definition before its symbol is made: the last pattern that matched the name decides.
struct Definition<'tree> {
    pattern: usize,
    kind: Kind,
    node: Node<'tree>,
    name: Node<'tree>,
}

/// The symbols of `text`; `None` if the parser or the query cursor ran out of steps.
pub(super) fn symbols(grammar: &Grammar, text: &[u8]) -> Option<Vec<Symbol>> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    let mut steps = Steps::of(text);
    let reads = Cell::new(BASE_READS + text.len() / CHUNK * READS_PER_CHUNK);
    let mut progress = |_: &ParseState| if reads.get() == 0 { ControlFlow::Break(()) } else { steps.next() };
    let options = ParseOptions::new().progress_callback(&mut progress);
    // An empty chunk before the end of the text would say the same sooner, but tree-sitter 0.27 reads through a null
    // pointer if that happens within a multi-byte character.
    let mut read = |at: usize, _| {
        reads.set(reads.get().saturating_sub(1));
        text.get(at..at.saturating_add(CHUNK).min(text.len())).unwrap_or_default()
    };
    let tree = parser.parse_with_options(&mut read, None, Some(options))?;
    if reads.get() == 0 || !recovered(tree.root_node(), text) {
        return None;
    }
    let mut definitions = definitions(grammar, tree.root_node(), text)?;
    // The outer of two definitions that start together comes first.
    definitions.sort_by_key(|d| (d.node.start_byte(), usize::MAX - d.node.end_byte(), d.name.start_byte()));
    Some(nest(&definitions, text))
}

/// Whether the query cursor can walk the tree in time that is linear in the text.
///
/// At every node the cursor looks for a later named sibling. That is quadratic in the length of a run of punctuation,
/// which only the parser's error nodes let grow: they have as many children as the text has tokens it could not place.
/// Counting the comparisons beforehand is cheap, since subtrees without an error are skipped.
fn recovered(root: Node<'_>, text: &[u8]) -> bool {
    let mut left = BASE_COMPARISONS + text.len() * COMPARISONS_PER_BYTE;
    let mut cursor = root.walk();
    let mut runs = vec![0_usize];
    loop {
        let node = cursor.node();
        if let Some(run) = runs.last_mut() {
            *run = if node.is_named() { 0 } else { *run + 1 };
            let Some(rest) = left.checked_sub(*run) else { return false };
            left = rest;
        }
        if node.has_error() && cursor.goto_first_child() {
            runs.push(0);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
            runs.pop();
        }
    }
}

/// Every name that the query matches, once.
fn definitions<'tree>(grammar: &Grammar, root: Node<'tree>, text: &[u8]) -> Option<Vec<Definition<'tree>>> {
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCHES_IN_PROGRESS);
    let mut steps = Steps::of(text);
    let mut progress = |_: &QueryCursorState| steps.next();
    let options = QueryCursorOptions::new().progress_callback(&mut progress);
    let mut found: HashMap<(usize, usize), Definition<'tree>> = HashMap::new();
    {
        let mut matches = cursor.matches_with_options(&grammar.query, root, text, options);
        while let Some(matched) = matches.next() {
            let mut name = None;
            let mut defined = None;
            for capture in matched.captures() {
                if capture.index == grammar.name {
                    name = Some(capture.node);
                } else if let Some(kind) = grammar.kinds.get(capture.index as usize).copied().flatten() {
                    defined = Some((kind, capture.node));
                }
            }
            let (Some(name), Some((kind, node))) = (name, defined) else { continue };
            if name.start_byte() == name.end_byte() {
                continue; // inserted by the parser to recover
            }
            let definition = Definition { pattern: matched.pattern_index, kind, node, name };
            let known = found.entry((name.start_byte(), name.end_byte())).or_insert(definition);
            if known.pattern < matched.pattern_index {
                *known = Definition { pattern: matched.pattern_index, kind, node, name };
            }
        }
    }
    (!steps.exhausted).then(|| found.into_values().collect())
}

/// Makes symbols of sorted definitions. Enclosing ones are found with a stack of end positions, so no tree is walked.
fn nest(definitions: &[Definition<'_>], text: &[u8]) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::with_capacity(definitions.len());
    let mut enclosing: Vec<(usize, usize)> = Vec::new(); // end byte, index in `symbols`
    let mut variables: HashSet<String> = HashSet::new();
    for definition in definitions {
        let (start, end) = (definition.node.start_byte(), definition.node.end_byte());
        while enclosing.last().is_some_and(|(outer_end, _)| *outer_end < end || *outer_end <= start) {
            enclosing.pop();
        }
        let name = signature::name(definition.name, text);
        let outer = enclosing.last().and_then(|(_, index)| symbols.get(*index));
        // `typedef struct node { … } node;` defines one thing for a reader.
        if outer.is_some_and(|outer| outer.kind == Kind::Type && outer.name == name) {
            continue;
        }
        // A script's variable is defined where it is first assigned.
        let variable = matches!(definition.kind, Kind::Constant | Kind::Variable);
        if variable && enclosing.is_empty() && !variables.insert(name.clone()) {
            continue;
        }
        let (signature, first) = signature::of(definition.node, definition.name, text);
        symbols.push(Symbol {
            name,
            kind: definition.kind,
            line: line(first.start_position().row),
            end_line: line(last_row(definition.node, text)),
            depth: u8::try_from(enclosing.len()).unwrap_or(u8::MAX),
            signature,
        });
        enclosing.push((end, symbols.len() - 1));
    }
    symbols
}

/// The row of a node's last byte that is not whitespace. Some grammars end a definition at the next token, some after
/// the line break.
fn last_row(node: Node<'_>, text: &[u8]) -> usize {
    let body = text.get(node.byte_range()).unwrap_or_default();
    let near = body.get(body.len().saturating_sub(CHUNK)..).unwrap_or_default();
    let breaks = near.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).filter(|byte| **byte == b'\n').count();
    node.end_position().row.saturating_sub(breaks).max(node.start_position().row)
}

fn line(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX).saturating_add(1)
}

/// A limit on work that is counted, not timed.
struct Steps {
    left: usize,
    exhausted: bool,
}

impl Steps {
    fn of(text: &[u8]) -> Self {
        Self { left: BASE_STEPS + text.len() / BYTES_PER_STEP, exhausted: false }
    }

    fn next(&mut self) -> ControlFlow<()> {
        if self.left == 0 {
            self.exhausted = true;
            return ControlFlow::Break(());
        }
        self.left -= 1;
        ControlFlow::Continue(())
    }
}
