//! Kinds of secrets that a structure gives away: commands, credential files, statements and records. Each comes with
//! similar texts in which nothing is secret.
//!
//! Secrets are assembled at run time, so that secret scanners ignore this file.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

mod carriers;
mod encodings;
mod inputs;
mod kept;
mod phrases;
#[path = "../samples/mod.rs"]
mod samples;
mod trailing;

use loopmem_safety::Redactor;

use crate::samples::generated;

/// `text` with each secret replaced by `‹›`. Checks that one pass redacts everything and a second one nothing more.
fn shown(text: &str) -> String {
    let redactor = Redactor::default();
    let (mut shown, mut copied) = (String::new(), 0);
    for it in redactor.find(text) {
        shown = shown + &text[copied..it.place.start] + "‹›";
        copied = it.place.end;
    }
    let clean = redactor.redact(text);
    assert_eq!(redactor.redact(&clean), clean, "redacted twice");
    shown + &text[copied..]
}

/// In each text, only the `{v}`, replaced by `value`, is found.
#[track_caller]
fn assert_found(value: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(shown(&text.replace("{v}", value)), text.replace("{v}", "‹›"));
    }
}

/// Nothing is found in any of the texts.
#[track_caller]
fn assert_stays(texts: &[&str]) {
    for text in texts {
        assert_eq!(shown(text), *text);
    }
}

