//! A text redacted as it arrives gives the same result as one redacted as a whole, and no text is too much.

#![allow(unsafe_code, reason = "std does not tell how long a thread was at work")]
#![allow(clippy::unwrap_used, reason = "tests")]

use loopmem_safety::Redactor;
use proptest::prelude::*;

/// Parts of texts. Secrets are assembled at run time, so that secret scanners ignore this file.
#[derive(Debug, Clone, Copy)]
enum Part {
    Words,
    BlankLine,
    LineBreak,
    Keyed,
    Token,
    Custom,
    Url,
    PrivateKey,
    OpenPrivateKey,
    Placeholder,
    Wide,
    NoText,
    /// A token with invisible characters inside.
    Hidden,
    /// As [`Hidden`](Part::Hidden), with so many that it is longer than the window around a block.
    FarHidden,
    /// Invisible characters that hide nothing.
    Invisible,
    LongRun,
    LongSecret,
}

impl Part {
    fn bytes(self) -> Vec<u8> {
        match self {
            Part::Words => b"the build took 12 seconds and went well, said nobody ".to_vec(),
            Part::BlankLine => b"\r\n\r\n".to_vec(),
            Part::LineBreak => b"\n".to_vec(),
            Part::Keyed => ["DB_PASS", "WORD=qW3-rT5-yU7 "].concat().into(),
            Part::Token => format!("ghp_{}", "a1B2".repeat(9)).into(),
            Part::Custom => "CORP-1234".into(),
            Part::Url => ["postgres://app:", "qW3rT5yU7@db/x "].concat().into(),
            Part::PrivateKey => {
                let body = "MIIEpAIBAAKCAQEA7bq1\n".repeat(60);
                ["-----BEGIN RSA PRIV", "ATE KEY-----\n", &body, "\n", &body, "-----END RSA PRIV", "ATE KEY-----\n"]
                    .concat()
                    .into()
            }
            Part::OpenPrivateKey => ["-----BEGIN RSA PRIV", "ATE KEY-----\nMIIE\n"].concat().into(),
            Part::Placeholder => b"[REDACTED:keyed-value:9f3ac2d1b0]".to_vec(),
            Part::Wide => "日本語 😀é ".into(),
            Part::NoText => b"\xff\xe6\x97".to_vec(),
            Part::Hidden => Part::hidden("\u{200b}\u{e0041}\u{34f}"),
            Part::FarHidden => Part::hidden(&"\u{2066}\u{fe0f}".repeat(1000)),
            Part::Invisible => "👩\u{200d}👧 ⚠\u{fe0f} soft\u{ad}ware ".into(),
            Part::LongRun => "x7-".repeat(40_000).into(),
            Part::LongSecret => format!("CORP-{}", "7".repeat(1_200_000)).into(),
        }
    }
}

impl Part {
    fn hidden(between: &str) -> Vec<u8> {
        let token = String::from_utf8(Part::Token.bytes()).unwrap();
        let letters: Vec<String> = token.chars().map(String::from).collect();
        letters.join(between).into()
    }
}

fn part() -> impl Strategy<Value = Part> {
    use Part::*;
    let short = [
        Words,
        BlankLine,
        LineBreak,
        Keyed,
        Token,
        Custom,
        Url,
        PrivateKey,
        OpenPrivateKey,
        Placeholder,
        Wide,
        NoText,
        Hidden,
        Invisible,
    ];
    prop_oneof![30 => prop::sample::select(short.to_vec()), 1 => Just(FarHidden), 1 => Just(LongRun), 1 => Just(LongSecret)]
}

/// Several hundred kilobytes, or a few bytes: a text is split into blocks from 64 KiB on.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let repeated = (prop::collection::vec(part(), 1..6), prop_oneof![Just(1_usize), 1..60_usize, 500..3_000_usize]);
    prop::collection::vec(repeated, 1..6).prop_map(|parts| {
        let bytes = |(parts, count): (Vec<Part>, usize)| {
            let once: Vec<u8> = parts.into_iter().flat_map(Part::bytes).collect();
            once.repeat(count.min(1 + 1_500_000 / once.len()))
        };
        parts.into_iter().flat_map(bytes).collect()
    })
}

fn redactor() -> Redactor {
    Redactor::new(&["CORP-[0-9]{4,}".to_owned()], []).unwrap()
}

fn streamed<'t>(redactor: &Redactor, pieces: impl Iterator<Item = &'t [u8]>) -> Vec<u8> {
    let mut stream = redactor.stream();
    let mut out: Vec<u8> = pieces.flat_map(|piece| stream.push(piece)).collect();
    out.extend(stream.finish());
    out
}

/// The text with the placeholders of what is found in it as a whole.
fn redacted(redactor: &Redactor, text: &[u8]) -> Vec<u8> {
    let (mut out, mut copied) = (Vec::new(), 0);
    for secret in redactor.find(text) {
        out.extend_from_slice(&text[copied..secret.place.start]);
        out.extend_from_slice(secret.placeholder().as_bytes());
        copied = secret.place.end;
    }
    out.extend_from_slice(&text[copied..]);
    out
}

