//! Tokens that code joins from literals, and tokens in hexdumps.

use loopmem_safety::Redactor;

use crate::samples::generated;
use crate::{assert_found, assert_stays, shown};

/// A token in pieces that `text` joins: `{a}` and `{b}`. All of it from the first piece to the last is redacted.
#[track_caller]
fn assert_joined(text: &str) {
    let token =
        ["ghp", "_"].concat() + &generated(36, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
    let found = shown(&text.replace("{a}", &token[..14]).replace("{b}", &token[14..]));
    let start = text.find("{a}").unwrap();
    let end = text.len() - text.find("{b}").unwrap() - "{b}".len();
    assert_eq!(found, format!("{}‹›{}", &text[..start], &text[text.len() - end..]));
}

#[test]
fn a_token_in_literals_that_are_joined_is_redacted() {
    for text in [
        "key = '{a}' + '{b}'",
        "String key = \"{a}\"\n    + \"{b}\";",
        "$key = \"{a}\" . \"{b}\";",
        "const char *key = \"{a}\" \"{b}\";",
        "local key = \"{a}\"..\"{b}\"",
        "key = \"{a}\" <> \"{b}\"",
        "key = \"{a}\" & _\n  \"{b}\"",
        "\"{a}\".concat(\"{b}\")",
        "builder.append(\"{a}\").append(\"{b}\")",
        "std::string(\"{a}\") + \"{b}\"",
        "concat!(\"{a}\", \"{b}\")",
        "[\"{a}\", \"{b}\"].join(\"\")",
        "''.join(['{a}', '{b}'])",
        "strings.Join([]string{\"{a}\", \"{b}\"}, \"\")",
        "fmt.Sprintf(\"%s%s\", \"{a}\", \"{b}\")",
    ] {
        assert_joined(text);
    }
    assert_stays(&[
        "printf '%s' \"a1B2c3\" 'd4E5f6' | sort",
        "\"key_\" + \"name\" + \"_of_a_setting\"",
        "```\nNAME=\"value\"\n```",
        "['ghp_', 'glpat-', 'xoxb-'].join('|')",
    ]);
}

#[test]
fn a_token_in_a_hexdump_is_redacted() {
    let token =
        ["glpat", "-"].concat() + &generated(20, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
    let rows: Vec<&[u8]> = token.as_bytes().chunks(16).collect();
    let dump = |row: &dyn Fn(usize, &[u8]) -> String| -> String {
        rows.iter().enumerate().map(|(index, bytes)| row(index * 16, bytes) + "\n").collect()
    };
    let pairs = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    let characters = |bytes: &[u8]| bytes.iter().map(|byte| format!("{:>4}", char::from(*byte))).collect::<String>();
    for text in [
        dump(&|at, bytes| format!("{at:08x}: {}", pairs(bytes))),
        dump(&|at, bytes| format!("{at:04x}   {}   {}", pairs(bytes), String::from_utf8_lossy(bytes))),
        dump(&|at, bytes| format!("    0x{at:04x}:  {}", pairs(bytes))),
        dump(&|at, bytes| format!("{at:07o}{}", characters(bytes))),
        dump(&|_, bytes| bytes.iter().map(|byte| format!("0x{byte:02x}, ")).collect()),
    ] {
        let redacted = Redactor::default().redact(&text).into_owned();
        assert!(redacted.contains("[REDACTED:gitlab-pat"), "{text}");
    }
    let escaped: String = token.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    assert_found(&escaped, &["key = b'{v}'"]);
}

#[test]
fn a_token_in_other_characters_is_redacted() {
    let token =
        ["glpat", "-"].concat() + &generated(20, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
    let full_width = |byte: u8| char::from_u32(u32::from(byte) + 0xfee0).unwrap();
    let spellings: [String; 4] = [
        token.bytes().map(full_width).collect(),
        token.bytes().map(|byte| format!("\\{byte:03o}")).collect(),
        token.bytes().map(|byte| format!("{byte:02x} ")).collect::<String>().trim_end().to_owned(),
        token.bytes().map(|byte| format!("%25{byte:02X}")).collect(),
    ];
    for spelled in spellings {
        assert_found(&spelled, &["bytes: {v}", "bytes: {v}\nmore"]);
    }
    let word = token.replace('-', "=2D");
    assert_found(&word, &["Subject: =?utf-8?Q?key_{v}?="]);
    assert_found(&format!("0x{}", token.bytes().map(|byte| format!("{byte:02x}")).collect::<String>()), &["see {v}"]);
    assert_stays(&["価格：１２３４５円（税込）", "ＡＢＣ株式会社", "printf '\\101\\102\\103'", "50%25 of it"]);
}
