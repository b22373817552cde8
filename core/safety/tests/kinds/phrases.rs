//! Seed phrases, passphrases, PINs and the seeds of one-time passwords.

use loopmem_safety::Redactor;
use sha2::{Digest, Sha256};

use crate::samples::generated;
use crate::{assert_found, assert_stays, shown};

/// The words of BIP-39.
fn seed_words() -> Vec<&'static str> {
    include_str!("../../src/classify/seed_words.txt").lines().collect()
}

/// A seed phrase of `count` words whose checksum is valid, or not.
fn seed_phrase(count: usize, seed: u32, is_valid: bool) -> Vec<&'static str> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u8::try_from(state >> 24).unwrap()
    };
    let entropy: Vec<u8> = (0..count * 4 / 3).map(|_| next()).collect();
    let checksum = Sha256::digest(&entropy)[0] ^ if is_valid { 0 } else { 0xff };
    let bits: Vec<usize> = entropy
        .iter()
        .chain([&checksum])
        .flat_map(|byte| (0..8).rev().map(move |bit| usize::from(byte >> bit & 1)))
        .collect();
    let words = seed_words();
    bits[..count * 11].chunks(11).map(|bits| words[bits.iter().fold(0, |index, bit| index << 1 | bit)]).collect()
}

const SEED_LENGTHS: [usize; 5] = [12, 15, 18, 21, 24];

#[test]
fn a_seed_phrase_is_redacted_wherever_it_stands() {
    for (seed, count) in (0..).zip(SEED_LENGTHS.iter().cycle().take(60)) {
        let words = seed_phrase(*count, seed, true);
        let numbered = |item: &str, between: &str| {
            let items: Vec<String> = words
                .iter()
                .zip(1..)
                .map(|(word, at)| item.replace("{n}", &format!("{at}")).replace("{w}", word))
                .collect();
            // The number of the first word stays, as what is before it.
            let list = items.join(between);
            let start = list.find(words[0]).unwrap();
            (list[..start].to_owned(), list[start..].to_owned())
        };
        let quoted = |between: &str| words.join(between);
        for list in [quoted(" "), quoted("\n"), quoted(", "), quoted(","), quoted("\\n"), quoted("-"), quoted("\t")] {
            assert_found(&list, &["{v}", "it was on the desk:\n\n{v}\n\nand more", "is {v}."]);
        }
        assert_found(&quoted(" "), &["f('{v}')", "key={v}\n", "Was it {v}?"]);
        assert_found(&quoted("\", \""), &["[\"{v}\"]"]);
        assert_found(&quoted("\\\", \\\""), &["{\"text\": \"[\\\"{v}\\\"]\"}"]);
        assert_found(&quoted("\",\n    \""), &["[\n    \"{v}\"\n]"]);
        assert_found(&quoted("\n- "), &["words:\n- {v}\n"]);
        for (item, between) in
            [("{n}. {w}", "\n"), (" {n}) {w}", "\n"), ("{n} {w}", " "), ("| {n} | {w} |", "\n"), ("{n}: {w}", "\n")]
        {
            let (before, list) = numbered(item, between);
            let list = list.strip_suffix(" |").unwrap_or(&list);
            assert_found(list, &[&format!("{before}{{v}} |\n")]);
        }
    }
}

#[test]
fn a_seed_phrase_with_a_wrong_checksum_is_redacted_beside_its_name() {
    for (seed, count) in (0..).zip(SEED_LENGTHS.iter().cycle().take(20)) {
        let phrase = seed_phrase(*count, seed, false).join(" ");
        assert_found(
            &phrase,
            &[
                "my seed phrase is {v}",
                "the recovery phrase: {v}\n",
                "Die Wiederherstellungsphrase lautet {v}.",
                "La phrase de récupération est {v}",
                "la frase semilla es {v}",
                "Сид-фраза: {v}",
                "Obnovovací fráze je {v}",
                "助记词：{v}",
                "シードフレーズ: {v}",
            ],
        );
        assert_stays(&[&phrase, &format!("fruits and things: {phrase}")]);
    }
}

#[test]
fn words_of_the_list_are_no_seed_phrase() {
    let words = seed_words();
    assert_stays(&[
        &words.join("\n"),
        &words[100..124].join(", "),
        &format!("seed phrase words begin with {}", words[..24].join(" ")),
        &["test"; 12].join(" "),
        "they can only use this tool when you have been there before, because most of these require some other key",
    ]);
}

