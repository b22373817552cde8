//! Passwords stated in sentences, in English and other major languages.

use crate::random::Random;
use crate::score::{Record, secret};

const ENGLISH: &[&str] = &[
    "the password is {v}",
    "The password is {v}.",
    "The {s} password is {v}, please do not share it.",
    "password for the {e} db: {v}",
    "Password for {u} on {h}: {v}",
    "FYI the password for {s} on {e} is now {v}.",
    "use {v} as the password",
    "Use {v} as the password for {s}, the user is {u}.",
    "I changed the root password to {v}",
    "I changed the password from {v} to {v} this morning.",
    "The password was changed to \"{v}\" after the incident.",
    "pw: {v}",
    "user {u} pw {v}",
    "pwd is {v} btw",
    "his passcode was {v}",
    "the passphrase for the key is '{v}'",
    "Passphrase: {v}",
    "my password's {v}",
    "login: {u}, password: {v}",
    "username {u} and password {v}",
    "Log in as {u} with password {v}.",
    "Log in with {u} / {v} (password expires next week)",
    "You can sign in with the password `{v}`.",
    "credentials: {u} / {v}",
    "The credentials for {s} are {u}:{v}.",
    "creds for {e}: {u}/{v}",
    "{u}'s password = {v}",
    "the admin password on {e} has been set to {v}",
    "set the password to {v} and restart {s}",
    "reset {u}'s password to {v}",
    "The default password ({v}) still works on {h}.",
    "The wifi password is {v}!",
    "I told you, the password is {v}, not {w}.",
    "Remember: the {s} database password is {v}",
    "The user said that the password for {h} is \"{v}\".",
    "The temporary password you were sent is **{v}**.",
    "New password: {v}\nIt works on {e} only.",
    "For {s} the secret is {v}.",
    "the shared secret is {v} on both sides",
    "our api key is {v}, keep it safe",
    "the token we use for {s} is {v}",
    "API key for {s}: {v}",
    "The access key for {e} is {v} and it never expires.",
    "enter {v} when asked for the password",
    "type {v} as passphrase",
    "- {e} password: {v}",
    "- password for `{u}`: `{v}`",
    "> password is {v}",
    "We agreed that {v} is the password for {e}.",
    "{v} is the new root password",
    "The vault's master password: {v}",
    "ssh {u}@{h} (password: {v})",
    "connect to {h} as {u}, pass: {v}",
    "Root pass is {v}",
    "the keystore password, which is {v}, must be kept",
];

const LANGUAGES: &[(&str, &[&str])] = &[
    (
        "german",
        &[
            "Das Passwort ist {v}.",
            "Das Passwort lautet {v}",
            "Das Kennwort für die Datenbank lautet: {v}",
            "Passwort für {u}: {v}",
            "Ich habe das Root-Passwort auf {v} geändert.",
            "Bitte {v} als Passwort verwenden.",
            "Zugangsdaten: {u} / {v}",
            "Benutzer {u}, Passwort {v}",
            "Der Schlüssel für {s} ist das Kennwort \u{201e}{v}\u{201c}.",
        ],
    ),
    (
        "french",
        &[
            "Le mot de passe est {v}.",
            "le mot de passe de {u} est « {v} »",
            "Mot de passe : {v}",
            "mot de passe pour {s} : {v}",
            "J'ai changé le mot de passe root en {v}",
            "Utilise {v} comme mot de passe.",
            "Identifiant {u}, mot de passe {v}",
            "Le nouveau mot de passe, c'est {v}, ne le partage pas",
        ],
    ),
    (
        "spanish",
        &[
            "La contraseña es {v}.",
            "contraseña: {v}",
            "La contraseña de {u} en {h} es {v}",
            "Cambié la contraseña de root a {v}",
            "Usa {v} como contraseña para {s}.",
            "usuario {u} y contraseña {v}",
            "La clave de acceso es {v}",
            "la nueva contraseña del servidor es \"{v}\"",
        ],
    ),
    (
        "portuguese",
        &[
            "A senha é {v}.",
            "senha: {v}",
            "A senha do banco de dados é {v}",
            "Mudei a senha do root para {v}",
            "Use {v} como senha em {e}.",
            "usuário {u}, senha {v}",
            "A palavra-passe é {v}",
            "a senha de {u} foi alterada para {v}",
        ],
    ),
    (
        "italian",
        &[
            "La password è {v}.",
            "la password di {u} è {v}",
            "Password per {s}: {v}",
            "Ho cambiato la password di root in {v}",
            "Usa {v} come password.",
            "utente {u}, password {v}",
            "La parola d'ordine è {v}",
        ],
    ),
    (
        "dutch",
        &[
            "Het wachtwoord is {v}.",
            "wachtwoord: {v}",
            "Het wachtwoord voor {s} is {v}",
            "Ik heb het root-wachtwoord gewijzigd in {v}",
            "Gebruik {v} als wachtwoord.",
            "gebruiker {u}, wachtwoord {v}",
        ],
    ),
    (
        "polish",
        &[
            "Hasło to {v}.",
            "hasło: {v}",
            "Hasło do bazy danych to {v}",
            "Zmieniłem hasło roota na {v}",
            "Użyj {v} jako hasła.",
            "użytkownik {u}, hasło {v}",
        ],
    ),
    (
        "russian",
        &[
            "Пароль: {v}",
            "пароль {v}",
            "Пароль от базы данных — {v}.",
            "Пароль для {u} на {h}: {v}",
            "Я сменил пароль root на {v}",
            "Используй {v} как пароль",
            "логин {u}, пароль {v}",
            "новый пароль {v}, никому не говори",
        ],
    ),
    (
        "ukrainian",
        &[
            "Пароль: {v}",
            "пароль від бази даних — {v}.",
            "Я змінив пароль root на {v}",
            "логін {u}, пароль {v}",
            "Новий пароль для {s}: {v}",
        ],
    ),
    (
        "turkish",
        &[
            "Şifre: {v}",
            "Veritabanı şifresi {v}",
            "Yeni şifre {v} oldu.",
            "Parola: {v}",
            "kullanıcı {u}, parola {v}",
            "{s} için parola: {v}",
        ],
    ),
    (
        "czech",
        &[
            "Heslo je {v}.",
            "heslo: {v}",
            "Heslo k databázi je {v}",
            "Změnil jsem heslo roota na {v}",
            "uživatel {u}, heslo {v}",
        ],
    ),
    (
        "swedish",
        &[
            "Lösenordet är {v}.",
            "lösenord: {v}",
            "Lösenordet till databasen är {v}",
            "Jag ändrade lösenordet till {v}",
            "användare {u}, lösenord {v}",
        ],
    ),
    (
        "chinese",
        &[
            "密码是{v}",
            "密码是 {v}。",
            "密码：{v}",
            "数据库密码为{v}，请勿外传",
            "我把root密码改成了{v}",
            "用户名{u}，密码{v}",
            "口令：{v}",
            "登录密码: {v}",
            "密碼是{v}",
        ],
    ),
    (
        "japanese",
        &[
            "パスワードは{v}です",
            "パスワードは「{v}」です。",
            "パスワード：{v}",
            "データベースのパスワードは {v} です。",
            "rootのパスワードを{v}に変更しました",
            "ユーザー名{u}、パスワード{v}",
            "暗証番号は{v}です",
        ],
    ),
    (
        "korean",
        &[
            "비밀번호는 {v}입니다.",
            "비밀번호: {v}",
            "데이터베이스 비밀번호는 {v} 입니다",
            "root 비밀번호를 {v}로 변경했습니다.",
            "패스워드: {v}",
            "아이디 {u}, 비밀번호 {v}",
            "암호는 {v}",
        ],
    ),
    (
        "arabic",
        &[
            "كلمة المرور هي {v}",
            "كلمة المرور: {v}",
            "كلمة السر: {v}",
            "غيرت كلمة المرور إلى {v}",
            "كلمة مرور {s} هي {v}.",
        ],
    ),
    ("hindi", &["पासवर्ड {v} है", "पासवर्ड: {v}", "डेटाबेस का पासवर्ड {v} है।", "नया पासवर्ड {v} है"]),
    (
        "vietnamese",
        &["Mật khẩu là {v}.", "mật khẩu: {v}", "Mật khẩu của {u} là {v}", "Tôi đã đổi mật khẩu root thành {v}"],
    ),
    (
        "indonesian",
        &[
            "Kata sandi: {v}",
            "kata sandinya {v}",
            "Kata sandi untuk {s} adalah {v}.",
            "Password database adalah {v}",
            "Saya mengganti kata sandi root menjadi {v}",
        ],
    ),
];

