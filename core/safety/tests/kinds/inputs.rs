//! Secrets that commands read from their input, and secrets that stand before their names.

use crate::samples::generated;
use crate::{assert_found, assert_stays, password};

#[test]
fn what_a_command_reads_from_its_standard_input_is_redacted() {
    assert_found(
        &password(),
        &[
            "echo {v} | docker login -u ci --password-stdin",
            "printf '%s' {v} | gh auth login --with-token",
            "echo '{v}' | sudo -S apt update",
            "echo {v} | az devops login",
            "echo alice:{v} | chpasswd",
            "docker login -u ci --password-stdin <<< {v}",
            "gh auth login --with-token <<< \"{v}\"",
            "\"{v}\" | docker login --password-stdin",
            "echo \"{v}\" > db_password.txt",
            r#"{"command": "echo {v} | sudo -S true"}"#,
        ],
    );
    assert_found("sunshine", &["echo {v} | docker login --password-stdin", "echo {v} | sudo -S id"]);
    assert_stays(&[
        "echo \"$TOKEN\" | docker login --password-stdin",
        "cat token.txt | docker login --password-stdin",
        "echo hello | sudo tee /etc/motd",
        "jq -r .token <<< \"$response\"",
        "sha256sum <<< \"hello2\"",
        "echo \"hello world\" > secret.txt",
        "| sudo | docker | login |",
    ]);
}

#[test]
fn the_passwords_of_users_of_redis_and_oracle_are_redacted() {
    assert_found(
        &password(),
        &[
            "ACL SETUSER alice on >{v} ~* +@all",
            "redis-cli ACL SETUSER alice on '>{v}' allkeys +@all",
            "user alice on >{v} ~* +@all",
            "127.0.0.1:6379> HELLO 3 AUTH alice {v}",
            "sentinel auth-pass mymaster {v}",
            "sqlplus scott/{v}@db.example.com:1521:SHOP",
            "sqlplus -s scott/{v}@SHOP_tns @run.sql",
            "CONNECT scott/{v}@SHOP_tns",
            "oracledb.connect(\"scott/{v}@host/shop\")",
            "jdbc:oracle:oci8:scott/{v}@SHOP_tns",
            r"net use Z: \\host\share {v} /user:anton",
        ],
    );
    assert_found(&generated(64, "0123456789abcdef"), &["ACL SETUSER alice on #{v} ~* +@all"]);
    assert_stays(&[
        "ACL SETUSER alice on nopass ~* +@all",
        "ACL SETUSER alice on >$PASSWORD ~* +@all",
        "sqlplus / as sysdba",
        "uses: actions/checkout@v4.1.1",
        "CONNECT proxy.example.com:443 HTTP/1.1",
        "npm install --save types/node@20.11.5",
        "he is on >90 and on #4821",
    ]);
}

#[test]
fn a_value_in_the_column_before_its_name_is_redacted() {
    assert_found(
        &password(),
        &[
            "| value | name |\n|---|---|\n| {v} | DB_PASSWORD |\n| info | LOG_LEVEL |",
            "value,name\n80,PORT\n{v},DB_PASSWORD",
            "wert;name\n{v};DB_PASSWORT",
            "name,value\nDB_PASSWORD,{v}",
            "\"{v}\",\"DB_PASSWORD\"\n\"80\",\"PORT\"",
            "+------+------+\n| {v} | DB_PASSWORD |\n+------+------+",
            "VALUE                NAME\n{v}  CLIENT_SECRET\ninfo   LOG_LEVEL",
        ],
    );
    assert_found("sunshine", &["| valor | clave |\n|---|---|\n| {v} | DB_PASSWORD |", "value;name\n{v};DB_PASSWORD"]);
    assert_stays(&[
        "| Type | Name |\n|------|------|\n| varchar64 | password |\n| char12 | api_key |",
        "| Spec | Field |\n|---|---|\n| RFC6749 | client_secret |",
        "| Default | Name |\n|---|---|\n| none | api_key |\n| `null` | password |",
        "value,name\ntrue,password_required\n8,password_min_length",
        "VERSION      NAME\nv1.28.3      db-password",
        "3f2a9c1b77de4401a2b3  db_password",
    ]);
}

#[test]
fn a_value_before_the_word_for_it_is_redacted() {
    assert_found(
        &password(),
        &[
            "{v} is the password of the admin.",
            "log in with {v}, that is the password",
            "{v} (password of the backup user)",
            "login(user, \"{v}\")  # database password",
            "{v} ist das Passwort für den Admin.",
            "Als Passwort nehmen wir {v}.",
            "{v} est le mot de passe de l'admin.",
            "{v} es la contraseña del admin.",
            "{v} to hasło administratora.",
            "Přihlas se heslem {v} prosím.",
            "{v} — это пароль администратора.",
            "Käytä {v} salasanana.",
            "Χρησιμοποίησε {v} ως κωδικό.",
            "用 {v} 作为密码。",
            "{v} をパスワードとして使ってください。",
            "{v} 를 비밀번호로 사용하세요.",
        ],
    );
    assert_found(
        "sunshine",
        &["`{v}` is my password for the wiki", "»{v}« ist das Passwort.", "Wi-Fiのパスワードは\"{v}\"です。"],
    );
    assert_stays(&[
        "user42 is the password owner",
        "bcrypt12 is the default password hasher",
        "`login2` is not the password of anything",
        "CVE-2021-44228 (hardcoded password) affects v2.14.1",
        "algo = 'pbkdf2_sha256'  # password",
        "1Password 是密码管理器。",
        "bcrypt 를 비밀번호 해시로 사용하세요",
        "SELECT encode(digest(body, 'sha256'), 'hex') AS signature FROM orders",
        "sunshine is the password policy",
    ]);
}

#[test]
fn labels_of_user_interfaces_stay() {
    assert_stays(&[
        "api.key=Clé d'API",
        "password=Mot de passe\napi.key=Clé d'API\ntoken.expires=Expire dans 32 jours",
        r#"{"apiKey": "Clé d’API", "secret": "Secret partagé"}"#,
        r#"{"apiKey": "API-Schlüssel", "passwordAgain": "Şifre tekrar"}"#,
        "密码：请输入",
        "密码:必填项。密钥保存在保险库中。",
        "密码强度：弱",
        "パスワード：8文字以上で入力してください",
        "비밀번호：입력하세요",
    ]);
}

#[test]
fn keys_of_caches_and_tables_stay() {
    assert_stays(&[
        "(session note \"importer\", key 4ad29aa0-51a6-46c6-a8c5-9b0ed10dc230)",
        "the cache key is 3f2a9c1b77de4401, computed from the lock file",
        "cache hit, key: build-linux-x64-3f2a9c1b",
        "rotate signing key id from key-8 to key-15 in staging",
        "  data:\n    - secretKey: cookie\n      remoteRef: { key: profile/player }",
    ]);
}