#[test]
fn equal_seed_phrases_have_equal_tags_however_they_are_separated() {
    let redactor = Redactor::default();
    let words = seed_phrase(12, 7, true);
    let tag = |text: &str| redactor.find(text)[0].tag.clone();
    let plain = tag(&words.join(" "));
    assert_eq!(tag(&words.join("\n")), plain);
    assert_eq!(tag(&format!("[\"{}\"]", words.join("\", \""))), plain);
}

#[test]
fn a_passphrase_of_several_words_is_redacted() {
    let words = seed_words();
    for at in (0..words.len() - 600).step_by(151) {
        // Some words of the list are those of sentences.
        let phrase: Vec<&str> =
            [at, at + 170, at + 340, at + 509].iter().map(|at| words[*at]).filter(|word| word.len() > 5).collect();
        if phrase.len() < 4 || phrase[0].ends_with("ed") {
            continue;
        }
        assert_found(
            &phrase.join(" "),
            &[
                "the passphrase is {v}",
                "The passphrase of the backup is {v}.",
                "passphrase: {v}",
                "{\"role\": \"user\", \"content\": \"Disk passphrase: {v}\"}",
                "gpg --batch --passphrase \"{v}\" -d x.gpg",
                "ssh-keygen -t ed25519 -N '{v}' -f key",
                "echo -n '{v}' | cryptsetup luksOpen /dev/sdb2 data",
                "printf '%s' '{v}' | gpg --batch --passphrase-fd 0 -d x.gpg",
            ],
        );
    }
    assert_stays(&[
        "the passphrase is never written down anywhere",
        "the passphrase is hashed using several rounds",
        "passphrase: used when creating keys",
        "ssh-keygen -N '' -f key",
        "echo -n \"$PASSPHRASE\" | cryptsetup luksOpen /dev/sdb2 data",
    ]);
}

#[test]
fn a_pin_is_redacted_where_something_says_what_it_opens() {
    assert_found(
        &generated(6, "0123456789"),
        &[
            "Your verification code is {v}. It expires soon.",
            "{v} is your verification code for the shop",
            "unlock the tablet with PIN {v}",
            "Die PIN für die Firmenkarte lautet {v}.",
            "Kod do bramy to {v}, i już",
            "El código de la puerta es {v}",
            "Il codice della porta è {v}",
            "your login OTP is {v}",
            "HSM_USER_PIN={v}",
            "verification_code: {v}",
            "pkcs11-tool --login --pin {v} --list-objects",
        ],
    );
    assert_stays(&[
        "gpio --pin 17 --mode out",
        "exit code is 1371",
        "the bank code is 20050550",
        "the zip code of the office is 90210",
        "login error code 4031",
        "login code changed in 2024",
        "vault code coverage is 8500",
        "pin the version to 2024",
        "otp: 123456",
    ]);
}

