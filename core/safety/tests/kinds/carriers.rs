//! Passwords in the output of databases, in markup, in languages of programming and in the settings of programs.

use crate::samples::generated;
use crate::{assert_found, assert_stays, base64, password};

#[test]
fn a_column_of_passwords_in_the_output_of_a_database_is_redacted() {
    assert_found(
        &password(),
        &[
            " id | login | password      | active\n----+-------+---------------+--------\n  1 | root  | {v} | t\n(1 row)\n",
            "+----+---------------+\n| id | api_key       |\n+----+---------------+\n|  1 | {v} |\n+----+---------------+\n",
        ],
    );
    assert_stays(&[
        " id | login | active\n----+-------+--------\n  1 | root  | t\n",
        "| field | type |\n|-------|------|\n| password | varchar(64) |\n",
    ]);
}

#[test]
fn a_cell_beside_its_name_is_redacted() {
    assert_found(
        &password(),
        &[
            "<tr><th>Password</th><td>{v}</td></tr>",
            "<dl><dt>API key:</dt>\n<dd>{v}</dd></dl>",
            "<property value=\"{v}\" name=\"db_password\"/>",
            "<Server><User>app</User><Pass encoding=\"base64\">{v}</Pass></Server>",
        ],
    );
    assert_stays(&[
        "<tr><th>Password</th><td>required</td></tr>",
        "<tr><th>Color</th><td>green7</td></tr>",
        "<label>Password</label><input type=\"password\" name=\"password\">",
    ]);
}

#[test]
fn a_password_in_the_syntax_of_a_language_is_redacted() {
    assert_found(
        &password(),
        &[
            "db_password <- \"{v}\"",
            "Dim dbPassword As String = \"{v}\"",
            "std::string dbPassword{\"{v}\"};",
            "await page.fill('#password', '{v}');",
            "[\"password\"]=>\n  string(12) \"{v}\"",
            "New-LocalUser -Name bob -Password (ConvertTo-SecureString \"{v}\" -AsPlainText -Force)",
            "SET PASSWORD FOR 'bob'@'localhost' = '{v}';",
            "sql.Open(\"mysql\", \"app:{v}@tcp(db:3306)/shop\")",
            "__password__: {v}",
            "- [x] password = {v}",
        ],
    );
    assert_found("sunshine", &["Backup Password = {v}"]);
    assert_stays(&[
        "password <- readline()",
        "if password <-1 { }",
        "Dim dbPassword As String",
        "String password = value;",
        "SET PASSWORD FOR 'bob'@'localhost' = PASSWORD(?);",
    ]);
}

#[test]
fn a_password_in_settings_and_states_of_programs_is_redacted() {
    assert_found(
        &password(),
        &[
            "username admin privilege 15 password 0 {v}",
            "enable secret 5 {v}",
            "{\"type\": \"random_password\", \"instances\": [{\"attributes\": {\"length\": 16, \"result\": \"{v}\"}}]}",
            "##vso[task.setvariable variable=name;issecret=true]{v}",
            "::set-output name=password::{v}",
            "zip -rP {v} out.zip notes",
            "zip -e -P'{v}' out.zip notes",
            "curl -ualice:{v} https://example.com",
            "xfreerdp /u:alice /p:{v} /v:host",
        ],
    );
    // Keys of WordPress have all printable characters.
    let salt = ["{{6uB!>~;7-A:U<n1&", "+Q!qhNs9IA>p2A@ukhaA;", "&<zC=j`NO7^ylhO<uDxr"].concat();
    assert_found(&salt, &["define( 'AUTH_KEY', '{v}' );"]);
    assert_stays(&[
        "router bgp 7 password 0",
        "{\"type\": \"random_pet\", \"result\": \"quick-fox7\"}",
        "##vso[task.setvariable variable=name]plain7Value",
        "std::vec::Vec, Token::Peek2",
        "msbuild /p:Configuration=Release2 app.sln",
    ]);
}

#[test]
fn keys_that_look_like_digests_are_redacted_beside_a_word_for_them() {
    let azure = generated(52, "abcdefghijklmnopqrstuvwxyz234567");
    assert_found(&azure, &["my Azure DevOps PAT is {v}", "tool --pat {v}"]);
    assert_stays(&[&format!("the archive {azure} was fetched")]);
    let cosmos = base64(86) + "==";
    assert_found(&cosmos, &["new CosmosClient(endpoint, \"{v}\")"]);
    assert_stays(&[&format!("integrity sha512-{cosmos}")]);
    let wireguard = base64(43) + "=";
    assert_found(&wireguard, &["$ wg genkey | tee private.key\n{v}", "echo \"{v}\" > /etc/wireguard/private.key"]);
    assert_stays(&[&format!("$ wg pubkey < private.key > public.key; cat public.key\n{wireguard}")]);
}

#[test]
fn a_credential_apart_from_its_header_is_redacted() {
    let token = generated(40, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
    assert_found(
        &token,
        &[
            "\"Authorization\": \"Bearer \" +\n  \"{v}\"",
            "\"Authorization\": f\"Bearer \"\n f\"{v}\"",
            "> Authorization: Bearer\n> {v}",
            "  12  Authorization: Bearer\n  13    {v}",
        ],
    );
    let folded = format!("{}\r\n\t{}", &token[..20], &token[20..]);
    assert_found(&folded, &["Authorization: Bearer {v}\r\nAccept: text/html"]);
    assert_stays(&["\"Authorization\": \"Bearer \" + token", "Authorization: Bearer\nContent-Type: text/html2"]);
}

#[test]
fn a_password_is_redacted_below_its_user_and_in_a_record_about_it() {
    assert_found(
        &password(),
        &[
            "[smtp]\nuser=app\npass={v}",
            "login: app\npwd: {v}",
            "{\"topic\": \"DB_PASSWORD\", \"details\": \"{v}\"}",
            "{\"title\": \"DB_PASSWORD\", \"tags\": [\"db\"], \"content\": \"{v}\"}",
            "{\"prompt\": \"Password:\", \"answer\": \"{v}\"}",
        ],
    );
    assert_stays(&[
        "tests=4\npass=green7",
        "user=app\npwd=/home/app",
        "{\"title\": \"Password rules\", \"content\": \"eight characters\"}",
        "{\"field\": \"password\", \"new\": \"required\"}",
    ]);
}
