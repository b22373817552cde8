//! The words that end names, and what each says about the value.

/// How strongly a name suggests that its value is a secret, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// Not at all: `primaryKey`, `nextPageToken`, `color`.
    None,
    /// The value is a secret if it looks like a credential and not like a digest: `hash`.
    Digest,
    /// The value is a secret if it looks like a credential: `token`, `session`.
    Weak,
    /// The value is a secret if it looks generated: `encryption_key`, `deploy_token`.
    Likely,
    /// The value is a secret, whatever it looks like, unless it is a reference or a placeholder: `password`, `api_key`.
    Strong,
}

/// The endings of names. The words of an ending are joined by hyphens; `*` matches any word. The longest ending that
/// matches decides, and a word decides before `*`.
#[rustfmt::skip]
pub(super) const ENDINGS: &[(Strength, &str)] = {
    use Strength::{Digest, Likely, None, Strong, Weak};
    &[
        // Passwords, in the languages of the people who use agents.
        (Strong, "password passwd passphrase passcode pswd"),
        (Strong, "passwort passworte passwörter passwortes kennwort kennwörter kennwortes losungswort \
            geheimwort geheimnis geheimcode zugangscode zugangsdaten anmeldedaten zugangsschlüssel \
            zugriffsschlüssel apischlüssel api-schlüssel api-schluessel geheimschlüssel geheimer-schlüssel \
            privater-schlüssel schlüssel-api"),
        (Strong, "mot-de-passe mots-de-passe mot-passe motdepasse mdp phrase-secrète phrase-de-passe code-d'accès \
            code-secret clé-secrète cle-secrete clé-privée cle-privee clé-api cle-api clé-d'api cle-d'api \
            clé-d'accès cle-d'acces clé-accès cle-acces"),
        (Strong, "contraseña contraseñas contrasena contrasenas contrasenya clave-secreta \
            clave-privada clave-api api-clave clave-de-api clave-de-acceso clave-acceso frase-secreta \
            frase-de-contraseña palabra-secreta código-secreto codigo-secreto código-de-acceso codigo-de-acceso \
            secreto credenciales"),
        (Strong, "parola-d'ordine parola-ordine frase-segreta codice-segreto codice-di-accesso codice-accesso \
            chiave-segreta chiave-privata chiave-api api-chiave chiave-di-accesso chiave-accesso segreto \
            credenziali"),
        (Strong, "senha senhas palavra-passe palavra-de-passe palavra-secreta chave-secreta \
            chave-privada chave-api api-chave chave-de-api chave-da-api chave-de-acesso chave-acesso \
            código-de-acesso codigo-de-acesso segredo credenciais"),
        (Strong, "wachtwoord wachtwoorden wachtzin paswoord toegangscode geheime-sleutel geheim-sleutel \
            privésleutel privé-sleutel prive-sleutel api-sleutel sleutel-api toegangssleutel inloggegevens"),
        (Strong, "hasło hasła hasłem haśle haslo hasla hasłu klucz-api api-klucz klucz-prywatny prywatny-klucz \
            tajny-klucz klucz-tajny klucz-dostępu klucz-dostepu kod-dostępu kod-dostepu sekret \
            dane-logowania"),
        (Strong, "heslo hesla heslem heslu klíč-api klic-api api-klíč api-klic klíč-k-api soukromý-klíč \
            soukromy-klic tajný-klíč tajny-klic přístupový-klíč pristupovy-klic přístupový-kód tajemství"),
        (Strong, "lösenord lösenordet lösenorden losenord losenordet lösenfras lösenkod kodord hemlighet \
            hemlig-nyckel hemligt-nyckel privat-nyckel api-nyckel apinyckel nyckel-api åtkomstnyckel atkomstnyckel \
            åtkomstkod"),
        (Strong, "adgangskode adgangskoden adgangskoder adgangsord kodeord kodeordet løsen løsenord adgangsnøgle \
            hemmelighed hemmelig-nøgle privat-nøgle api-nøgle apinøgle nøgle-api hemmelig-nogle privat-nogle \
            api-nogle"),
        (Strong, "passord passordet passordene passordfrase hemmelighet hemmelig-nøkkel privat-nøkkel api-nøkkel \
            apinøkkel nøkkel-api tilgangsnøkkel tilgangskode hemmelig-nokkel privat-nokkel api-nokkel"),
        (Strong, "salasana salasanan salasanaa salasanat salasanasi tunnussana tunnuslause salalause salaisuus \
            pääsykoodi paasykoodi salainen-avain yksityinen-avain api-avain apiavain avain-api pääsyavain \
            paasyavain"),
        (Strong, "пароль пароля паролю паролем пароле пароли паролей секрет секретный-ключ секретного-ключа \
            закрытый-ключ приватный-ключ ключ-api api-ключ апи-ключ ключ-доступа ключ-апи парольная-фраза \
            кодовая-фраза кодовое-слово секретное-слово код-доступа"),
        (Strong, "паролі паролів секрет-ключ секретний-ключ закритий-ключ приватний-ключ ключ-доступу \
            парольна-фраза кодова-фраза кодове-слово секретне-слово код-доступу"),
        (Strong, "parola parolası parolam parolan parolanız parolanin şifre şifresi şifrem şifren şifreniz sifre \
            sifresi gizli-anahtar gizli-anahtarı özel-anahtar ozel-anahtar api-anahtarı api-anahtari api-anahtar \
            anahtar-api erişim-anahtarı erisim-anahtari erişim-kodu gizli-kelime gizli-kod"),
        (Strong, "κωδικός κωδικού κωδικό κωδικοί κωδικος κωδικου κωδικο κωδικός-πρόσβασης κωδικού-πρόσβασης \
            κωδικό-πρόσβασης κωδικος-προσβασης συνθηματικό συνθηματικός συνθηματικο μυστικό μυστικο \
            μυστικός-κωδικός κλειδί-api κλειδι-api api-κλειδί μυστικό-κλειδί μυστικο-κλειδι ιδιωτικό-κλειδί \
            ιδιωτικο-κλειδι κλειδί-πρόσβασης κλειδι-προσβασης φράση-πρόσβασης"),
        (Strong, "密码 密碼 口令 通行码 通行碼 密语 暗语 密钥 密鑰 金鑰 私钥 私鑰 秘钥 凭证 凭据 憑證 访问密钥 存取金鑰 api密钥 api金鑰 api-密钥 api-金鑰"),
        (Strong, "パスワード パスフレーズ パスコード 暗証番号 合言葉 合い言葉 秘密鍵 秘密キー シークレット シークレットキー アクセスキー apiキー api-キー 認証情報 認証キー"),
        (Strong, "비밀번호 비번 암호 패스워드 암구호 비밀키 비밀-키 개인키 개인-키 api키 api-키 접근키 접근-키 액세스키 액세스-키 시크릿 시크릿키 시크릿-키 인증키 인증-키 \
            인증정보 비밀-번호"),
        // Credentials and passphrases in these languages.
        (Strong, "parola-d-ordine clé-d-api cle-d-api clé-d-accès cle-d-acces code-d-accès code-d-acces \
            phrase-d-accès frase-d-accesso api-kľúč heslo-správce"),
        (Strong, "anmeldeinformationen zugangsinformationen kennsatz passsatz identifiants identifiants-secrets \
            phrase-d'accès frase-de-paso frase-de-acceso frase-d'accesso frase-di-accesso frase-de-senha \
            frase-senha toegangsgegevens wachtwoordzin poświadczenia poswiadczenia fraza-hasła hasło-dostępu \
            fraza-dostępu prihlasovaci-udaje heslová-fráze přístupová-fráze lösenordsfras inloggningsuppgifter \
            inloggningskod adgangssætning adgangsfrase loginoplysninger legitimationsoplysninger \
            påloggingsinformasjon innloggingsinformasjon legitimasjon tunnistetiedot kirjautumistiedot \
            salasanalause учетные-данные учётные-данные фраза-пароль пароль-фраза облікові-дані kimlik-bilgileri \
            kimlik-bilgisi parola-cümlesi διαπιστευτήρια διαπιστευτηρια συνθηματική-φράση φράση-κλειδί 密码短语 密碼短語 \
            密語 登录凭证 登錄憑證 비밀구 암호문구 암호구 자격증명 자격-증명 비밀값 비밀-값 秘密情報 秘密の言葉"),
        (Strong, "parool jelszó jelszo lozinka лозинка şifrəm mật-khẩu kata-sandi"),
        // Passwords that people shorten.
        (Strong, "*-pwd *-pw *-passwd pgpassword pgpass userpass dbpass dbpwd dbpasswd rootpass adminpass mypass \
            userpwd rootpw userpw bindpw adminpw requirepass masterauth rediscli-auth masterpass secure-string wpa-psk psk pre-shared-key"),
        (Strong, "pass-phrase pass-word pass-code vault-pass db-pass database-pass smtp-pass mail-pass email-pass user-pass admin-pass root-pass mysql-pass \
            pg-pass postgres-pass postgresql-pass redis-pass mongo-pass mongodb-pass ftp-pass sftp-pass ssh-pass \
            http-pass proxy-pass imap-pass pop3-pass ldap-pass rabbitmq-pass amqp-pass sudo-pass wifi-pass \
            wlan-pass vpn-pass keystore-pass truststore-pass key-pass store-pass cert-pass api-pass auth-pass \
            basic-pass account-pass service-pass bind-pass sasl-pass \
            mqtt-pass registry-pass docker-pass sql-pass oracle-pass mssql-pass sa-pass rds-pass es-pass \
            elastic-pass elasticsearch-pass kafka-pass jdbc-pass master-pass access-pass private-pass secret-pass \
            ansible-pass become-pass su-pass default-pass sshpass app-pass host-pass server-pass backup-pass jenkins-pass \
            nexus-pass grafana-pass minio-pass svn-pass git-pass deploy-pass sender-pass"),
        (None, "show-password hide-password forgot-password forgotten-password remember-password toggle-password has-password \
            is-password require-password requires-password no-password reset-password change-password"),
        (None, "old-pwd oldpwd init-cwd"),
        // Secrets by that name.
        (Strong, "secret credential credentials creds security-answer seed-phrase seedphrase recovery-phrase \
            secret-key-base secret-phrase secret-value secret-string"),
        (Strong, "api-key apikey api-keys private-key privatekey access-key accesskey secret-key secretkey \
                    \
            client-secret clientsecret        \
            client-key-data private-key-data    shared-access-key \
            session-secret"),
        (Strong, "api-token apitoken auth-token authtoken access-token accesstoken bearer-token refresh-token \
            secret-token   personal-access-token    \
            "),
        (Strong, "puk pincode one-time-code authenticator-key authenticator-secret mfa-seed totp-seed otp-seed totp-key otp-key 2fa-seed"),
        (Weak, "secrets passwords passphrases"),
        // What is generated, or names something else.
        (Likely, "encryption-key encryptionkey decryption-key signing-key signingkey master-key account-key accountkey \
            hmac-key aes-key jwt-key crypto-key cipher-key wallet-key webhook-key subscription-key auth-key shared-key \
            app-key application-key service-key deploy-key license-key storage-key client-key server-key functions-key \
            integration-key session-key root-key write-key ingestion-key secrets-key admin-key mnemonic *-token"),
        // What is a credential in one program and a word in another.
        (Weak, "token key keys auth pass pwd pw session cookie cookies code pin otp totp cursor nonce signature \
            sig sas sid jwt bearer ticket sess pat *-key *-keys *-seed seed"),
        (Weak, "schlüssel schluessel clé cle clave chiave chave sleutel klucz klíč klic nyckel nøgle nøkkel avain ключ \
            anahtar anahtarı κλειδί キー 키 jeton"),
        (Weak, "api-tokens auth-tokens access-tokens refresh-tokens bearer-tokens"),
        (Digest, "hash"),
        // What is no credential.
        (None, "tokens page-token next-token continuation-token continue-token sync-token pagination-token \
            cancel-token cancellation-token cancelation-token stop-token eos-token bos-token pad-token unk-token \
            mask-token sep-token cls-token start-token end-token first-token last-token lex-token lexer-token \
            syntax-token next-page-token peek-token ast-token previous-token separator-token position-token \
            resume-token delta-token change-token design-token color-token colour-token theme-token \
            next-cursor end-cursor start-cursor prev-cursor previous-cursor page-cursor after-cursor before-cursor"),
        (None, "public-key pub-key primary-key foreign-key sort-key partition-key cache-key index-key \
            idempotency-key object-key row-key map-key lookup-key group-key range-key registry-key hot-key \
            hash-key routing-key translation-key message-key query-key publishable-key host-key known-key dict-key \
            json-key s3-key bucket-key sorting-key unique-key composite-key candidate-key i18n-key locale-key \
            site-key verify-key verifying-key dedup-key dedupe-key shard-key turn-key arrow-key up-key down-key \
            order-key sub-key subkey parent-key child-key field-key column-key property-key prop-key attribute-key \
            attr-key data-key-name storage-cache-key react-key list-key item-key node-key enter-key escape-key \
            tab-key shift-key ctrl-key alt-key meta-key modifier-key function-key key-key label-key title-key \
            text-key event-key press-key cluster-key clustering-key natural-key surrogate-key business-key \
            entity-key record-key join-key"),
        (None, "status-code error-code exit-code return-code response-code http-code country-code language-code \
            lang-code currency-code zip-code postal-code post-code source-code byte-code op-code key-code \
            char-code color-code colour-code area-code bank-code phone-code office-code dialling-code dialing-code calling-code sort-code qr-code bar-code reason-code result-code vs-code \
            claude-code region-code state-code product-code item-code unit-code airport-code icd-code event-code \
            type-code"),
        (None, "public-pin map-pin drop-pin gpio-pin output-pin input-pin led-pin hash-sha digest-auth"),
        (None, "password-secret passwords-secret credentials-secret existing-secret pull-secret tls-secret image-secret open-secret best-secret well-kept-secret"),
        (None, "commit-hash git-hash file-hash content-hash block-hash tx-hash transaction-hash tree-hash sha-hash \
            source-hash build-hash config-hash text-hash"),
    ]
};