#[test]
fn the_seed_of_one_time_passwords_is_redacted_whole_and_in_groups() {
    let seed = generated(30, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") + "27";
    assert_found(
        &seed,
        &["MFA seed (base32): `{v}`", "gauth add work {v}  # authenticator secret", "pyotp.TOTP(\"{v}\")"],
    );
    let groups: Vec<&str> = (0..8).map(|at| &seed[4 * at..4 * at + 4]).collect();
    for groups in [groups.join(" "), groups.join(" ").to_lowercase(), groups.join("-")] {
        assert_found(
            &groups,
            &["TOTP secret: {v}", "2FA key: {v}", "authenticator key is {v}", "{\"secret\": \"{v}\"}"],
        );
    }
    let codes = [generated(8, "0123456789"), generated(5, "123456789") + "-" + &generated(5, "123456789")];
    for code in codes {
        assert_found(&code, &["Recovery codes:\n1. {v}\n", "\"backup_codes\": [\"{v}\"]"]);
    }
    assert_stays(&[
        "base32 alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "key: when your code runs",
        "status codes: 20012345",
    ]);
}

/// A word and a number, as people choose passwords.
fn chosen() -> String {
    ["Kestrel", "4782"].concat()
}

#[test]
fn a_password_in_the_sentence_after_a_question_is_redacted() {
    assert_found(
        &chosen(),
        &[
            "Q: What is the wifi password?\nA: {v}",
            "user: whats the pw for grafana?\nassistant: It's {v}.",
            "> what was the sudo password again?\nit is `{v}`",
            "The old password leaked. I changed it to {v} today.",
            "I forgot the password. Try {v} instead.",
            "The password was rejected. The new one is {v}.",
            "Wie lautet das Passwort?\nEs ist {v}",
            "Quel est le mot de passe ?\nC'est {v}.",
            "La contraseña caducó. La nueva es {v}.",
            "Jaké je heslo?\nJe to {v}",
            "Какой пароль?\nЭто {v}",
            "密码是什么？\n{v}",
            "비밀번호가 뭐예요?\n{v}예요",
            "ssh alice@host, pw: {v}",
        ],
    );
    assert_stays(&[
        "What's the password policy? It's documented in ISO27001-2022.",
        "Password expired. Use OAuth2 instead.",
        "Enter the password. It is 12 characters long.",
        "How do I reset the password?\nA: Use ResetPasswordV2.",
        "What is the password?\nIt's stored in 1Password.",
        "The password manager crashed. Try Firefox120 instead.",
        "ssh alice@host, pw: Pathway",
    ]);
}

#[test]
fn an_api_key_in_a_sentence_of_another_language_is_redacted() {
    assert_found(
        &chosen(),
        &[
            "Der API-Schlüssel ist {v}, bitte nicht weitergeben.",
            "La clé d'API est {v}, merci.",
            "La chiave API è {v}.",
            "De API-sleutel is {v}, deel hem niet.",
            "Klíč API je {v}.",
            "API-nøkkelen er {v}.",
            "Ключ API — {v}, никому не передавай.",
            "API anahtarı {v}, kimseyle paylaşma.",
            "API密钥为{v}，请勿外传。",
            "APIキーは {v} です。",
            "API 키는 {v}이니 공유하지 마세요.",
        ],
    );
    assert_stays(&[
        "Der API-Schlüssel ist in config-2024.yml hinterlegt.",
        "L'API-Schlüssel für gpt-4o-2024 ist abgelaufen.",
        "APIキーは v2.1 からサポートされています。",
        "API 키는 v1beta1 에서 지원됩니다.",
        "Ключ API v2 — устарел.",
    ]);
}

#[test]
fn keys_of_wallets_drives_and_networks_are_redacted() {
    let groups: Vec<String> = (0..8).map(|at| format!("{:06}", 11 * (4321 + 7919 * at))).collect();
    assert_found(&groups.join("-"), &["BitLocker Recovery Key:\n    {v}\n", "it is {v}."]);
    let hex = format!("0x{}", generated(64, "0123456789abcdef"));
    assert_found(&hex, &["new ethers.Wallet('{v}')", "acct = Account.from_key(\"{v}\")"]);
    assert_found(&chosen(), &["WIFI:T:WPA;S:home;P:{v};;", "{\"qr\": \"WIFI:S:home;P:{v};T:WPA;H:true;;\"}"]);
    assert_stays(&[
        "123456-234567-345678-456789-567890-678901-789012-890123",
        &format!("getTransactionReceipt('{hex}')"),
        "WIFI:T:nopass;S:guest;;",
        "L4dJ3oHSB57wuhtXHEfQ5sSSRSzVLMMWcP2egv7aAFZajJ8okv6E",
    ]);
}

#[test]
fn phrases_and_codes_are_redacted_in_prompts_options_and_lists() {
    let words = seed_phrase(12, 5, true).join(" ");
    assert_found(&words, &["wallet restore --phrase '{v}'"]);
    assert_found(
        "walnut fossil sandal spruce",
        &["Enter passphrase for key '/home/a/.ssh/id_rsa': {v}\nIdentity added."],
    );
    assert_found("walnut-fossil-sandal-spruce", &["luks passphrase = {v}"]);
    assert_found("48217", &["My phone's PIN is {v}.", "Gate code {v} opens the parking lot."]);
    let text = "recovery codes:\nab1cd-2efgh\nijklm-nopqr\nst3uv-4wxyz\n";
    assert_eq!(shown(text), "recovery codes:\n‹›\n‹›\n‹›\n");
    assert_stays(&["recovery codes:\nplease keep them\n", "width = outer-margin-left-right"]);
}
