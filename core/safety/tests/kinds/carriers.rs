//! Passwords in the output of databases, in markup, in languages of programming and in the settings of programs.

use crate::{assert_found, assert_stays, password};

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
