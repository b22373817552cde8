//! Templates of the texts. In them `{w}` is a word, `{s}` a service, `{u}` a user, `{h}` a host, `{t}` a time, `{d}` a
//! number, `{f}` a path, `{x}` a commit, `{i}` a UUID, `{a}` `{v}` `{n}` parts of a sentence, `{k}` a secret's name.

pub(super) const ADJECTIVES: &[&str] = &[
    "small", "recent", "careful", "broken", "simple", "second", "local", "remote", "empty", "large", "stable",
    "shared", "pending", "strange", "obvious", "partial", "final", "nightly", "internal", "portable",
];
pub(super) const VERBS: &[&str] = &[
    "reads",
    "writes",
    "keeps",
    "moves",
    "drops",
    "merges",
    "checks",
    "starts",
    "ends",
    "returns",
    "waits for",
    "depends on",
    "replaces",
    "ignores",
    "reports",
    "collects",
    "opens",
    "closes",
    "measures",
    "retries",
];
pub(super) const NOUNS: &[&str] = &[
    "file",
    "request",
    "worker",
    "result",
    "index",
    "branch",
    "commit",
    "folder",
    "parser",
    "buffer",
    "table",
    "thread",
    "record",
    "version",
    "release",
    "module",
    "queue",
    "window",
    "number",
    "record of the week",
    "build",
    "test suite",
    "cache line",
    "line of the log",
    "schema",
    "migration",
    "deadline",
    "reviewer",
    "customer",
    "editor",
];
pub(super) const NAMES: &[&str] = &[
    "key",
    "token",
    "password",
    "auth",
    "secret",
    "api_key",
    "authToken",
    "passwd",
    "credentials",
    "SECRET_KEY",
    "pwd",
    "access_token",
    "Authorization",
    "private_key",
    "API_KEY",
    "client_secret",
    "passphrase",
    "session_key",
];

