//! Words and comments after a value do not hide it.

use serde_json::json;

use crate::samples::generated;
use crate::{Redactor, assert_stays, shown};

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
    ]);
}
