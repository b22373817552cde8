//! Opaque values that only their names give away: in configuration, code, commands, URLs and logs.

use crate::random::{Random, base64};
use crate::score::{Record, secret};
use crate::words::Casing::{self, Camel, Dotted, Header, Kebab, Pascal, Snake, Spaced, Upper};

/// What kind of value a place takes.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    /// Letters, digits and dashes.
    Simple,
    /// Base64 too.
    Opaque,
    /// Passwords with symbols too.
    Any,
    /// Passwords with symbols that would end an unquoted word.
    Quoted,
    /// Base64 of a value.
    Encoded,
}

/// The words for a secret that end a name.
const SECRET_WORDS: &[&[&str]] = &[
    &["password"],
    &["password"],
    &["passwd"],
    &["pwd"],
    &["passphrase"],
    &["secret"],
    &["secret"],
    &["token"],
    &["token"],
    &["api", "key"],
    &["api", "key"],
    &["apikey"],
    &["api", "secret"],
    &["api", "token"],
    &["secret", "key"],
    &["access", "key"],
    &["private", "key"],
    &["auth", "token"],
    &["access", "token"],
    &["refresh", "token"],
    &["bearer", "token"],
    &["client", "secret"],
    &["signing", "key"],
    &["signing", "secret"],
    &["encryption", "key"],
    &["master", "key"],
    &["webhook", "secret"],
    &["session", "secret"],
    &["jwt", "secret"],
    &["cookie", "secret"],
    &["app", "key"],
    &["app", "secret"],
    &["account", "key"],
    &["service", "key"],
    &["deploy", "key"],
    &["license", "key"],
    &["hmac", "key"],
    &["shared", "secret"],
    &["secret", "access", "key"],
    &["bot", "token"],
    &["db", "pass"],
    &["credential"],
];
const OWNERS: &[&str] = &[
    "db",
    "database",
    "redis",
    "smtp",
    "admin",
    "stripe",
    "datadog",
    "mistral",
    "cohere",
    "fastly",
    "codecov",
    "algolia",
    "cloudflare",
    "app",
    "my",
    "user",
    "root",
    "internal",
    "prod",
    "staging",
    "mysql",
    "rabbitmq",
    "ldap",
    "aws",
    "azure",
    "okta",
    "twilio",
    "box",
    "zendesk",
    "travis",
    "github",
    "keystore",
    "wandb",
    "deepgram",
    "hetzner",
    "service",
];
const ALL: &[Casing] = &[Upper, Snake, Camel, Pascal, Kebab, Dotted];
const FIELDS: &[Casing] = &[Snake, Camel, Snake, Kebab, Pascal, Upper];
const CODE: &[Casing] = &[Snake, Camel, Upper];

fn name(random: &mut Random, casing: Casing) -> String {
    let mut words = random.choose(SECRET_WORDS).to_vec();
    if !random.once_in(3) {
        words.insert(0, random.pick(OWNERS));
    }
    if random.once_in(6) {
        words.insert(0, random.pick(OWNERS));
    }
    if casing == Header && !random.once_in(4) {
        words.insert(0, "x");
    }
    casing.join(&words)
}

/// A value and its kind in the report.
pub(crate) fn value(random: &mut Random, shape: Shape) -> (&'static str, String) {
    let most = match shape {
        Shape::Encoded => {
            let (kind, value) = value(random, Shape::Quoted);
            return (kind, base64(value.as_bytes()));
        }
        Shape::Simple => 8,
        Shape::Opaque => 11,
        Shape::Any => 13,
        Shape::Quoted => 15,
    };
    match random.below(most) {
        0 => ("hex-32", random.pattern("[0-9a-f]{32}")),
        1 => ("hex-40", random.pattern("[0-9a-f]{40}")),
        2 => ("hex-64", random.pattern("[0-9a-f]{64}|[0-9A-F]{64}")),
        3 | 4 => ("base62-short", random.pattern("[A-Za-z0-9]{12,20}")),
        5 => ("base62-long", random.pattern("[A-Za-z0-9]{21,40}")),
        6 => ("letters", random.pattern("[A-Za-z]{16,40}")),
        7 => ("uuid", random.pattern("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")),
        8 | 9 => {
            let length = random.between(16..=48);
            ("base64", base64(&random.bytes(length)))
        }
        10 => ("base64url", random.pattern("[A-Za-z0-9][A-Za-z0-9_-]{20,42}[A-Za-z0-9]")),
        11 | 12 => ("password", random.pattern("[A-Za-z][A-Za-z0-9!@%^*_+=.~?-]{6,18}[0-9!][A-Za-z0-9]")),
        _ => {
            let marks = "[A-Za-z0-9!@#$%^&*()_+=.~?:;,<>/|{}-]";
            ("password-odd", random.pattern(&format!("[A-Za-z0-9]{marks}{{6,16}}[0-9][A-Za-z!]")))
        }
    }
}