#[track_caller]
fn assert_same(text: &[u8], mut cuts: Vec<usize>) {
    let redactor = redactor();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    let pieces = cuts.windows(2).map(|ends| &text[ends[0]..ends[1]]);
    let (whole, pieced) = (redacted(&redactor, text), streamed(&redactor, pieces));
    let differs = whole.iter().zip(&pieced).position(|(a, b)| a != b);
    let around = differs.map(|at| String::from_utf8_lossy(&whole[at.saturating_sub(80)..whole.len().min(at + 80)]));
    assert!(whole == pieced, "{} and {} bytes; differ at {differs:?}: {around:?}", whole.len(), pieced.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_stream_is_redacted_like_the_whole_wherever_it_is_split(
        text in text(),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        within in prop::collection::vec((any::<prop::sample::Index>(), 0..48_usize), 0..40),
    ) {
        let redactor = redactor();
        let found = redactor.find(&text);
        // Anywhere, and inside or next to secrets.
        let anywhere = places.iter().map(|place| place.index(text.len() + 1));
        let in_secrets = within.iter().filter(|_| !found.is_empty()).map(|(secret, offset)| {
            let place = &found[secret.index(found.len())].place;
            (place.start + offset).saturating_sub(4).min(place.end + 1).min(text.len())
        });
        let cuts = anywhere.chain(in_secrets).collect();
        assert_same(&text, cuts);
    }
}

#[test]
fn a_stream_may_arrive_byte_by_byte() {
    let parts = [Part::Words, Part::Keyed, Part::Wide, Part::PrivateKey, Part::NoText, Part::BlankLine, Part::Token];
    let text: Vec<u8> = parts.into_iter().flat_map(Part::bytes).collect::<Vec<u8>>().repeat(50);
    assert!(text.len() > 128 << 10, "there is more than one block: {}", text.len());
    assert_same(&text, (0..text.len()).collect());
}

#[test]
fn an_endless_line_is_redacted_like_the_whole() {
    let secret = String::from_utf8(Part::Keyed.bytes()).unwrap();
    for (filler, name) in [("x7-", "a run"), ("é", "a run of wide characters"), ("word ", "words")] {
        let line = format!("{} {secret}", filler.repeat((1 << 20) / filler.len() - 5)).repeat(3);
        let cuts = (0..line.len()).step_by(65_536).collect();
        assert_same(line.as_bytes(), cuts);
        let redacted = redactor().redact(&line).into_owned();
        assert!(!redacted.contains("qW3-rT5-yU7"), "{name}");
    }
}

#[test]
fn a_secret_made_longer_than_a_block_by_invisible_characters_is_redacted() {
    let redactor = redactor();
    let far = Part::FarHidden.bytes();
    assert!(far.len() > 100 << 10, "{} bytes", far.len());
    // The first block ends after 512 KiB.
    for start in (300..700).step_by(20) {
        let before = "word ".repeat((start << 10) / 5);
        let text = [before.as_bytes(), &far, b" end of it ", &b"word ".repeat(200_000)].concat();
        let found: Vec<_> = redactor.find(&text).into_iter().map(|it| (it.rule.to_owned(), it.place)).collect();
        assert_eq!(found, [("github-pat".to_owned(), before.len()..before.len() + far.len())], "at {start} KiB");
        assert_same(&text, (0..text.len()).step_by(65_521).collect());
    }
}

#[test]
fn a_secret_longer_than_a_block_is_redacted_whole_in_a_stream() {
    let redactor = Redactor::new(&["CORP-[0-9]+".to_owned()], []).unwrap();
    let text = format!("see CORP-{} and go on", "7".repeat(3 << 20));
    let out = streamed(&redactor, text.as_bytes().chunks(10_007));
    let out = String::from_utf8(out).unwrap();
    assert!(out.starts_with("see [REDACTED:custom-pattern:") && out.ends_with("] and go on"), "{} bytes", out.len());
    assert!(!out.contains("777"), "a piece of it is left");
}

#[test]
fn a_million_secrets_are_found_one_by_one() {
    const MANY: usize = 1_000_000;
    let redactor = redactor();
    let text = "CORP-1234 ".repeat(MANY);
    let found = redactor.find(&text);
    assert_eq!(found.len(), MANY);
    assert!(found.iter().enumerate().all(|(index, it)| it.place == (index * 10..index * 10 + 9)));
    let out = streamed(&redactor, text.as_bytes().chunks(65_536));
    assert_eq!(out.len(), MANY * (1 + found[0].placeholder().len()));
}

#[test]
fn redacting_only_names_of_secrets_takes_linear_time() {
    let redactor = redactor();
    // The CPU time of this thread, independent of whatever else the machine does.
    let work = |text: &str| {
        let once = || {
            let start = cpu_time();
            std::hint::black_box(redactor.redact(text));
            cpu_time() - start
        };
        (0..3).map(|_| once()).min().unwrap_or_default().max(1)
    };
    let in_english = ["password", "token", "api_key", "client_secret"].as_slice();
    for (names, separator) in [" ", "=", ": ", "\": \"", "_", "\n", "", "|", "("]
        .map(|separator| (in_english, separator))
        .into_iter()
        .chain([(["密码", "пароль", "contraseña_a"].as_slice(), "："), (&["密码", "пароль", "heslo_a"], "=")])
    {
        let names: String = names.iter().map(|name| format!("{name}{separator}")).collect();
        let of_length = |length: usize| names.repeat(length / names.len());
        // Both are one block, so an engine that rescans would do so again and again.
        let (short, long) = (work(&of_length(100_000)), work(&of_length(800_000)));
        assert!(long < short * 8 * 4, "{separator:?}: {short} ns became {long} ns with 8 times as many names");
    }
}

/// The CPU time of this thread, in nanoseconds.
fn cpu_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec, which exists.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
}
