//! Words and comments after a value do not hide it.

use serde_json::json;

use crate::samples::generated;
use crate::{Redactor, assert_found, assert_stays, shown};

const NAMES: &[&str] =
    &["DB_PASSWORD=", "API_SECRET = ", "api_secret: ", "SECRET_KEY_BASE=", "SMTP_PASS=", "password: ", "ACCESS_TOKEN="];

const TAILS: &[&str] = &[
    " # for the staging database",
    " # do not commit",
    " # of the bot",
    "  # rotate this in May",
    " // the one for tests",
    " ; mail server of the team",
    "\t# in the vault",
    " is the password",
    " for prod",
    " and DB_USER=root",
    " with the new user",
    ". Rotate it.",
];

fn values() -> [String; 4] {
    let mixed = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
    [generated(11, mixed), generated(22, mixed), generated(64, "0123456789abcdef"), ["hunter", "22"].concat()]
}

#[test]
fn words_after_a_value_do_not_hide_it() {
    for value in values() {
        for name in NAMES {
            for tail in TAILS {
                for text in [format!("{name}{value}{tail}"), format!("PORT=80\n{name}{value}{tail}\nHOST=localhost\n")]
                {
                    assert!(!shown(&text).contains(&value), "{text:?} → {:?}", shown(&text));
                }
            }
        }
    }
}

#[test]
fn words_after_the_value_of_a_field_do_not_hide_it() {
    for value in values() {
        for tail in TAILS {
            let record = json!({ "DB_PASSWORD": format!("{value}{tail}") });
            let (sealed, _) = Redactor::default().seal(&record, &[]).unwrap();
            let sealed = serde_json::to_string(&sealed).unwrap();
            assert!(!sealed.contains(&value), "{record} → {sealed}");
        }
    }
}

#[test]
fn labels_and_texts_about_secrets_stay() {
    assert_stays(&[
        "password=Mot de passe",
        "password.label=Passwort des Benutzers",
        "token=OAuth2 token of the app",
        "api_key=API key for the service # shown in the settings",
        "OPENAI_API_KEY=your key here",
        "DB_PASSWORD= # for the staging database",
        "DB_PASSWORD=$(cat /run/secret) # of the team",
        "DB_PASSWORD=stored in vault",
        "DB_PASSWORD=is set by CI",
        "DB_PASSWORD=changeme in dev",
        "DB_PASSWORD=see 1Password",
        "DB_PASSWORD=vault:kv/db in prod",
        "LOGIN_PASSWORD=Mot de passe",
        "LOGIN_PASSWORD=Enter your password",
        "password: string that the user types",
        "password: 12-digit code for login",
        "password: 90-day rotation",
        "password: SHA256 for the digest",
        "secret: base64 in the header",
    ]);
}

#[test]
fn a_word_after_the_name_of_a_variable_is_its_value() {
    for value in ["sonnenschein", "TuesdayRain", "Tiger!Lily", "rootsecret", "letmein", "postgres"] {
        for name in ["DB_PASSWORD", "MYSQL_ROOT_PASSWORD", "PGPASSWORD", "ADMIN_PASS"] {
            for tail in [
                "",
                " works on staging",
                " docker compose up -d",
                " and DB_USER=app",
                " is what CI has",
                " is the password",
                " psql",
            ] {
                for lead in ["", "  ", "export ", "- ", "PORT=80\n"] {
                    let text = format!("{lead}{name}={value}{tail}");
                    assert_eq!(shown(&text), format!("{lead}{name}=‹›{tail}"));
                }
            }
            let (sealed, _) = Redactor::default().seal(&json!({ name: format!("{value} on staging") }), &[]).unwrap();
            assert!(!serde_json::to_string(&sealed).unwrap().contains(value), "{name}: {value}");
        }
    }
}

#[test]
fn a_password_with_a_word_for_one_in_it_is_found() {
    assert_found("hunter2secret", &["password: {v} is used by auth", "db_password={v} in staging", "password: {v}"]);
    assert_found("hunter2", &["password: {v} is used by auth", "password = {v} for the demo"]);
}
