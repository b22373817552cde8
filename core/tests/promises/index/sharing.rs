//! What the repositories of a home share does not let the author of one decide what is shown of another.

use xxhash_rust::xxh3::xxh3_128;

use super::*;

/// Two documents with the same XXH3 hash and other headings: words of eight bytes whose lower half is the secret of that hash
/// count only by their sums.
fn colliding() -> [Vec<u8>; 2] {
    const SECRETS: [&[u8]; 2] = [b"\x7c\x01\x81\x2c", b"\xde\xd4\x6d\xe9"];
    ["AB", "BA"].map(|letters| {
        let mut text = b"The text. ".repeat(52)[..512].to_vec();
        for ((stripe, secret), (start, letter)) in
            (1..).zip(SECRETS).zip([b"\n# ", b"end"].into_iter().zip(letters.bytes()))
        {
            let word = [secret, start, &[letter], b"bout it\n"].concat();
            text[stripe * 64..][..word.len()].copy_from_slice(&word);
        }
        text
    })
}

#[test]
fn a_content_with_the_hash_of_another_does_not_stand_for_it() {
    let texts = colliding();
    assert_ne!(texts[0], texts[1]);
    assert_eq!(xxh3_128(&texts[0]), xxh3_128(&texts[1]), "the hash that keys were made of");
    let [hostile, place] = [Place::new(), Place::new()];
    hostile.write("README.md", &texts[0]);
    place.write("README.md", &texts[1]);
    let store = place.store();
    assert!(map_of(&store, &hostile.top(), "about").text.contains("# About it"));
    assert!(map_of(&store, &place.top(), "about").text.contains("# Bbout it"));
    let symbols = store.repo(place.top()).unwrap().index().symbols(&SymbolQuery::new()).unwrap();
    assert_eq!(symbols[0].name, "Bbout it");
}

#[test]
fn what_crashes_and_earlier_versions_left_is_removed() {
    let place = Place::new();
    fill(&place);
    let expected = place.map("lock");
    let files = place.files();
    let table = files.iter().find(|path| path.ends_with("files")).unwrap();
    let segment = files.iter().find(|path| path.extension().is_some_and(|it| it == "entries")).unwrap();
    let temporary = |path: &Path| path.with_added_extension("aB3xYz.tmp");
    let left = [
        temporary(segment),
        temporary(table),
        temporary(&table.with_file_name("terms")),
        segment.with_file_name("0123456789abcdef.entries"),
        segment.with_file_name("symbols"),
    ];
    left.iter().for_each(|path| std::fs::write(path, "left").unwrap());
    assert_eq!(place.map("lock"), expected);
    assert!(left.iter().all(|path| !path.exists()), "{left:?}");
    assert!(files.iter().all(|path| path.exists()));
}