/// A place: its kind, the casings of its names, the values it takes, and its text with `{n}` for the name and `{v}` for
/// the value.
type Place = (&'static str, &'static [Casing], Shape, &'static str);

use Shape::{Any, Encoded, Opaque, Quoted, Simple};

const PLACES: &[Place] = &[
    // Settings files.
    ("env", &[Upper], Any, "{n}={v}"),
    ("env", &[Upper], Any, "# {s}\nSTAGE={e}\n{n}={v}\nPORT={d}\n"),
    ("env", &[Upper], Quoted, "PORT={d}\n{n}=\"{v}\"\nDEBUG=false\n"),
    ("env", &[Upper], Quoted, "export {n}='{v}'\n"),
    ("env", &[Upper], Any, "{n} = {v}\n"),
    ("env", &[Upper], Any, "{n}={v} # ask {u}\nPORT={d}\n"),
    ("env", &[Upper], Any, "#{n}={v}\n"),
    ("json", FIELDS, Quoted, "{\"host\": \"{h}\", \"{n}\": \"{v}\", \"port\": {d}}"),
    ("json", FIELDS, Quoted, "{\n  \"{s}\": {\n    \"{n}\": \"{v}\"\n  }\n}"),
    ("json", FIELDS, Quoted, "{\"user\":\"{u}\",\"{n}\":\"{v}\"}"),
    ("yaml", FIELDS, Any, "{s}:\n  host: {h}\n  {n}: {v}\n  port: {d}\n"),
    ("yaml", FIELDS, Quoted, "{n}: \"{v}\"\n{w}: {d}\n"),
    ("yaml", FIELDS, Quoted, "{n}: '{v}'  # {u}\n"),
    ("yaml block", FIELDS, Any, "{n}: |\n  {v}\n{w}: {d}\n"),
    ("yaml block", FIELDS, Any, "  {n}: >-\n    {v}\n  {w}: {d}\n"),
    ("yaml next line", FIELDS, Quoted, "{n}:\n  \"{v}\"\n{w}: {d}\n"),
    ("yaml next line", FIELDS, Opaque, "{s}:\n  {n}:\n    {v}\n  {w}: {d}\n"),
    ("yaml", FIELDS, Quoted, "{s}: { host: {h}, {n}: \"{v}\", port: {d} }\n"),
    ("yaml", FIELDS, Any, "- {n}: {v}\n  host: {h}\n"),
    ("yaml", FIELDS, Any, "{n}: &{w} {v}\n"),
    ("server settings", FIELDS, Any, "bind 0.0.0.0\nrequirepass {v}\nmaxmemory 1gb\n"),
    ("server settings", FIELDS, Any, "primary_conninfo = 'host={h} user={u} password={v} sslmode=prefer'\n"),
    ("csv", FIELDS, Any, "user,password,stage\n{u},{v},{e}\n"),
    ("toml", FIELDS, Quoted, "[{s}]\nhost = \"{h}\"\n{n} = \"{v}\"\n"),
    ("toml", FIELDS, Quoted, "{n} = '{v}'\n"),
    ("toml", FIELDS, Quoted, "{s} = { host = \"{h}\", {n} = \"{v}\" }\n"),
    ("ini", FIELDS, Any, "[{s}]\nhost={h}\n{n}={v}\nuser={u}\n"),
    ("ini", FIELDS, Any, "[{s}]\n{n} = {v}\n"),
    ("properties", &[Dotted, Kebab], Any, "spring.{s}.{n}={v}\nspring.{s}.url=http://{h}\n"),
    ("properties", &[Dotted, Camel], Any, "{s}.{n}: {v}\n"),
    ("xml", FIELDS, Simple, "<{n}>{v}</{n}>"),
    (
        "xml",
        FIELDS,
        Opaque,
        "<server>\n  <id>{s}</id>\n  <username>{u}</username>\n  <password>{v}</password>\n</server>",
    ),
    ("xml", FIELDS, Opaque, "<add key=\"{n}\" value=\"{v}\" />"),
    ("xml", &[Dotted, Camel], Opaque, "<property name=\"{n}\" value=\"{v}\"/>"),
    ("xml", &[Dotted], Opaque, "<entry key=\"{n}\">{v}</entry>"),
    ("plist", &[Camel, Pascal], Opaque, "<key>{n}</key>\n\t<string>{v}</string>"),
    ("npmrc", FIELDS, Opaque, "//npm.example.com/:_authToken={v}\nalways-auth=true\n"),
    ("npmrc", FIELDS, Encoded, "//npm.example.com/:_password=\"{v}\"\n"),
    ("pypirc", FIELDS, Any, "[pypi]\nusername = __token__\npassword = {v}\n"),
    ("name and value", &[Upper], Quoted, "{\"name\": \"{n}\", \"value\": \"{v}\"}"),
    ("name and value", &[Upper], Quoted, "{\n  \"key\": \"{n}\",\n  \"value\": \"{v}\",\n  \"type\": \"string\"\n}"),
    ("name and value", &[Upper], Quoted, "- name: {n}\n  value: \"{v}\"\n- name: PORT\n  value: \"{d}\"\n"),
    ("name and value", &[Upper], Opaque, "        - name: {n}\n          value: {v}\n"),
    // Containers and machines.
    (
        "kubernetes",
        &[Kebab],
        Encoded,
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: {s}\ntype: Opaque\ndata:\n  {n}: {v}\n",
    ),
    ("kubernetes", &[Kebab], Encoded, "kind: Secret\napiVersion: v1\ndata:\n  {w}: {v}\nmetadata:\n  name: {s}\n"),
    (
        "kubernetes",
        &[Kebab, Upper],
        Quoted,
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: {s}\nstringData:\n  {n}: \"{v}\"\n",
    ),
    ("kubernetes", &[Kebab, Upper], Encoded, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{\"{n}\":\"{v}\"}}"),
    ("kubeconfig", FIELDS, Opaque, "users:\n- name: {u}\n  user:\n    token: {v}\n"),
    ("compose", &[Upper], Any, "services:\n  {s}:\n    environment:\n      - {n}={v}\n      - PORT={d}\n"),
    ("compose", &[Upper], Quoted, "    environment:\n      {n}: \"{v}\"\n      STAGE: {e}\n"),
    ("dockerfile", &[Upper], Any, "FROM debian:12\nENV {n}={v}\nRUN make\n"),
    ("dockerfile", &[Upper], Opaque, "ENV {n} {v}\n"),
    ("dockerfile", &[Upper], Opaque, "ARG {n}={v}\nRUN make {s}\n"),
    ("terraform", FIELDS, Quoted, "resource \"{s}\" \"{w}\" {\n  username = \"{u}\"\n  {n} = \"{v}\"\n}\n"),
    ("terraform", FIELDS, Quoted, "variable \"{n}\" {\n  type    = string\n  default = \"{v}\"\n}\n"),
    ("workflow", &[Upper], Any, "    env:\n      {n}: {v}\n    steps:\n      - run: make\n"),
    ("workflow", FIELDS, Simple, "      - uses: actions/{s}@v4\n        with:\n          token: {v}\n"),
    ("systemd", &[Upper], Any, "[Service]\nEnvironment=\"{n}={v}\"\nRestart=always\n"),
    ("nginx", &[Header], Opaque, "    proxy_set_header {n} \"{v}\";\n"),
    // Commands.
    ("option", &[Kebab], Any, "$ {s}-cli --{n} {v} --stage {e}"),
    ("option", &[Kebab], Any, "$ {s}-cli --user {u} --{n}={v} deploy"),
    ("option", &[Kebab], Quoted, "run `{s} --{n} '{v}'` first"),
    ("option", &[Kebab], Quoted, "{s} --host {h} --{n}=\"{v}\""),
    ("short option", &[Kebab], Any, "mysql -h {h} -u {u} -p{v} {w}"),
    ("short option", &[Kebab], Quoted, "mysqldump -u{u} -p'{v}' {w} > dump.sql"),
    ("short option", &[Kebab], Any, "sshpass -p {v} ssh {u}@{h}"),
    ("short option", &[Kebab], Quoted, "docker login -u {u} -p '{v}' containers.example.com"),
    ("short option", &[Kebab], Any, "redis-cli -h {h} -a {v} ping"),
    ("curl", &[Kebab], Any, "curl -u {u}:{v} https://{h}/api"),
    ("curl", &[Kebab], Quoted, "curl --user '{u}:{v}' https://{h}/api"),
    ("curl", &[Header], Opaque, "curl -X POST -H \"{n}: {v}\" -d '{}' https://{h}/v1/{w}"),
    ("curl", FIELDS, Simple, "curl -d {n}={v} -d grant_type=client_credentials https://{h}/oauth"),
    ("shell", &[Upper], Any, "{n}={v} make deploy"),
    ("shell", &[Upper], Any, "PGPASSWORD={v} psql -h {h} -U {u} -c 'select 1'"),
    ("shell", &[Upper], Quoted, "$ export {n}=\"{v}\" && ./{s}.sh"),
    ("shell", &[Upper], Opaque, "set -x {n} {v}"),
    ("shell", &[Snake], Any, "helm upgrade {s} ./chart --set auth.{n}={v} --wait"),
    ("shell", &[Kebab, Upper], Any, "kubectl create secret generic {s} --from-literal={n}={v}"),
    ("shell", &[Upper], Quoted, "gh secret set {n} --body \"{v}\""),
    ("shell", &[Snake], Any, "vault kv put secret/{s} {n}={v}"),
    ("shell", &[Snake], Opaque, "aws configure set aws_secret_access_key {v}"),
    ("shell", &[Upper], Any, "docker run -e {n}={v} -p 80:80 {s}:latest"),
    ("shell", &[Upper], Opaque, "docker build --build-arg {n}={v} ."),
    ("shell", &[Snake], Any, "ansible-playbook site.yml --extra-vars \"{n}={v}\""),
    ("shell", &[Upper], Any, "openssl enc -d -aes-256-cbc -pass pass:{v} -in {w}.enc"),
    ("shell", &[Upper], Quoted, "echo '{n}={v}' >> .env"),
    ("shell", &[Upper], Quoted, "printf '%s' '{v}' | gh secret set {n}"),
    ("shell", &[Snake], Any, "az login --service-principal -u {w} -p {v} --tenant {w}"),
    ("shell", &[Upper], Any, "+ export {n}={v}\n+ make"),
    ("powershell", &[Upper, Pascal], Quoted, "$env:{n} = \"{v}\""),
    ("powershell", &[Pascal, Camel], Quoted, "${n} = '{v}'"),
    ("powershell", &[Upper], Quoted, "ConvertTo-SecureString \"{v}\" -AsPlainText -Force"),
    ("powershell", &[Pascal], Any, "Connect-{w} -Server {h} -{n} {v}"),
    ("windows shell", &[Upper], Opaque, "set {n}={v}\r\nsetx STAGE {e}\r\n"),
    ("windows shell", &[Upper], Opaque, "setx {n} \"{v}\""),
    // Requests and URLs.
    ("header", &[Header], Opaque, "GET /v1/{w} HTTP/1.1\nHost: {h}\n{n}: {v}\nAccept: */*\n"),
    ("header", &[Header], Opaque, "Authorization: Bearer {v}\nContent-Type: text/plain\n"),
    ("header", &[Header], Opaque, "authorization: Token token=\"{v}\"\n"),
    ("header", &[Header], Opaque, "headers = {\"{n}\": \"{v}\", \"Accept\": \"*/*\"}"),
    ("header", &[Header], Opaque, "'Authorization': 'Bearer {v}'"),
    ("header", &[Header], Simple, "Proxy-Authorization: ApiKey {v}"),
    ("query", FIELDS, Simple, "https://{h}/v1/{w}?{n}={v}&page=2"),
    ("query", FIELDS, Simple, "GET /hook?id={d}&{n}={v} HTTP/1.1"),
    ("form", FIELDS, Simple, "grant_type=client_credentials&client_id={w}&client_secret={v}&scope=read"),
    ("url", FIELDS, Simple, "postgres://{u}:{v}@{h}:5432/{w}"),
    ("url", FIELDS, Simple, "DATABASE_URL=postgresql://{u}:{v}@{h}/{w}?sslmode=require"),
    ("url", FIELDS, Simple, "mongodb+srv://{u}:{v}@{h}/{w}?retryWrites=true"),
    ("url", FIELDS, Simple, "redis://:{v}@{h}:6379/0"),
    ("url", FIELDS, Simple, "the queue is amqp://{u}:{v}@{h}:5672/, ask {u}"),
    ("url", FIELDS, Simple, "git clone https://{u}:{v}@git.example.com/{s}.git"),
    ("url", FIELDS, Simple, "sqlalchemy.url = mysql+pymysql://{u}:{v}@{h}/{w}"),
    ("url", FIELDS, Simple, "smtp://{u}:{v}@{h}:587"),
    ("url", FIELDS, Simple, "jdbc:postgresql://{h}:5432/{w}?user={u}&password={v}"),
    ("url", FIELDS, Simple, "\"jdbc:mysql://{h}/{w}?user={u}&password={v}&useSSL=false\""),
    ("connection string", FIELDS, Any, "Server={h};Database={w};User Id={u};Password={v};"),
    ("connection string", FIELDS, Any, "\"Data Source={h};Initial Catalog={w};User ID={u};Pwd={v};Encrypt=True\""),
    ("connection string", FIELDS, Any, "Driver={ODBC Driver 18 for SQL Server};Server={h};UID={u};PWD={v}"),
    (
        "connection string",
        FIELDS,
        Opaque,
        "DefaultEndpointsProtocol=https;AccountName={w};AccountKey={v};EndpointSuffix=core.windows.net",
    ),
    (
        "connection string",
        FIELDS,
        Opaque,
        "Endpoint=sb://{w}.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={v}",
    ),
    ("connection string", FIELDS, Any, "host={h} port=5432 user={u} password={v} dbname={w}"),
    // Code.
    ("code", CODE, Quoted, "const {n} = \"{v}\";"),
    ("code", CODE, Quoted, "{n} = '{v}'"),
    ("code", CODE, Quoted, "let {n}: &str = \"{v}\";"),
    ("code", CODE, Quoted, "{n} := \"{v}\""),
    ("code", CODE, Quoted, "private static final String {n} = \"{v}\";"),
    ("code", CODE, Quoted, "connect(host=\"{h}\", user=\"{u}\", {n}=\"{v}\")"),
    ("code", CODE, Quoted, "new Client({ {n}: '{v}', timeout: {d} })"),
    ("code", &[Upper], Quoted, "os.environ[\"{n}\"] = \"{v}\""),
    ("code", &[Upper], Quoted, "process.env.{n} = '{v}';"),
    ("code", &[Upper], Quoted, "{w} = os.getenv(\"{n}\", \"{v}\")"),
    ("code", &[Upper], Quoted, "const {w} = process.env.{n} || \"{v}\";"),
    ("code", CODE, Quoted, "config.set(\"{n}\", \"{v}\");"),
    ("code", CODE, Quoted, "'{n}' => '{v}',"),
    ("code", CODE, Quoted, ":{n} => \"{v}\""),
    ("code", &[Upper], Quoted, "define('{n}', '{v}');"),
    ("code", &[Pascal], Quoted, "    {n} = \"{v}\","),
    ("code", &[Pascal], Quoted, "client.Set{n}(\"{v}\")"),
    ("code", &[Upper], Quoted, "#define {n} \"{v}\""),
    ("code", CODE, Quoted, "requests.get(url, auth=(\"{u}\", \"{v}\"))"),
    ("code", CODE, Quoted, "request.basic_auth(\"{u}\", Some(\"{v}\"))"),
    ("code", CODE, Quoted, "auth = HTTPBasicAuth('{u}', '{v}')"),
    ("code", &[Snake], Quoted, "Client::builder().{n}(\"{v}\").build()"),
    ("code", &[Camel], Quoted, "val {n}: String = \"{v}\""),
    ("code", CODE, Quoted, "{n} = \"{v}\" if debug else None"),
    ("code", CODE, Quoted, "config['{n}'] = '{v}'"),
    ("code", CODE, Quoted, "assert settings.{n} == \"{v}\""),
    ("code", CODE, Quoted, "{n}: process.env.{w} ?? '{v}',"),
    ("sql", CODE, Quoted, "ALTER ROLE {u} WITH LOGIN PASSWORD '{v}';"),
    ("sql", CODE, Quoted, "SET PASSWORD FOR '{u}'@'{h}' = PASSWORD('{v}');"),
    ("sql", CODE, Quoted, "CREATE USER {w} WITH PASSWORD '{v}';"),
    ("sql", CODE, Quoted, "ALTER USER '{u}'@'%' IDENTIFIED BY '{v}';"),
    // Logs and notes.
    ("log", CODE, Opaque, "{t} DEBUG {s} connect user={u} {n}={v} attempt={d}"),
    ("log", CODE, Opaque, "level=info msg=\"config loaded\" {n}={v} stage={e}"),
    ("log", CODE, Quoted, "{t} Config { host: \"{h}\", {n}: \"{v}\", port: {d} }"),
    ("log", CODE, Quoted, "{t} INFO {'user': '{u}', '{n}': '{v}'}"),
    ("log", &[Pascal], Simple, "&{Host:{h} User:{u} {n}:{v} Port:{d}}"),
    ("log", CODE, Opaque, "{t} [{s}] {n}: {v}"),
    ("markdown", &[Spaced], Opaque, "**{n}:** {v}"),
    ("markdown", &[Spaced], Opaque, "- **{n}**: `{v}`\n- **Host**: {h}"),
    ("markdown", &[Spaced, Snake], Opaque, "* {n}: {v}\n* host: {h}"),
    ("markdown", &[Spaced], Opaque, "**{n}**\n```\n{v}\n```\n"),
    ("markdown", &[Spaced], Opaque, "{n}:\n\n    {v}\n"),
    ("log", CODE, Opaque, "Using {n} '{v}' from the environment"),
    ("log", CODE, Opaque, "{t} WARN invalid {n}: \"{v}\""),
    ("markdown", &[Spaced], Opaque, "The {n} is `{v}`."),
    ("markdown", &[Spaced], Opaque, "{n} = {v} (from {u})"),
    ("markdown", &[Upper], Any, "Set `{n}={v}` before you run {s}."),
    ("markdown", &[Upper], Opaque, "Set `{n}` to `{v}` before you run {s}."),
    ("table", &[Spaced, Upper], Opaque, "| Name | Value |\n|------|-------|\n| {n} | {v} |\n| host | {h} |"),
    ("table", &[Spaced, Upper], Opaque, "| {n} | `{v}` |"),
    ("table", &[Spaced], Any, "| user | password | stage |\n|---|---|---|\n| {u} | {v} | {e} |"),
    ("any casing", ALL, Opaque, "{n}={v}"),
    ("any casing", ALL, Opaque, "{n}: {v}"),
    ("any casing", ALL, Quoted, "\"{n}\": \"{v}\""),
];

/// All places in turn, with random names and values.
pub(crate) fn records(random: &mut Random, count: usize) -> Vec<Record> {
    let record = |number: usize| {
        let (place, casings, shape, template) = PLACES[number % PLACES.len()];
        let (kind, value) = value(random, shape);
        let casing = *random.choose(casings);
        let name = name(random, casing);
        let text = random.fill(template, |_, slot| if slot == 'n' { name.clone() } else { secret(&value) });
        let told = format!("template: {template:?}");
        Record::new(&[&format!("place: {place}"), &format!("value: {kind}"), &told], text)
    };
    (0..count).map(record).collect()
}
