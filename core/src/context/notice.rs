//! The last line of a pack that left something out.

use super::fill::Fill;

/// What is left out of each section, such as `3 older decisions and 12 older notes left out`; `None` if nothing is.
pub(super) fn by_section(fills: &[Fill<'_>]) -> Option<String> {
    let parts: Vec<String> = fills.iter().filter_map(of_section).collect();
    let (last, others) = parts.split_last()?;
    let list = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
    Some(format!("{list} left out"))
}

/// What is left out in all, which is shorter.
pub(super) fn in_all(fills: &[Fill<'_>]) -> Option<String> {
    let dropped: usize = fills.iter().map(Fill::dropped).sum();
    let noun = if dropped == 1 { "record" } else { "records" };
    (dropped > 0).then(|| format!("{dropped} {noun} left out"))
}

fn of_section(fill: &Fill<'_>) -> Option<String> {
    let dropped = fill.dropped();
    let [one, many] = fill.section.noun;
    // Older than those that are included, or less relevant than they are: only if that is true of all.
    let rank = match (fill.is_cut_off(), fill.candidates.relevant.is_empty()) {
        (true, true) if fill.section.is_dated => "older ",
        (true, false) => "less relevant ",
        _ => "",
    };
    (dropped > 0).then(|| format!("{dropped} {rank}{}", if dropped == 1 { one } else { many }))
}
