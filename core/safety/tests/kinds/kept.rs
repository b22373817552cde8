//! Values beside names of secrets that are not secrets, and where a value ends.

use crate::samples::generated;
use crate::{assert_found, assert_stays, base64, password};

/// A token of letters and digits.
fn token() -> String {
    generated(24, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
}

#[test]
fn attributes_templates_and_scopes_are_kept() {
    assert_stays(&[
        "input[type=\"password\"]:focus-visible{outline:2px solid var(--token-blue);}",
        "<v-text-field v-model=\"form.password\" :rules=\"passwordRules\" label=\"Password\" />",
        "<input name=\"password\" #password=\"ngModel\" required>",
        "api_key: @@API_KEY@@",
        "Password = %ADMIN_PASSWORD%",
        "scope: 'secret:read'",
        "export const SET_PASSWORD = 'auth/SET_PASSWORD';",
        "const password = useWatch({ control, name: 'password' });",
        "char[] password = console.readPassword(\"Password: \");",
        "assert!(parse(\"password=\").is_err());",
        "Secret \"app-tls\" created",
        "secret: Uint8Array;",
        "  password: String! @deprecated",
        "private_key = <<EOT",
        "\tsigningkey = 4EA895C1570544FB",
        "パスワード：（非表示）",
        "{\"secret\": \"Geheimnis\", \"password\": \"Парола\"}",
        "Passwort: siehe Handbuch. Kennwort vergessen?",
    ]);
    assert_found(
        &password(),
        &[
            "config[\"password\"] = \"{v}\"",
            "<input type=\"password\" value=\"{v}\">",
            "api_key: '{v}'",
            "<password>{v}</password>",
            "secret: '{v}'",
        ],
    );
}

#[test]
fn rows_below_other_headings_are_kept() {
    assert_stays(&[
        "| Endpoint | Auth | Limit |\n|---|---|---|\n| POST /login | password | 5/min |\n",
        "| Credential | Rotation | Owner |\n|---|---|---|\n| api-key | yearly | platform |\n",
        "| secret | namespace | age |\n|---|---|---|\n| app-tls | default | 12d |\n",
        "| Name | Required | Default |\n|---|---|---|\n| JWT_SECRET | ✅ | — |\n",
        "| password | bcrypt | 12 rounds |",
    ]);
    assert_found(
        "sunshine",
        &[
            "| Name | Value |\n|---|---|\n| DB_PASSWORD | {v} |\n",
            "| DB_PASSWORD | {v} |",
            "| user | secret |\n|---|---|\n| alice | {v} |\n",
        ],
    );
    assert_found(&password(), &["| Name | Current |\n|---|---|\n| DB_PASSWORD | {v} |\n"]);
}

#[test]
fn a_header_of_a_private_key_without_its_body_is_kept() {
    assert_stays(&[
        "could not find '-----BEGIN EC PRIVATE KEY-----' in key.pem\n\netag: W/\"5237667e47811B88ac04\"",
        "case \"-----BEGIN RSA PRIVATE KEY-----\":\n    return x509.ParsePKCS1PrivateKey(block.Bytes)",
        "| `-----BEGIN PRIVATE KEY-----` | PKCS#8 PrivateKeyInfo |",
        "\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nYOUR_PRIVATE_KEY\\n-----END PRIVATE KEY-----\\n\"",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC...\n-----END PRIVATE KEY-----",
    ]);
    let key = |join: &str| {
        let label = ["RSA PRIVATE", " KEY-----"].concat();
        ["-----BEGIN ", &label, join, &base64(64), join, "-----END ", &label].concat()
    };
    assert_found(&key("\n"), &["{v}", "> \"{v}\""]);
    assert_found(&key("\\n"), &["key: \"{v}\""]);
    assert_found(&key("\\n\" +\n    \""), &["key = \"{v}\";"]);
    assert_found(&key("\", \""), &["[\"{v}\"].join(\"\\n\")"]);
}

#[test]
fn only_the_value_is_taken() {
    assert_found(
        &token(),
        &[
            "git clone https://x-access-token:{v}@github.com/acme/site.git",
            "ADMIN_PASSWORD: ‘{v}’",
            "Новый пароль: «{v}».",
            "Password: **{v}**\n",
            "127.0.0.1:6379> AUTH default {v}\nOK",
            "password = {v}\n\n\n--\n\nnext",
            "Here are the credentials: m.keller:{v}",
            "{\"id\": 18, \"output\": \"[registries.acme]\\ntoken = \\\"{v}\\\"\\n\"}",
            "{\"id\": 56, \"output\": \"region: eu\\nDD-API-KEY: {v}\"}",
            "Array\n(\n    [host] => ci.example.com\n    [password] => {v}\n    [port] => 3306\n)\n",
        ],
    );
}

#[test]
fn equal_secrets_have_equal_tags_in_every_carrier() {
    let redactor = loopmem_safety::Redactor::default();
    let token = token();
    let tags: Vec<_> =
        ["API_TOKEN={v}\n", "Password: **{v}**\n", "password: “{v}”", "token: {v}\n", "https://token:{v}@host/a"]
            .iter()
            .map(|text| {
                let text = text.replace("{v}", &token);
                redactor.find(&text).into_iter().map(|found| found.tag).collect::<Vec<_>>()
            })
            .collect();
    assert!(tags.iter().all(|found| found.len() == 1 && Some(found) == tags.first()), "{tags:?}");
}

#[test]
fn words_in_sentences_and_commands_stay() {
    assert_stays(&[
        "The token must come over ipv6.",
        "password auth over ipv4 only",
        "the key uses sha2 with salt",
        "key this must live near port 2375",
        "the footprint of internationalization2",
        "connecting to redis\nAuth failed",
        "wpa_passphrase utility generates a PSK",
        "password 8 characters",
        "fingerprint ab12cd34 | passwd",
        "feature-123  a1b2c3d Rotate db_password",
        "dotnet run -p MyApp2",
        "psql -h db -p 5433x",
    ]);
    let sealed =
        ["ENC[AES256_GCM,data:Tr7oc19nc6t1m9OrUeo=,iv:1vzlPZLfy6wa14/x17P8", "Ix8wEGDeY0v2dIboZmmwoww=,type:str]"];
    assert_stays(&[&format!("{{\"password\": \"{}\"}}", sealed.concat())]);
}

#[test]
fn a_password_that_begins_like_something_else_is_redacted_whole() {
    assert_found("wolf-tree-fog4-lamp_9Kd82", &["DB_PASSWORD={v}"]);
    assert_found("密码123456", &["password={v}"]);
}