pub(super) const PROSE: &[&str] = &[
    "The {a} {n} {v} the {n} before the {a} {n} {v} it.",
    "When a {n} is {a}, the {n} {v} {d} of them and nobody sees the {w} behind the {n}.",
    "We moved the {n} to the {s} service last week because the {a} {n} took {d} seconds.",
    "It was {u} who noticed that every {n} {v} a {w}, although the {n} says otherwise.",
    "There is no {a} way to do this; the {n} either {v} the {n} or it {v} the {n}.",
    "See `{f}` for the {n} that {v} what the {n} left behind.",
    "Please keep the {n} of {s} as it is, since the {a} {n} {v} it twice a day.",
    "After the {n} had {d} entries the {n} became {a}, so that the {w} {n} was split.",
    "All authors agreed that the {n} passes when the {a} {n} {v} the {n}.",
    "If in doubt, ask {u}, who wrote the {n} and knows why the {w} {n} {v} the {n}.",
];
pub(super) const MARKDOWN: &[&str] = &[
    "## The {a} {n} of {s}\n\n- the **{n}** {v} the `{w}_{w}` of {s}\n- `{f}` holds {d} lines, see [the {n}](https://{h}/{w}/{d})\n- nothing {v} the {n}\n",
    "| {n} | {n} | {n} |\n|---|---|---|\n| {w} | {d} | {a} |\n| {w} | {d} | {a} |\n| {w} | {d} | {a} |\n",
    "```sh\ncargo build --release --package {s} && ./target/release/{s} --{w} {d} {f}\ngit log --oneline -n {d} -- {f}\n```\n",
    "1. Open `{f}` and find the {n} that {v} the {a} {n}.\n2. Change `{w}.{w}` to `{d}` and save the {n}.\n3. Run the {n} again: it {v} the {n}.\n",
    "> The {a} {n} {v} the {n}, and the {n} {v} the {w}.\n\nThat is commit {x}, which {u} made for {s}.\n",
    "### {w} {d}.{d}.{d}\n\nThe {n} {v} the {n} now. Map keys are sorted, and the {a} {n} {v} the {n} no longer.\n",
];
pub(super) const LOG: &[&str] = &[
    "{t} INFO {s} request {i} served in {d} ms, {d} bytes\n",
    "{t} DEBUG {s}::{w} the {n} {v} the {n} ({d} of {d})\n",
    "{t} WARN {s} the {a} {n} took {d} ms at {f}:{d}\n",
    "{t} INFO {s} GET /v1/{w}/{d}?limit={d}&sort={w} 200 {d}us {h}\n",
    "{t} ERROR {s} could not open /var/lib/{s}/{w}/{w}.db: no such file (errno {d})\n",
    "{t} INFO {s} worker {d} started, {d} entries in the {w} queue\n",
    "{t} INFO {s} connected to http://{h}:{d}/{w} as {u}\n",
    "test {s}::{w}::{w}_{w}_{v} ... ok\n",
    "   Compiling {w}-{w} v{d}.{d}.{d} (/home/{u}/{s}/crates/{w})\n",
];
pub(super) const CODE: &[&str] = &[
    "/// The {a} {n} that {v} the {n}.\npub fn {w}_{w}(&self, {w}: usize, limit: Option<u32>) -> Result<Vec<Entry>, Error> {\n    let mut found = Vec::with_capacity({w});\n    for entry in self.entries.iter().filter(|entry| entry.{w} > {d}) {\n        found.push(entry.clone());\n    }\n    Ok(found)\n}\n",
    "def {w}_{w}({w}, {w}=None):\n    \"\"\"The {n} {v} the {a} {n}.\"\"\"\n    if {w} is None:\n        return [item.{w} for item in {w} if item.count > {d}]\n    logger.info(\"the %s of %s\", {w}, len({w}))\n    return {w}.join(\"{w}\")\n",
    "export async function {w}{d}(request: Request, reply: Reply): Promise<void> {\n  const {w} = await this.{w}Service.findManyByName(request.params.name, { limit: {d} });\n  if (!{w}.length) {\n    reply.status(404).send({ error: 'no {n}', path: '{f}' });\n  }\n}\n",
    "static int {w}_{w}(struct {w} *self, const char *name, size_t length)\n{\n\tif (!self || length > MAX_{w})\n\t\treturn -EINVAL;\n\tmemcpy(self->buffer, name, length);\n\tprintf(\"{n}: %s\\n\", name);\n\treturn self->{w}_count++;\n}\n",
    "impl<K: Hash + Eq> {w}::Table<K> for {w}::Index {\n    type Entry = {w}::Row<'static>;\n\n    fn get(&self, key: &K) -> Option<&Self::Entry> {\n        self.rows.get(self.place_of(key)?)\n    }\n}\n",
    "[package]\nname = \"{w}-{w}\"\nversion = \"{d}.{d}.{d}\"\nedition = \"2024\"\n\n[dependencies]\n{w} = { version = \"{d}.{d}\", default-features = false }\n{w}-{w} = { path = \"../{w}\" }\n",
];

pub(super) const DENSE_PROSE: &[&str] = &[
    "The token of the {n} is refreshed when the key of {s} expires.",
    "A password is required before the auth service {v} the {n}.",
    "Every secret lives in the vault, and the key that opens it is kept by {u}.",
    "The {k} of {s} is rotated by the {n}, which {v} the old token.",
    "Basic auth was replaced: a token is passed with the {a} {n}.",
    "Whoever {v} the key must not know the passphrase of the {n}.",
    "The author of the {n} says that tokens and keys are never logged.",
];
pub(super) const DENSE_LOG: &[&str] = &[
    "{t} INFO auth: token of user={u} refreshed, key id={d}\n",
    "{t} WARN {s} password check took {d} ms, auth={w}\n",
    "{t} DEBUG {s} key={w} token_count={d} cache_key={w}:{d}\n",
    "{t} ERROR auth token expired for {u} at {h}, secret=missing\n",
    "{t} INFO rotated {k} of {s}: password_age={d} days\n",
];
pub(super) const DENSE_CODE: &[&str] = &[
    "    let token = self.auth.token(key)?;\n    let secret = vault.secret_for(&token.key).await?;\n    if token.is_expired() { return Err(AuthError::Token(key.clone())); }\n",
    "def authenticate(self, username, password, token=None):\n    key = self.keys.get(token.key_id)\n    return check_password(password, key.secret)\n",
    "  const token: Token = await auth.getToken(apiKey);\n  const password = process.env.DB_PASSWORD;\n  headers.set('Authorization', `Bearer ${token}`);\n",
    "fn parse(tokens: &[Token], key: &Key) -> Result<Auth> {\n    let token = tokens.first().ok_or(Error::NoToken)?;\n    Auth::new(token.kind, key.as_ref(), config.secret_path)\n}\n",
];
pub(super) const DENSE_CONFIG: &[&str] = &[
    "auth:\n  token_ttl: {d}\n  key_path: /etc/{s}/tls.key\n  secretName: {s}-tls\n  password_min_length: {d}\n",
    "API_KEY=${API_KEY}\nAUTH_TOKEN=<your-token>\nDB_PASSWORD=changeme\nSECRET_KEY_FILE=/run/secrets/{w}\n",
    "[auth.tokens]\nkey = \"{w}\"\ntoken_url = \"https://{h}/oauth/token\"\npassword_policy = \"{w}\"\n",
    "  - name: {k}\n    valueFrom:\n      secretKeyRef:\n        name: {s}-auth\n        key: token\n",
];