/// Words that end in one of these are one: `dbpassword`, `authtoken`, `Datenbankpasswort`.
#[rustfmt::skip]
pub(super) const GLUED: &[(Strength, &str)] = {
    use Strength::{Likely, Strong};
    &[
        (Strong, "password passwd passphrase passcode passwort kennwort wachtwoord lösenord adgangskode kodeord \
            passord salasana secret apikey api_key secretkey accesskey privatekey  encryptionkey \
            signingkey mnemonic salasanan passwortes lösenordet passordet kodeordet пароль 密码 密碼 口令 密钥 密鑰 金鑰 私钥 私鑰 \
            パスワード 暗証番号 秘密鍵 シークレットキー アクセスキー 비밀번호 암호 패스워드 비밀키 개인키 apischlüssel apisleutel apinyckel apitoken \
            authtoken accesstoken bearertoken refreshtoken"),
        (Likely, "token"),
    ]
};

/// Words that name a secret at the start of a name too, in languages that put what it opens after it:
/// `contraseña_admin`, `пароль_бд`.
pub(super) const LEADING: &str = "contraseña contrasena senha palavra-passe mot-de-passe motdepasse hasło \
    haslo heslo пароль секрет secreto segreto segredo sekret clé-secrète cle-secrete clé-privée chiave-segreta \
    chiave-privata chave-secreta chave-privada clave-secreta clave-privada tajny-klucz klucz-prywatny \
    soukromý-klíč tajný-klíč κωδικός κωδικος συνθηματικό συνθηματικο credenciales credenziali credenciais ключ-api \
    ключ-доступа ключ-доступу секретный-ключ секретний-ключ приватный-ключ приватний-ключ clave-api chave-api \
    chiave-api clé-api klucz-api klíč-api κλειδί-api código-de-acceso código-de-acesso codice-di-accesso \
    code-d-accès";

