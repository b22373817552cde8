//! The merge of JSON values by key path.

use std::borrow::Cow;
use std::collections::HashMap;

use super::merged::Merged;
use super::style::{self, Node};
use super::value::{Kind, Members, Value, in_order};
use crate::error::Result;

/// The most bytes of JSON that are merged: a merge takes many times their memory, and the branch may be hostile.
pub(super) const MAX_BYTES: u64 = 2 << 20;

/// Merges a file that is one JSON value; `None` if a version does not parse.
pub(super) fn merge(
    base: Option<&str>,
    ours: &str,
    theirs: &str,
    check: &dyn Fn() -> Result<()>,
) -> Result<Option<Merged>> {
    let merged = merge_text(base, ours, theirs, check)?;
    Ok(merged.map(|(text, is_conflict)| Merged::of(text.into_owned(), is_conflict)))
}

/// Merges texts that are one JSON value each; returns the merged text and whether something of theirs was overridden,
/// or `None` if a version does not parse.
///
/// If the result equals the value of a side, it is the text of that side. Otherwise it is written in the style of ours.
pub(super) fn merge_text<'t>(
    base: Option<&str>,
    ours: &'t str,
    theirs: &'t str,
    check: &dyn Fn() -> Result<()>,
) -> Result<Option<(Cow<'t, str>, bool)>> {
    let base = match base.map(|base| Value::parse(base, check)).transpose()? {
        Some(None) => return Ok(None),
        base => base.flatten(),
    };
    let (our_value, their_value) = (Value::parse(ours, check)?, Value::parse(theirs, check)?);
    let (Some(our_value), Some(their_value)) = (our_value, their_value) else { return Ok(None) };
    let merged = merge_values(base.as_ref(), Some(&our_value), Some(&their_value), check)?;
    let text = match merged.node {
        Some(node) if !merged.is_ours && !merged.is_theirs => Cow::Owned(style::write(node, ours, theirs)),
        Some(_) if !merged.is_ours => Cow::Borrowed(theirs),
        _ => Cow::Borrowed(ours),
    };
    Ok(Some((text, merged.is_conflict)))
}

/// The merged values of the versions at one key path.
struct Outcome<'v, 't> {
    /// The merged value; `None` if it was removed.
    node: Option<Node<'v, 't>>,
    /// True if the result is what ours has.
    is_ours: bool,
    /// True if the result is what theirs has.
    is_theirs: bool,
    /// True if something of theirs was overridden.
    is_conflict: bool,
}

/// Merges what the versions have at one key path; `None` means that a version has nothing there.
fn merge_values<'v, 't>(
    base: Option<&Value<'_>>,
    ours: Option<&'v Value<'t>>,
    theirs: Option<&'v Value<'t>>,
    check: &dyn Fn() -> Result<()>,
) -> Result<Outcome<'v, 't>> {
    check()?;
    let is_same = ours == theirs;
    let (our_node, their_node) = (ours.map(Node::Ours), theirs.map(Node::Theirs));
    if is_same || base == theirs {
        return Ok(Outcome { node: our_node, is_ours: true, is_theirs: is_same, is_conflict: false });
    }
    if base == ours {
        return Ok(Outcome { node: their_node, is_ours: false, is_theirs: true, is_conflict: false });
    }
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => merge_contents(base, ours, theirs, check),
        // One side removed what the other edited: the edit stays.
        _ => Ok(Outcome {
            node: our_node.or(their_node),
            is_ours: ours.is_some(),
            is_theirs: theirs.is_some(),
            is_conflict: false,
        }),
    }
}

/// Merges two values that differ from each other and from base.
fn merge_contents<'v, 't>(
    base: Option<&Value<'_>>,
    ours: &'v Value<'t>,
    theirs: &'v Value<'t>,
    check: &dyn Fn() -> Result<()>,
) -> Result<Outcome<'v, 't>> {
    let outcome = match (&ours.kind, &theirs.kind) {
        (Kind::Object(our_members), Kind::Object(their_members)) => {
            Some(merge_objects(base.and_then(Value::members), our_members, their_members, check)?)
        }
        (Kind::Array(our_items), Kind::Array(their_items)) => {
            let base = base.and_then(Value::items).unwrap_or_default();
            merge_arrays(base, our_items, their_items)
        }
        _ => None,
    };
    Ok(match outcome {
        None => Outcome { node: Some(Node::Ours(ours)), is_ours: true, is_theirs: false, is_conflict: true },
        // If the result equals a side, its text can be copied.
        Some(outcome) if outcome.is_ours => Outcome { node: Some(Node::Ours(ours)), ..outcome },
        Some(outcome) if outcome.is_theirs => Outcome { node: Some(Node::Theirs(theirs)), ..outcome },
        Some(outcome) => outcome,
    })
}

/// Merges objects: the keys of ours in its order, then the other keys of theirs in its order.
fn merge_objects<'v, 't>(
    base: Option<&Members<'_>>,
    ours: &'v Members<'t>,
    theirs: &'v Members<'t>,
    check: &dyn Fn() -> Result<()>,
) -> Result<Outcome<'v, 't>> {
    let of_ours = in_order(ours).into_iter();
    let of_theirs = in_order(theirs).into_iter().filter(|(name, _)| !ours.contains_key(*name));
    let mut merged = Vec::with_capacity(ours.len());
    let (mut is_ours, mut is_theirs, mut is_conflict) = (true, true, false);
    for (name, member) in of_ours.chain(of_theirs) {
        let [our_value, their_value] = [ours, theirs].map(|side| side.get(name).map(|member| &member.value));
        let base = base.and_then(|base| base.get(name)).map(|member| &member.value);
        let outcome = merge_values(base, our_value, their_value, check)?;
        is_ours &= outcome.is_ours;
        is_theirs &= outcome.is_theirs;
        is_conflict |= outcome.is_conflict;
        merged.extend(outcome.node.map(|node| (member.key, node)));
    }
    Ok(Outcome { node: Some(Node::Object(merged)), is_ours, is_theirs, is_conflict })
}

/// Merges arrays to which both sides only appended; `None` if a side did anything else.
///
/// The items that theirs appended come first. Items that both appended are counted once.
fn merge_arrays<'v, 't>(base: &[Value<'_>], ours: &'v [Value<'t>], theirs: &'v [Value<'t>]) -> Option<Outcome<'v, 't>> {
    let (our_tail, their_tail) = (tail(base, ours)?, tail(base, theirs)?);
    let mut shared: HashMap<&Value<'t>, usize> = HashMap::new();
    for item in their_tail {
        *shared.entry(item).or_default() += 1;
    }
    let is_new = |item: &&'v Value<'t>| match shared.get_mut(item) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    let added: Vec<_> = our_tail.iter().filter(is_new).collect();
    let kept = ours.iter().take(base.len());
    let is_ours = kept.clone().chain(their_tail).chain(added.iter().copied()).eq(ours);
    let is_theirs = added.is_empty();
    let nodes =
        kept.map(Node::Ours).chain(their_tail.iter().map(Node::Theirs)).chain(added.into_iter().map(Node::Ours));
    Some(Outcome { node: Some(Node::Array(nodes.collect())), is_ours, is_theirs, is_conflict: false })
}

/// The items after those of base; `None` if the array does not begin with them.
fn tail<'v, 't>(base: &[Value<'_>], items: &'v [Value<'t>]) -> Option<&'v [Value<'t>]> {
    let (start, tail) = items.split_at_checked(base.len())?;
    start.iter().eq(base).then_some(tail)
}