/// What else stands in files of settings.
pub(super) const CONFIG: &[&str] = &[
    "server:\n  host: {h}\n  port: {d}\n  workers: {d}\n  log:\n    level: info\n    path: /var/log/{s}/{w}.log\n    rotate: daily\n",
    "[{w}.{w}]\nenabled = true\nlimit = {d}\npath = \"{f}\"\nmembers = [\"{w}\", \"{w}\", \"{w}\"]\n# The {n} {v} the {n}.\n",
    "  - image: registry.internal/{s}/{w}:{d}.{d}\n    replicas: {d}\n    resources:\n      limits:\n        memory: {d}Mi\n    args: [\"--{w}\", \"{d}\"]\n",
];

pub(super) const CHINESE: &[&str] = &[
    "我们", "需要", "文件", "服务", "启动", "以后", "请求", "返回", "结果", "测试", "数据", "版本", "已经", "更新",
    "配置", "没有", "问题", "可以", "使用", "新的", "接口", "日志", "显示", "错误", "，", "，", "用户", "系统", "运行",
    "时间",
];
pub(super) const CYRILLIC: &[&str] = &[
    "сервис",
    "после",
    "запуска",
    "читает",
    "файл",
    "и",
    "возвращает",
    "ответ",
    "мы",
    "обновили",
    "версию",
    "потому",
    "что",
    "тесты",
    "падали",
    "на",
    "новой",
    "сборке",
    "данные",
    "хранятся",
    "в",
    "таблице",
    "ошибка",
    "журнал",
    "показывает",
    "время",
    "запроса",
    "не",
    "нужно",
    "менять",
];

pub(super) const JSON_LOG: &[&str] = &[
    r#"{"time":"{t}","level":"info","service":"{s}","message":"the {a} {n} {v} the {n}","took":{d}}
"#,
    r#"{"time":"{t}","level":"warn","service":"{s}","message":"no \"{w}\" in \"{f}\"","request":"{i}"}
"#,
    r#"{"time":"{t}","level":"error","service":"{s}","message":"could not parse \"{f}\"\nthe {n} {v} the {n}\n","stack":"Error: {a} {n}\n    at {w} (/app/{f}:{d}:{d})\n    at {w}.{w} (/app/{f}:{d}:{d})\n    at async {s} (/app/{f}:{d}:{d})"}
"#,
    r#"{"time":"{t}","level":"debug","service":"{s}","body":"{\"id\":{d},\"name\":\"{w}\",\"path\":\"{f}\",\"tags\":[\"{w}\",\"{w}\"]}"}
"#,
    r#"{"role":"assistant","content":"See `{f}`:\n\n```rust\nlet {w} = \"{w}\";\nfor {w} in 0..{d} {\n    println!(\"{w}\");\n}\n```\n\nIt {v} the {n}."}
"#,
];
pub(super) const COLOURED_LOG: &[&str] = &[
    "<E>2m{t}<E>0m <E>32m INFO<E>0m <E>1m{s}<E>0m<E>2m:<E>0m the {a} {n} {v} the {n}\n",
    "<E>2m{t}<E>0m <E>33m WARN<E>0m <E>1m{s}<E>0m<E>2m:<E>0m took <E>3m{d}<E>0m ms at {f}:{d}\n",
    "<E>38;5;39m{s}_1  |<E>0m GET /v1/{w}/{d} <E>32;1m200<E>0m in {d} ms\n",
    "<E>0m<E>0m<E>1m<E>32m   Compiling<E>0m {w}-{w} v{d}.{d}.{d}\n",
    "<E>1m<E>91merror[E0{d}]<E>0m<E>1m: no {n} in `{w}`<E>0m\n<E>94m  --> <E>0m{f}:{d}:{d}\n",
];
