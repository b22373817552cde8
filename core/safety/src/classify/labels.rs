//! Labels and messages about a secret, as user interfaces and their translations have them in the place of its value:
//! "Passwort eingeben", "Clé d’API", "请输入密码".

use crate::classify::names::{self, Strength};

/// Words of labels in scripts without spaces, wherever they stand.
#[rustfmt::skip]
const WIDE: [&str; 70] = [
    "请", "請", "输入", "輸入", "填写", "填寫", "必填", "必须", "必須", "必需", "至少", "不能", "不可", "为空", "為空", "错误",
    "錯誤", "无效", "無效", "过期", "過期", "长度", "長度", "字符", "字元", "位数", "密码", "密碼", "口令", "确认", "確認", "未设置",
    "未設定", "设置", "加密", "附件", "管理员", "入力", "ください", "文字", "以上", "半角", "英数", "無効", "間違", "期限",
    "パスワード", "設定", "暗号化", "입력", "필수", "하세요", "주세요", "이상", "비밀번호", "암호", "확인", "오류", "만료", "잘못",
    "설정", "필요", "非表示", "非公開", "隐藏", "隱藏", "숨김", "비공개", "伏せ", "未入力",
];
/// The same, at the start only.
const WIDE_FIRST: [&str; 8] = ["见", "見", "无", "無", "已", "未", "同上", "由"];
/// Words after a word for a password that make something else of it: "密码强度", "비밀번호 정책".
#[rustfmt::skip]
const ABOUT: [&str; 45] = [
    "强度", "強度", "长度", "長度", "策略", "规则", "規則", "管理", "重置", "重設", "字段", "框", "哈希", "摘要", "算法", "加密",
    "编码", "登录", "登入", "验证", "驗證", "错误", "錯誤", "保护", "提示", "ポリシー", "ハッシュ", "アルゴリズム", "再設定",
    "リセット", "欄", "フィールド", "認証", "マネージャ", "の長さ", "の強度", "강도", "길이", "정책", "재설정", "해시", "필드",
    "관리", "인증", "찾기",
];

/// Whether `value`, in a script without spaces, is a message about a secret.
pub(crate) fn is_wide_label(value: &[u8]) -> bool {
    // "至少8位" has a number, and a password may have a word for one: `密码123456`.
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits > 2 || !value.iter().any(|byte| *byte >= 0xe3) || value.iter().any(u8::is_ascii_alphabetic) {
        return false;
    }
    let has = |word: &&str| memchr::memmem::find(value, word.as_bytes()).is_some();
    WIDE.iter().any(has) || WIDE_FIRST.iter().any(|word| value.starts_with(word.as_bytes()))
}

/// Whether what follows a word for a password, in a script without spaces, makes something else of it.
pub(crate) fn continues_noun(after: &[u8]) -> bool {
    let after = after.strip_prefix(b" ").unwrap_or(after);
    after.first().is_some_and(|first| *first >= 0xe3) && ABOUT.iter().any(|word| after.starts_with(word.as_bytes()))
}

/// Whether `value` is a title that names a secret: "Secret partagé", "API-Schlüssel", "Clé d’API", "Şifre tekrar".
pub(crate) fn is_title(value: &[u8]) -> bool {
    let is_title = value.first().is_some_and(|first| first.is_ascii_uppercase() || *first >= 0x80);
    let is_of_words = |byte: &u8| {
        byte.is_ascii_alphabetic()
            || *byte >= 0x80
            || matches!(byte, b' ' | b'-' | b'\'' | b'?' | b'!' | b'.' | b':' | b'(' | b')')
    };
    if !is_title || value.len() > MAX_TITLE || !value.iter().all(is_of_words) {
        return false;
    }
    // The typographic apostrophe
    let plain = String::from_utf8_lossy(value).replace('\u{2019}', "'");
    let words = || plain.split([' ', '?', '!', '.', ':', '(', ')']);
    let is_phrase = words().filter(|word| !word.is_empty()).count() > 1;
    let is_name = |word: &str| names::strength(word.as_bytes()) == Strength::Strong;
    match is_phrase {
        true => is_name(&plain) || words().any(is_name),
        // A word with a hyphen is a title in the languages that write it so.
        false => (!value.is_ascii() || plain.starts_with("API-")) && is_name(&plain),
    }
}

/// The longest title, in bytes.
const MAX_TITLE: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_from_passwords() {
        for label in ["请输入", "必填项", "至少8位", "8文字以上で入力してください", "입력하세요", "已过期"]
        {
            assert!(is_wide_label(label.as_bytes()), "{label}");
        }
        for value in ["芝麻开门", "花园42", "ひまわり", "해바라기", "请9xK!m2", "sunshine"] {
            assert!(!is_wide_label(value.as_bytes()), "{value}");
        }
        for label in
            ["Secret partagé", "API-Schlüssel", "Clé d’API", "Şifre tekrar", "Введите пароль", "Passwort eingeben"]
        {
            assert!(is_title(label.as_bytes()), "{label}");
        }
        for value in ["correct horse battery", "Kestrel-Password", "Sunshine", "Ogród", "my secret garden"] {
            assert!(!is_title(value.as_bytes()), "{value}");
        }
    }
}
