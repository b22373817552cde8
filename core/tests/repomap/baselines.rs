//! Maps that ours is compared with: of the same files and definitions, in other orders.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use loopmem::index::{Index, Map};

/// The files of a work tree that have definitions.
pub(crate) struct Files {
    /// By path, with the definitions in the order of the file: name and signature.
    files: Vec<(String, Vec<(String, String)>)>,
    words: Vec<HashMap<String, usize>>,
}

impl Files {
    pub(crate) fn of(index: &Index, top: &Path) -> Self {
        let files = loopmem::testing::definitions(index).unwrap().into_iter().map(|file| (file.path, file.named));
        let files: Vec<_> = files.filter(|(_, definitions)| !definitions.is_empty()).collect();
        let words = files.iter().map(|(path, _)| {
            let text = std::fs::read(top.join(path)).unwrap_or_default();
            let mut counts = HashMap::new();
            words(&String::from_utf8_lossy(&text)).for_each(|word| *counts.entry(word).or_default() += 1);
            counts
        });
        let words = words.collect();
        Files { files, words }
    }

    pub(crate) fn alphabetical(&self) -> Vec<usize> {
        (0..self.files.len()).collect()
    }

    /// By BM25 over the words of the texts.
    pub(crate) fn by_words(&self, prompt: &str) -> Vec<usize> {
        let wanted: HashSet<String> = words(prompt).collect();
        let mean = self.words.iter().map(|it| it.values().sum::<usize>()).sum::<usize>() as f64
            / (self.words.len() as f64).max(1.0);
        let rarity = |word: &String| {
            let with = self.words.iter().filter(|it| it.contains_key(word)).count() as f64;
            (1.0 + (self.words.len() as f64 - with + 0.5) / (with + 0.5)).ln()
        };
        let rarities: Vec<(&String, f64)> = wanted.iter().map(|word| (word, rarity(word))).collect();
        let score = |at: usize| -> f64 {
            let length = self.words[at].values().sum::<usize>() as f64;
            let of = |(word, rarity): &(&String, f64)| {
                let count = self.words[at].get(*word).copied().unwrap_or_default() as f64;
                rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / mean))
            };
            rarities.iter().map(of).sum()
        };
        let mut order: Vec<(usize, f64)> = (0..self.files.len()).map(|at| (at, score(at))).collect();
        order.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
        order.into_iter().map(|(at, _)| at).collect()
    }

    /// The map of the files in this order, ten definitions each.
    pub(crate) fn map(&self, order: &[usize], max_chars: usize) -> Map {
        let mut map = Map::default();
        let mut left = max_chars;
        for (path, definitions) in order.iter().map(|at| &self.files[*at]) {
            let mut symbols = Vec::new();
            let mut needed = path.chars().count() + 2;
            for (name, signature) in definitions.iter().take(10) {
                needed += signature.chars().count().min(96) + 3;
                if needed > left {
                    break;
                }
                symbols.push(name.clone());
            }
            if symbols.is_empty() {
                break;
            }
            left -= needed.min(left);
            // The text does not matter here.
            map.files.push(loopmem::testing::mapped_file(path, symbols));
        }
        map
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|it: char| !it.is_alphanumeric()).filter(|word| word.len() > 1).map(str::to_lowercase)
}
