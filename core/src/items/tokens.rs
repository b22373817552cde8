//! How many tokens a text has for a model, without its tokenizer: rather too many than too few.

/// Counts tokens, as the host's tokenizer does.
pub type CountTokens = dyn Fn(&str) -> usize + Send + Sync;

/// A number of tokens that a text hardly exceeds: three letters or two digits a token, and any other character one or more.
pub(super) fn estimate(text: &str) -> usize {
    let (mut tokens, mut letters, mut digits) = (0, 0_usize, 0_usize);
    for character in text.chars() {
        match character {
            'a'..='z' | 'A'..='Z' => letters += 1,
            '0'..='9' => digits += 1,
            _ => {
                tokens += letters.div_ceil(3) + digits.div_ceil(2);
                (letters, digits) = (0, 0);
                // A blank is part of the token behind it.
                tokens += if character == ' ' { 0 } else { character.len_utf8().div_ceil(2) };
            }
        }
    }
    tokens + letters.div_ceil(3) + digits.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_not_below_what_common_tokenizers_count() {
        // Texts with their numbers of tokens in cl100k_base.
        for (text, counted) in [
            ("Use pnpm workspaces; run `pnpm -r test` before you push.", 16),
            ("updateContextFromSnapshot(path: &Path) -> Result<()>", 12),
            ("2026-01-31T12:00:00Z", 13),
            ("数据库迁移必须在部署之前运行", 17),
            ("", 0),
        ] {
            assert!(estimate(text) >= counted, "{text}: {}", estimate(text));
        }
    }
}