/// Words after those that say something about the secret, and not what it opens.
pub(super) const ABOUT: &str = "min max length len size count policy id name type url uri file path field hint \
    label expiry ttl hash salt reset changed updated created at enabled required valid longitud tamaño política \
    campo caducidad tipo nombre lunghezza campo tipo scadenza tamanho validade nome longueur taille politique \
    champ nom długość pole typ nazwa délka pole název длина поле тип имя довжина назва μήκος πεδίο";

/// What a PIN or a code opens, in the languages of [`ENDINGS`].
pub(super) const OPENED: &str = "door doors gate garage alarm safe vault sim card bank atm debit credit account \
    unlock lock locker screen phone tablet device voicemail login access security entry entrance keypad building \
    house home office intercom parking backup recovery 2fa mfa totp puk wallet cabinet room mailbox box luggage \
    suitcase bike car laptop computer verification confirmation authentication sms tür haustür karte alarmanlage tresor handy konto garagentor schloss eingang porte portail \
    carte alarme coffre coffre-fort téléphone compte entrée puerta tarjeta alarma caja teléfono cuenta entrada \
    porta portone carta allarme cassaforte telefono conto ingresso cancello portão cartão cofre conta telemóvel \
    celular deur voordeur kaart kluis rekening telefoon drzwi karta karty sejf sejfu alarmu telefonu konta bramy \
    dveře dveří trezor trezoru vchod dörr dörren kort kortet larm larmet kassaskåp kassaskåpet dør døren kortet \
    alarmen safen ovi oven kortti kortin hälytin hälyttimen kassakaappi дверь двери карта карты сейф сейфа \
    сигнализация сигнализации телефона картка картки дверей kapı kapının kart kartın kasa kasanın πόρτα πόρτας \
    κάρτα κάρτας χρηματοκιβώτιο";
/// Things that are unlocked with a PIN; read in names only.
pub(super) const OPENED_BY_PIN: &str = "user so admin hsm smartcard piv yubikey token esim bitlocker tpm modem router \
    keyring watch laptop computer parental transport visa mastercard";
/// Of these, what a name with `code` opens: `door_code`, but not `bank_code` or `phone_code`.
pub(super) const OPENED_BY_CODE: &str = "door gate garage alarm safe vault lock unlock locker keypad access backup recovery \
    2fa mfa totp sim entrance verification disarm";
/// The same in scripts without spaces.
pub(super) const OPENED_WIDE: &str = "门 門 卡 保险箱 保險箱 ドア 扉 カード 金庫 玄関 문 카드 금고 현관";

/// Endings that say which of several secrets it is, or in which form.
#[rustfmt::skip]
pub(super) const VARIANTS: &str = "v prod production dev development staging stage stg test testing qa uat live \
    sandbox local old new prev previous current next primary secondary backup main default b base plain plaintext \
    raw value ci eu us rw ro confirmation confirm confirmed again repeat repeated retype verification bestätigung \
    wiederholen";