/// Passwords as people choose them.
pub(crate) fn password(random: &mut Random) -> (&'static str, String) {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    match random.below(7) {
        0 => ("random", random.pattern("[A-Za-z][A-Za-z0-9!@#$%^&*_+=?~-]{5,15}[0-9][A-Za-z0-9!]")),
        1 => ("random", random.pattern("[A-Za-z0-9]{4,8}[!@#$%^&*?][A-Za-z0-9]{4,8}[0-9]")),
        2 => ("random without marks", random.pattern("[A-Za-z][A-Za-z0-9]{6,15}[0-9][A-Za-z0-9]")),
        3 => {
            let word = capital(random.word());
            ("word and digits", word + &random.pattern("(20[0-9]{2}|[0-9]{3,4})[!@#$?]"))
        }
        4 => {
            let word = capital(random.word());
            ("word and digits", word + &random.pattern("[0-9]{3,5}"))
        }
        5 => {
            let (one, two) = (capital(random.word()), capital(random.word()));
            ("words and digits", one + &two + &random.pattern("(-|_|)[0-9]{2,4}(!|)"))
        }
        _ => {
            let words: Vec<_> = (0..random.between(3..=4)).map(|_| random.word()).collect();
            let number = if random.once_in(2) { random.pattern("-[0-9]{1,4}") } else { String::new() };
            ("passphrase", words.join("-") + &number)
        }
    }
}

/// Text that may come before and after.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("", ""),
    ("Note from {u}: ", ""),
    ("", "\nThanks!"),
    ("Summary of the call on {e}.\n", "\nNext: deploy {s}."),
    ("- {s} runs on {h}\n- ", "\n- port {d}"),
    ("[{t}] {u}: ", ""),
];

pub(crate) fn records(random: &mut Random, count: usize) -> Vec<Record> {
    let record = |number: usize| {
        // English as often as all others together.
        let (language, templates) = match number % 2 {
            0 => ("english", ENGLISH),
            _ => LANGUAGES[number / 2 % LANGUAGES.len()],
        };
        let template = random.pick(templates);
        let (before, after) = *random.choose(AROUND);
        let mut kind = "";
        let text = random.fill(&format!("{before}{template}{after}"), |random, _| {
            let (told, value) = password(random);
            kind = told;
            secret(&value)
        });
        let phrase = format!("phrase: {template}");
        Record::new(&[&format!("language: {language}"), &format!("value: {kind}"), &phrase], text)
    };
    (0..count).map(record).collect()
}