fn base64(length: usize) -> String {
    generated(length, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}

/// A password as people choose them.
fn password() -> String {
    ["Kestrel", "47", "!x"].concat()
}

#[test]
fn a_password_among_the_arguments_of_a_command_is_redacted() {
    assert_found(
        &password(),
        &[
            r#"["curl", "-u", "alice:{v}", "https://example.com"]"#,
            r#"["docker","login","-p","{v}"]"#,
            r#"exec.Command("mysql", "-u", "root", "-p{v}", "shop")"#,
            r#"Command::new("curl").arg("-u").arg("alice:{v}")"#,
            r#"(call-process "curl" nil t nil "-u" "alice:{v}")"#,
            "args:\n  - --password\n  - {v}\n",
            "command:\n  - curl\n  - -u\n  - alice:{v}\n",
            "curl -fsSLu alice:{v} https://example.com/",
            "curl -x proxy:3128 -U 'alice:{v}' https://example.com/",
            "curl https://example.com \\\n  -u \"alice:{v}\" \\\n  -o out",
            "http -a alice:{v} GET https://example.com/",
            "zip -P '{v}' -r out.zip .",
            "unzip -P {v} in.zip",
            "7z a -p{v} out.7z notes",
            "sqlcmd -S db -U sa -P {v} -Q 'select 1'",
            "smbclient //host/share -U alice%{v}",
            "openssl pkcs12 -in cert.p12 -passin pass:{v} -nodes",
            "keytool -list -keystore app.jks -storepass {v}",
        ],
    );
    assert_found("sunshine", &["$ docker login -u ci -p {v}", r#"["sshpass", "-p", "{v}", "ssh", "host"]"#]);
}

#[test]
fn other_arguments_stay() {
    assert_stays(&[
        "docker run -u 1000:1000 -p 8080:80 app",
        "docker login -u ci -p $PASSWORD",
        "curl -u alice:$PASSWORD https://example.com",
        r#"["docker", "run", "-p", "8080:80", "app"]"#,
        "never use docker login -p because of the history",
        "mysql -u root -p shop",
        "mkdir -p build/x86_64-2 && cp -P a.txt b.txt",
        "find . -print -user root -perm 755",
        "tar -xzf app.tar.gz -C /opt/app2 && ssh -p 2222 host",
        "unzip -p archive.zip README2.md",
    ]);
}

#[test]
fn a_private_key_without_its_header_is_redacted() {
    let head = ["MIIEow", "IBAAKC", "AQEA"].concat();
    let lines = [head + &base64(48), base64(64), "+".to_owned() + &base64(63), base64(20) + "=="];
    for divider in ["\n", "\r\n", "\\n", "\n  ", "\"\n  \""] {
        assert_found(&lines.join(divider), &["the key without its first line:\n\n{v}\n\nand more", "body = \"{v}\""]);
    }
    // A certificate begins with another sequence.
    let certificate = ["MIIDazCCAlOgAwIBAgIU".to_owned() + &base64(44), base64(64), base64(24)].join("\n");
    assert_stays(&[&certificate]);
}

#[test]
fn a_truncated_key_in_an_indented_block_is_redacted() {
    let begin = ["-----BEGIN RSA PRIV", "ATE KEY-----"].concat();
    let key = format!("{begin}\n  {}\n  {}", base64(64), base64(64));
    assert_found(&key, &["key: |\n  {v}\nport: 1"]);
}

#[test]
fn an_aws_access_key_is_redacted_without_digits_and_with_its_secret() {
    let id = ["AKIA", "QZXWVKJHTRPLMNBD"].concat();
    assert_found(&id, &["the key {v} was used", "AWS_ACCESS_KEY_ID={v}\nAWS_REGION=eu-west-1"]);
    let secret = base64(40);
    for call in [
        "new BasicAWSCredentials(\"‹id›\", \"‹secret›\")",
        "Aws::Credentials.new('‹id›', '‹secret›')",
        "credentials.NewStaticCredentials(\n\t\"‹id›\",\n\t\"‹secret›\",\n\t\"\",\n)",
        "‹id›,‹secret›",
    ] {
        let text = call.replace("‹id›", &id).replace("‹secret›", &secret);
        assert_eq!(shown(&text), call.replace("‹id›", "‹›").replace("‹secret›", "‹›"));
    }
    assert_stays(&["ASIAPACIFICREGIONALS", "AKIAXXXXXXXXXXXXXXXX", "AKIAIOSFODNNEXAMPLE"]);
}

#[test]
fn the_key_of_a_cosmos_account_is_redacted() {
    let key = base64(76) + "ACDb" + &base64(6) + "==";
    assert_found(&key, &["COSMOS_PRIMARY_KEY={v}", "\"primaryKey\": \"{v}\""]);
}

#[test]
fn the_members_of_a_collection_of_secrets_are_redacted() {
    assert_found(
        &password(),
        &[
            r#"{"passwords": {"alice": "{v}", "bob": "${BOB}"}}"#,
            r#"{"secrets": {"enabled": true, "db": "{v}", "provider": "vault2"}}"#,
            r#"{"apiKey": {"value": "{v}", "source": "manual-2"}}"#,
            r#"{"password": {"type": "string", "default": "{v}"}}"#,
            r#"{"secrets": [{"name": "db", "value": "{v}"}]}"#,
            "{\\\"secrets\\\": {\\\"db\\\": \\\"{v}\\\"}}",
            "credentials = { db = \"{v}\" }",
            "[passwords]\ndb = \"{v}\"\n\n[other]\nport = 1",
            "secrets:\n  prod: {v}\n  other: $OTHER\nimage: app-2.4",
        ],
    );
    assert_stays(&[
        r#"{"credentials": {"username": "svc-app1", "region": "eu-west-1", "keyId": "a1b2c3d4"}}"#,
        r#"{"passwords": {"reset": "Your password has been reset!", "sent": "We have emailed your link."}}"#,
        r#"{"password": {"type": "string", "minLength": 8, "description": "Your password."}}"#,
        r#"{"secrets": {"backend": "vault", "path": "kv/app1", "db": "vault:kv/db"}}"#,
        "secrets:\n  db_password:\n    file: ./secrets/db1.txt\n",
        "secrets:\n  token: ${{ secrets.TOKEN }}\n  store: aws-2\n",
        "[secrets]\nprovider = \"age-2\"\n",
        "const secrets = { db: process.env.DB, key: keys[0] };",
    ]);
}

#[test]
fn the_value_of_a_pair_is_redacted_before_its_name_and_below_a_title() {
    assert_found(
        &password(),
        &[
            r#"{"value": "{v}", "name": "DB_PASSWORD"}"#,
            r#"{"value": "{v}", "type": "x2", "key": "DB_PASSWORD"}"#,
            "env:\n  - value: {v}\n    name: DB_PASSWORD\n  - value: info2\n    name: LOG_LEVEL",
            r#"{"title": "DB_PASSWORD", "content": "{v}"}"#,
            r#"{"subject": "database password", "text": "{v}"}"#,
        ],
    );
    assert_stays(&[
        r#"{"value": "info-22", "name": "LOG_LEVEL"}"#,
        r#"[{"value": "a1b2c3"}, {"name": "DB_PASSWORD"}]"#,
        r#"{"title": "database password", "text": "The rotation runs every 30 days."}"#,
        "- value: info-22\n- name: DB_PASSWORD",
    ]);
}

#[test]
fn a_kubernetes_secret_as_json_or_with_a_block_is_redacted() {
    assert_found(
        "YTF3WElwdCFkZjRRZkY=",
        &[
            r#"{"apiVersion": "v1", "data": {"config": "{v}"}, "kind": "Secret", "metadata": {"name": "db"}}"#,
            "{\n  \"items\": [\n    {\n      \"kind\": \"Secret\",\n      \"data\": {\n        \"a\": \"{v}\"\n      }\n    },\n    {\n      \"kind\": \"ConfigMap\",\n      \"data\": {\n        \"a\": \"b2s0bWU1eDZ5Nw==\"\n      }\n    }\n  ]\n}",
            "kind: Secret\nstringData:\n  config.yaml: |\n    {v}\ntype: Opaque\n",
        ],
    );
    assert_stays(&[r#"{"kind": "ConfigMap", "data": {"config": "YTF3WElwdCFkZjRRZkY="}}"#]);
}

#[test]
fn the_value_of_a_column_is_redacted_in_an_insert() {
    assert_found(
        &password(),
        &[
            "INSERT INTO users(name,password) VALUES('alice','{v}')",
            "insert into users (password, name) values ('{v}', 'alice'), ('{v}', 'bob');",
            "INSERT INTO users (\"name\", \"api_key\") VALUES\n  ('alice', '{v}');",
        ],
    );
    assert_stays(&[
        "INSERT INTO users(name,password) VALUES($1,$2)",
        "INSERT INTO users(name,password) VALUES(?, ?)",
        "INSERT INTO users (password, name) VALUES (:password, 'alice2')",
        "SELECT name, password FROM users WHERE name IN ('alice2', 'bob33')",
        "CREATE TABLE users (name text, password text)",
    ]);
}

#[test]
fn the_password_of_a_connection_string_is_redacted() {
    assert_found(
        &password(),
        &[
            "Server=db;Database=shop;Uid=alice;Pwd={v};SslMode=Required",
            "grant_type=password&username=alice&pwd={v}&scope=openid",
            "export URL=jdbc:oracle:thin:scott/{v}@db.example.com:1521:ORCL",
            "jdbc:oracle:thin:scott/\"{v}\"@orders_tns",
            "sqlplus -s scott/{v}@db.example.com:1521/ORCL",
        ],
    );
    assert_found("sunshine", &["Server=db;Uid=alice;Pwd={v};"]);
    assert_stays(&[
        "jdbc:oracle:thin:@db.example.com:1521:ORCL",
        "jdbc:oracle:thin:scott/${PASSWORD}@db.example.com",
        "cd /tmp; pwd=/home/alice; user=alice",
        "sqlplus /nolog @install.sql",
        "git clone a/b@host:1521",
    ]);
}

#[test]
fn the_hash_of_a_password_file_is_redacted() {
    let base = generated(22, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./");
    for hash in
        [format!("$apr1$kk0Rfayf${base}"), format!("$6$ZvlIq65m${base}{base}"), format!("{{SHA}}{}=", base64(27))]
    {
        assert_found(&hash, &["alice:{v}\n", "users:\n  - \"alice:{v}\"\n", "root:{v}:19700:0:99999:7:::"]);
    }
    assert_stays(&[
        "PATH=$HOME/bin:$HOME/.local/share/very/long/path2",
        "image: app:${VERSION}",
        "url(a:{b}/c1d2e3f4)",
    ]);
}

#[test]
fn secrets_in_terminal_sessions_are_redacted() {
    assert_found(
        &password(),
        &[
            "db.internal:6379> AUTH {v}\nOK",
            "redis-cli -h db\nAUTH alice {v}\nPING",
            "requirepass {v}\nport 6379",
            "CONFIG SET requirepass {v}",
            "*2\r\n$4\r\nAUTH\r\n$11\r\n{v}\r\n",
            "echo \"::add-mask::{v}\"",
            "printf '::add-mask::%s\\n' '{v}'",
            "kubectl create secret generic db --from-literal=token={v}",
            "htpasswd -b .htpasswd alice {v}",
            "rabbitmqctl change_password alice {v}",
            "echo 'alice:{v}' | chpasswd",
        ],
    );
    assert_stays(&[
        "250-AUTH PLAIN LOGIN",
        "the redis AUTH command was added in 1.0",
        "echo \"::add-mask::$TOKEN\"",
        "kubectl create configmap app --from-literal=level=debug-22",
        "the add_user helper2 function3",
    ]);
}

#[test]
fn a_key_of_wireguard_is_redacted() {
    let (key, public) = (base64(43) + "=", "x".to_owned() + &base64(42) + "=");
    assert_found(
        &key,
        &[
            "$ wg genkey\n{v}\n$ ",
            "[Interface]\nPrivateKey = {v}\nAddress = 10.8.0.2/24",
            &format!("wg0\t{{v}}\t{public}\t51820\toff"),
            &format!("wg0\t{public}\t{{v}}\t10.0.0.1:51820\t10.8.0.0/24"),
        ],
    );
    assert_stays(&[&format!("[Peer]\nPublicKey = {public}\nEndpoint = host:51820")]);
}

#[test]
fn the_cookies_of_a_session_are_redacted_in_files_and_records() {
    assert_found(
        &generated(32, "0123456789abcdef"),
        &[
            "curl -b 'theme=dark; JSESSIONID={v}' https://example.com/me",
            "# Netscape HTTP Cookie File\n.example.com\tTRUE\t/\tTRUE\t1872650815\tsessionid\t{v}\n",
            r#"{"cookies": [{"name": "theme", "value": "dark-2"}, {"name": "sessionid", "value": "{v}"}]}"#,
        ],
    );
}

#[test]
fn a_credential_is_redacted_below_its_header() {
    assert_found(
        &generated(40, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
        &["authorization: token\n  {v}", "-H 'Authorization: Bearer \\\n{v}'", "Authorization:\n    Bearer\n    {v}\n"],
    );
    assert_stays(&["Authorization:\n  required: true2\n", "the scheme is Bearer\n\nUnauthorized401Handler"]);
}

#[test]
fn a_password_in_a_mapping_of_one_line_is_redacted() {
    assert_found(
        "hunter2",
        &[
            "db: {host: db.local, user: app, password: {v}, port: 5432}",
            "- {name: app, password: {v}}",
            "<user>app</user><pass>{v}</pass>",
            "<username>app</username>\n  <pwd>{v}</pwd>",
        ],
    );
    assert_found(&password(), &["passwords: {alice: {v}}", "{\"secrets\": {\"db\": \"{v}\"}}"]);
    assert_stays(&[
        "return {user, password: word2};",
        "{user: name, password: input}",
        "db: {password: secretRef, user: app}",
        "<count>4</count><pass>green</pass>",
        "secrets: {stripe: prod-stripe, mail: mail-credentials}",
    ]);
}
