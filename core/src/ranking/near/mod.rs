//! Words: how rare a stem is in English and in code, and which other stems have a similar meaning, such as `listen` for `port`
//! (feature `near-words`).
//!
//! Both come from a table that is compiled in, which was made from vectors of words; see README.md beside it. What it does not
//! know is rare, and has no near words. It is read in place: the first use takes some tenths of a millisecond.

/// A stem that is near another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    /// The stem.
    pub(crate) stem: &'static str,
    /// How near it is: a cosine, up to 1.
    pub(crate) cosine: f32,
    place: u32,
}

#[cfg(not(feature = "near-words"))]
mod table {
    use super::Near;

    pub(crate) fn near(_: &str) -> Vec<Near> {
        Vec::new()
    }

    pub(super) fn rarity(_: &str) -> Option<f32> {
        None
    }

    impl Near {
        pub(crate) fn word(&self) -> String {
            self.stem.to_owned()
        }
    }
}

#[cfg(feature = "near-words")]
mod table {
    use once_cell::race::OnceBox;

    use super::Near;
    use crate::lazy::lazily;
    use crate::segments::Reader;

    static BYTES: &[u8] = include_bytes!("words.bin");
    /// The cosine of the step 0, and how many steps there are above it.
    const LEAST: f32 = 0.33;
    const STEPS: f32 = 15.0;

    /// A stem in the table.
    #[derive(Debug, Clone, Copy)]
    struct Row {
        stem: &'static str,
        /// The end of its most frequent word, behind the first so many bytes of the stem.
        ending: &'static str,
        shared: u8,
        /// How rare it is, up to 255.
        rarity: u8,
        /// Where its near stems are.
        list: (u32, u8),
    }

    /// The rows in the order of their stems.
    fn rows() -> &'static [Row] {
        static ROWS: OnceBox<Vec<Row>> = OnceBox::new();
        lazily::<Vec<Row>>(&ROWS, || read().unwrap_or_default())
    }

    /// Reads the head of the table; `None` if it is damaged, which a test rules out.
    fn read() -> Option<Vec<Row>> {
        let mut reader = Reader::new(BYTES);
        let count = reader.u32()? as usize;
        let mut rows = Vec::with_capacity(count);
        let mut list = 0_u32;
        let mut read = 4_usize;
        for _ in 0..count {
            let [stem, shared, ending, length, rarity] = *reader.take(5)? else { return None };
            read += 5 + usize::from(stem) + usize::from(ending);
            let stem = str::from_utf8(reader.take(stem.into())?).ok()?;
            let ending = str::from_utf8(reader.take(ending.into())?).ok()?;
            rows.push(Row { stem, ending, shared, rarity, list: (list, length) });
            list += u32::from(length);
        }
        let start = u32::try_from(read).ok()?;
        rows.iter_mut().for_each(|row| row.list.0 += start);
        Some(rows)
    }

    fn row_of(stem: &str) -> Option<&'static Row> {
        let rows = rows();
        rows.binary_search_by(|row| row.stem.cmp(stem)).ok().and_then(|at| rows.get(at))
    }

    /// How rare a stem is; `None` if the table does not know it.
    pub(super) fn rarity(stem: &str) -> Option<f32> {
        row_of(stem).map(|row| f32::from(row.rarity) / f32::from(u8::MAX))
    }

    /// The stems near `stem`, the nearest first.
    pub(crate) fn near(stem: &str) -> Vec<Near> {
        let rows = rows();
        let Some(Row { list: (start, length), .. }) = row_of(stem) else { return Vec::new() };
        let start = *start as usize;
        let mut list = Reader::new(BYTES.get(start..start + usize::from(*length)).unwrap_or_default());
        let (mut near, mut place) = (Vec::new(), 0);
        while let Some(number) = list.number() {
            place += number >> 4;
            let cosine = LEAST + (number & 0xF) as f32 * (1.0 - LEAST) / STEPS;
            near.extend(rows.get(place as usize).map(|row| Near { stem: row.stem, cosine, place }));
            place += 1;
        }
        near.sort_by(|one: &Near, other| other.cosine.total_cmp(&one.cosine).then(one.place.cmp(&other.place)));
        near
    }

    impl Near {
        /// The most frequent word with this stem.
        pub(crate) fn word(&self) -> String {
            let row = rows().get(self.place as usize);
            row.map_or_else(
                || self.stem.to_owned(),
                |row| format!("{}{}", self.stem.get(..row.shared.into()).unwrap_or_default(), row.ending),
            )
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::ranking::Analyzer;

        #[test]
        fn the_table_is_whole_and_its_stems_are_those_of_the_analyzer() {
            let rows = rows();
            assert!(rows.len() > 20_000 && rows.is_sorted_by(|one, other| one.stem < other.stem));
            let last = rows.last().unwrap();
            assert_eq!(last.list.0 as usize + usize::from(last.list.1), BYTES.len());
            let mut analyzer = Analyzer::default();
            let mut others = 0;
            for row in rows {
                let word = format!("{}{}", &row.stem[..row.shared.into()], row.ending);
                others += usize::from(analyzer.distinct(&word) != [row.stem]);
                let near = near(row.stem);
                assert!(near.len() <= 48 && near.is_sorted_by(|one, other| one.cosine >= other.cosine), "{}", row.stem);
                assert!(near.iter().all(|it| it.stem != row.stem && (LEAST..=1.0).contains(&it.cosine)), "{near:?}");
            }
            assert!(others < 100, "{others} stems are not those of their words");
        }

        #[test]
        fn what_is_common_in_the_language_is_not_rare() {
            let rarities: Vec<f32> =
                ["time", "write", "backup", "limerick", "outboxcdc"].map(crate::ranking::near::rarity).into();
            assert!(rarities.is_sorted() && rarities[1] < 0.3 && rarities[4] == 1.0, "{rarities:?}");
        }

        #[test]
        fn near_words_are_near() {
            for (stem, expected) in [("databas", "db"), ("crash", "segfault"), ("login", "auth"), ("friday", "monday")]
            {
                assert!(near(stem).iter().any(|it| it.stem == expected), "{stem}: {:?}", near(stem));
            }
            assert!(near("databas").iter().any(|it| it.word() == "postgresql" || it.word() == "sql"));
            assert_eq!(near("updatecontext"), []);
            assert_eq!(near(""), []);
        }
    }
}

pub(crate) use table::near;

/// How rare a term is in the language, from 0 to 1.
pub(crate) fn rarity(term: &str) -> f32 {
    const NUMBER: f32 = 0.5;
    const SHORT: f32 = 0.3;
    const RARE: f32 = 1.0;
    let is_number = term.bytes().all(|byte| byte.is_ascii_digit());
    match (is_number, term.len()) {
        // A letter or a small number says little.
        (_, ..=1) | (true, ..=2) => SHORT,
        (true, _) => NUMBER,
        _ => table::rarity(term).unwrap_or(RARE),
    }
}
