//! Writing merged JSON in the style of ours.

use super::value::{Kind, Value, in_order};

/// A merged value, composed of parts of both sides.
pub(super) enum Node<'v, 't> {
    /// A value of ours.
    Ours(&'v Value<'t>),
    /// A value of theirs.
    Theirs(&'v Value<'t>),
    /// An array.
    Array(Vec<Node<'v, 't>>),
    /// An object: the texts of its keys, with quotes, and its values.
    Object(Vec<(&'v str, Node<'v, 't>)>),
}

/// Writes a value that was merged from two texts, with the line breaks, indentation and spacing of ours, and with the
/// white space around it. Values of ours are copied verbatim, and so are those of theirs if both texts have the same
/// style.
pub(super) fn write(node: Node<'_, '_>, ours: &str, theirs: &str) -> String {
    let style = Style::of(ours);
    let value = trim(ours);
    let (start, end) = ours.split_once(value).unwrap_or_default();
    let copies_theirs = style == Style::of(theirs);
    let mut writer = Writer { style, copies_theirs, text: start.to_owned() };
    writer.node(node, 0);
    writer.text + end
}

/// A text without the white space around it.
fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

/// The layout of a text.
#[derive(Debug, PartialEq, Eq)]
struct Style<'t> {
    /// The line break and the indentation of one level; `None` if everything is on one line.
    indent: Option<(&'static str, &'t str)>,
    /// The white space after a colon.
    after_colon: &'static str,
    /// The white space after a comma between items on the same line.
    after_comma: &'static str,
}

impl<'t> Style<'t> {
    /// Detects the style of a text.
    fn of(text: &'t str) -> Self {
        let indent = indent(trim(text));
        let [colon, comma] = spacing(text);
        let space = |is_spaced: bool| if is_spaced { " " } else { "" };
        Style {
            indent,
            after_colon: space(colon.unwrap_or(indent.is_some() || comma == Some(true))),
            after_comma: space(comma.unwrap_or(colon == Some(true))),
        }
    }
}

/// The first line break that is followed by spaces or tabs, and that indentation.
fn indent(text: &str) -> Option<(&'static str, &str)> {
    text.match_indices('\n').find_map(|(at, _)| {
        let (before, line) = (text.get(..at)?, text.get(at + 1..)?);
        let unit = line.get(..line.len() - line.trim_start_matches([' ', '\t']).len())?;
        let line_break = if before.ends_with('\r') { "\r\n" } else { "\n" };
        (!unit.is_empty()).then_some((line_break, unit))
    })
}

/// Returns whether the first colon and the first comma outside strings are followed by a space; `None` if there is no colon or
/// comma.
fn spacing(text: &str) -> [Option<bool>; 2] {
    let [mut colon, mut comma] = [None; 2];
    let mut is_in_string = false;
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        let is_spaced = bytes.peek() == Some(&b' ');
        match byte {
            b'"' => is_in_string = !is_in_string,
            b'\\' => _ = bytes.next(),
            b':' if !is_in_string => colon = colon.or(Some(is_spaced)),
            b',' if !is_in_string => comma = comma.or(Some(is_spaced)),
            _ => {}
        }
        if colon.is_some() && comma.is_some() {
            break;
        }
    }
    [colon, comma]
}

/// Writes values in a style.
struct Writer<'t> {
    /// The style of ours.
    style: Style<'t>,
    /// True if values of theirs can be copied.
    copies_theirs: bool,
    /// The text so far.
    text: String,
}

impl Writer<'_> {
    /// Writes a value that is nested `depth` deep.
    fn node(&mut self, node: Node<'_, '_>, depth: usize) {
        match node {
            Node::Array(items) => self.list("[", "]", items.into_iter().map(|item| (None, item)), depth),
            Node::Object(members) => {
                self.list("{", "}", members.into_iter().map(|(key, value)| (Some(key), value)), depth);
            }
            Node::Ours(value) => self.text.push_str(value.raw),
            Node::Theirs(value) if self.copies_theirs => self.text.push_str(value.raw),
            Node::Theirs(value) => self.theirs(value, depth),
        }
    }

    /// Writes a value of theirs in the style of ours.
    fn theirs(&mut self, value: &Value<'_>, depth: usize) {
        match &value.kind {
            Kind::Array(items) => self.list("[", "]", items.iter().map(|item| (None, Node::Theirs(item))), depth),
            Kind::Object(members) => {
                let members = in_order(members).into_iter().map(|(_, member)| (Some(member.key), &member.value));
                self.list("{", "}", members.map(|(key, value)| (key, Node::Theirs(value))), depth);
            }
            _ => self.text.push_str(value.raw),
        }
    }

    /// Writes an array or an object; only the items of an object have keys.
    fn list<'v, 'n: 'v>(
        &mut self,
        open: &str,
        close: &str,
        items: impl Iterator<Item = (Option<&'v str>, Node<'v, 'n>)>,
        depth: usize,
    ) {
        self.text.push_str(open);
        let mut is_empty = true;
        for (key, value) in items {
            if !is_empty {
                self.text.push(',');
            }
            self.gap(depth + 1, if is_empty { "" } else { self.style.after_comma });
            is_empty = false;
            if let Some(key) = key {
                self.text.push_str(key);
                self.text.push(':');
                self.text.push_str(self.style.after_colon);
            }
            self.node(value, depth + 1);
        }
        if !is_empty {
            self.gap(depth, "");
        }
        self.text.push_str(close);
    }

    /// Starts a new line, or writes `on_one_line` if the style has no line breaks.
    fn gap(&mut self, depth: usize, on_one_line: &str) {
        match self.style.indent {
            Some((line_break, unit)) => {
                self.text.push_str(line_break);
                (0..depth).for_each(|_| self.text.push_str(unit));
            }
            None => self.text.push_str(on_one_line),
        }
    }
}
