//! The table of prefixes, grouped by what the providers do.

use super::{Alphabet, Provider};

/// All kinds. A prefix comes before shorter ones that it starts with, so that taking the first match and taking the
/// longest find the same rule.
pub(crate) static PROVIDERS: &[Provider] = providers! {
    // Code hosting.
    "github-pat" = "ghp_" + Word * 30 firm: "GitHub personal access token (classic)";
    "github-fine-grained-pat" = "github_pat_" + Word * 36 firm: "GitHub personal access token (fine-grained)";
    "github-oauth-token" = "gho_" + Word * 30 firm: "GitHub OAuth access token";
    "github-user-token" = "ghu_" + Dotted * 30 firm: "GitHub App user access token";
    "github-installation-token" = "ghs_" + Dotted * 30 firm: "GitHub App installation access token";
    "github-refresh-token" = "ghr_" + Word * 30 firm: "GitHub App refresh token";
    "gitlab-pat" = "glpat-" + Dotted * 20 firm: "GitLab personal, project or group access token";
    "gitlab-deploy-token" = "gldt-" + Dotted * 20 firm: "GitLab deploy token";
    "gitlab-runner-token" = "glrt-" | "glrtr-" + Dotted * 20 firm: "GitLab runner authentication token";
    "gitlab-runner-registration-token" = "GR1348941" + Base64Url * 20 firm: "GitLab runner registration token";
    "gitlab-job-token" = "glcbt-" + Dotted * 20 firm: "GitLab CI/CD job token";
    "gitlab-trigger-token" = "glptt-" + Dotted * 20 firm: "GitLab pipeline trigger token";
    "gitlab-feed-token" = "glft-" + Dotted * 20 firm: "GitLab feed token";
    "gitlab-incoming-mail-token" = "glimt-" + Dotted * 20 firm: "GitLab incoming mail token";
    "gitlab-agent-token" = "glagent-" + Dotted * 20 firm: "GitLab agent for Kubernetes token";
    "gitlab-workspace-token" = "glwt-" + Dotted * 20 firm: "GitLab workspace token";
    "gitlab-scim-token" = "glsoat-" + Dotted * 20 firm: "GitLab SCIM token";
    "gitlab-feature-flag-token" = "glffct-" + Dotted * 20 firm: "GitLab feature flags client token";
    "gitlab-oauth-secret" = "gloas-" + Dotted * 20 firm: "GitLab OAuth application secret";
    "gitlab-session" = "_gitlab_session=" + Alnum * 20 firm: "GitLab session cookie";
    "bitbucket-app-password" = "ATBB" + Base64Url * 24 firm: "Bitbucket app password";
    "bitbucket-server-token" = "BBDC-" + Base64 * 30 firm: "Bitbucket Data Center access token";
    "sourcegraph-token" = "sgp_" + Word * 36 firm: "Sourcegraph access token, or Segment Public API token";
    "sourcegraph-license-key" = "slk_" + Alnum * 40 firm: "Sourcegraph license key";
    "sourcegraph-gateway-token" = "sgd_" + Alnum * 40 firm: "Sourcegraph gateway token";
    "amp-token" = "sgamp_" + Word * 30 firm: "Amp access token";
    "phabricator-token" = "cli-" | "api-" + LowerAlnum * 28 weak: "Phabricator Conduit token";
    "gitpod-pat" = "gitpod_pat_" + Dotted * 30 firm: "Gitpod personal access token";

    "intra42-secret" = "s-s4t2ud-" | "s-s4t2af-" + Hex * 60 firm: "42 API client secret";

    // Package registries.
    "npm-token" = "npm_" + Alnum * 30 firm: "npm access token";
    "pypi-token" = "pypi-AgEI" + Base64Url * 40 firm: "PyPI upload token";
    "test-pypi-token" = "pypi-AgEN" + Base64Url * 40 firm: "TestPyPI upload token";
    "rubygems-token" = "rubygems_" + Alnum * 40 firm: "RubyGems API key";
    "crates-io-token" = "cio" + Alnum * 32 firm: "crates.io API token";
    "nuget-key" = "oy2" + LowerAlnum * 40 firm: "NuGet API key";
    "docker-pat" = "dckr_pat_" + Base64Url * 20 firm: "Docker personal access token";
    "docker-oat" = "dckr_oat_" + Base64Url * 20 firm: "Docker organization access token";
    "artifactory-key" = "AKCp" + Alnum * 60 firm: "JFrog Artifactory API key";
    "artifactory-reference-token" = "cmVmdGtu" + Alnum * 40 firm: "JFrog Artifactory reference token";
    "clojars-token" = "CLOJARS_" + Alnum * 50 firm: "Clojars deploy token";
    "packagist-token" = "packagist_" + Word * 40 weak: "Private Packagist token";
    "cloudsmith-key" = "csa_" + Alnum * 30 firm: "Cloudsmith API key";
    "open-vsx-token" = "ovsxp_" | "ovsxat_" + Base64Url * 30 firm: "Open VSX access token";
    "thunderstore-token" = "tss_" + Alnum * 32 firm: "Thunderstore service account token";
    "modrinth-token" = "mrp_" | "mra_" + Alnum * 40 firm: "Modrinth access token";
    "readme-key" = "rdme_" + Alnum * 50 firm: "ReadMe API key";

    // Models and agents.
    "openai-project-key" = "sk-proj-" + Base64Url * 32 firm: "OpenAI project API key";
    "openai-service-account-key" = "sk-svcacct-" + Base64Url * 32 firm: "OpenAI service account API key";
    "openai-admin-key" = "sk-admin-" + Base64Url * 32 firm: "OpenAI admin API key";
    "openai-session-key" = "sess-" + Alnum * 36 firm: "OpenAI session key";
    "anthropic-api-key" = "sk-ant-api" + Base64Url * 32 firm: "Anthropic API key";
    "anthropic-admin-key" = "sk-ant-admin" + Base64Url * 32 firm: "Anthropic admin API key";
    "anthropic-oauth-token" = "sk-ant-oat" + Base64Url * 32 firm: "Anthropic OAuth access token";
    "anthropic-refresh-token" = "sk-ant-ort" + Base64Url * 32 firm: "Anthropic OAuth refresh token";
    "anthropic-session-key" = "sk-ant-sid" + Base64Url * 32 firm: "Anthropic session key";
    "anthropic-key" = "sk-ant-" + Base64Url * 32 weak: "Anthropic key of another kind";
    "openrouter-key" = "sk-or-" + Base64Url * 32 weak: "OpenRouter API key";
    "langfuse-key" = "sk-lf-" + Uuid * 32 firm: "Langfuse secret key";
    "windsurf-key" = "sk-ws-" + Base64Url * 32 weak: "Windsurf API key";
    "groq-key" = "gsk_" + Alnum * 40 firm: "Groq API key";
    "xai-key" = "xai-" + Base64Url * 50 firm: "xAI API key";
    "perplexity-key" = "pplx-" + Alnum * 32 firm: "Perplexity API key";
    "replicate-token" = "r8_" + Alnum * 32 firm: "Replicate API token";
    "hugging-face-oauth-token" = "hf_oauth_" | "hf_jwt_" + Dotted * 40 firm: "Hugging Face OAuth token";
    "hugging-face-token" = "hf_" + Alnum * 30 firm: "Hugging Face access token";
    "hugging-face-org-token" = "api_org_" + Alnum * 30 firm: "Hugging Face organization API token";
    "langsmith-personal-token" = "lsv2_pt_" + Word * 36 firm: "LangSmith personal access token";
    "langsmith-service-key" = "lsv2_sk_" + Word * 36 firm: "LangSmith service key";
    "langsmith-legacy-key" = "ls__" + Alnum * 30 weak: "LangSmith API key (legacy)";
    "cerebras-key" = "csk-" + Alnum * 40 firm: "Cerebras API key";
    "fireworks-key" = "fw_" + Alnum * 20 weak: "Fireworks AI API key";
    "together-key" = "tgp_v1_" + Base64Url * 36 firm: "Together AI API key";
    "anyscale-key" = "esecret_" + Alnum * 20 firm: "Anyscale API key";
    "nvidia-key" = "nvapi-" + Base64Url * 40 firm: "NVIDIA API key";
    "runpod-key" = "rpa_" + Alnum * 36 firm: "RunPod API key";
    "modal-token" = "as-" | "ak-" + Alnum * 20 weak: "Modal token";
    "voyage-key" = "pa-" + Base64Url * 40 weak: "Voyage AI API key";
    "jina-key" = "jina_" + Base64Url * 40 firm: "Jina AI API key";
    "pinecone-key" = "pcsk_" + Word * 40 firm: "Pinecone API key";
    "wandb-key" = "wandb_v1_" + Word * 40 firm: "Weights & Biases API key";
    "tavily-key" = "tvly-" + Base64Url * 24 weak: "Tavily API key";
    "firecrawl-key" = "fc-" + Hex * 32 weak: "Firecrawl API key";
    "brave-search-key" = "BSA" + Base64Url * 24 weak: "Brave Search API key";
    "you-com-key" = "ydc-sk-" + Base64Url * 24 weak: "You.com API key";
    "context7-key" = "ctx7sk-" + Base64Url * 24 firm: "Context7 API key";
    "composio-key" = "ak_" | "ck_" + Base64Url * 20 weak: "Composio or ngrok API key, or WooCommerce consumer key";
    "browserbase-key" = "bb_live_" | "bb_test_" + Base64Url * 24 firm: "Browserbase API key";
    "cartesia-key" = "sk_car_" + Word * 18 weak: "Cartesia API key";
    "cursor-key" = "crsr_" + Alnum * 40 firm: "Cursor API key";
    "devin-user-key" = "apk_user_" + Base64 * 60 firm: "Devin personal API key";
    "devin-service-key" = "apk_" + Base64 * 60 weak: "Devin service API key";
    "devin-token" = "cog_" + LowerAlnum * 40 firm: "Devin service user token";
    "e2b-key" = "e2b_" + Alnum * 36 firm: "E2B API key";
    "daytona-key" = "dtn_" + Alnum * 40 firm: "Daytona API key";
    "mem0-key" = "m0-" + Alnum * 36 weak: "Mem0 API key";
    "kaggle-token" = "KGAT_" + Alnum * 28 firm: "Kaggle API token";
    "apify-token" = "apify_api_" + Alnum * 30 firm: "Apify API token";
    "dvc-studio-token" = "isat_" + Alnum * 40 firm: "DVC Studio access token";

    // Clouds.
    "aws-access-key" = "AKIA" | "ASIA" | "ABIA" | "ACCA" | "A3T" + UpperAlnum * 16 firm: "AWS access key id";
    "aws-session-token" = "IQoJb3JpZ2lu" | "FwoGZXIvYXdz" | "FQoGZXIvYXdz" + Base64 * 80 firm: "AWS session token";
    "aws-bedrock-key" = "ABSK" + Base64 * 80 firm: "Amazon Bedrock API key (long-term)";
    "aws-bedrock-session-key" = "bedrock-api-key-" + Base64 * 40 firm: "Amazon Bedrock API key (short-term)";
    "amazon-mws-token" = "amzn.mws." + Uuid * 32 firm: "Amazon MWS auth token";
    "amazon-login-secret" = "amzn1.oa2-cs.v1." + Alnum * 40 firm: "Login with Amazon client secret";
    "amazon-login-token" = "Atza|" | "Atzr|" + Base64 * 60 firm: "Login with Amazon access or refresh token";
    "google-api-key" = "AIza" + Base64Url * 30 weak: "Google API key";
    "google-vertex-key" = "AQ.Ab" + Base64Url * 40 firm: "Google Gemini or Vertex AI API key";
    "google-oauth-token" = "ya29." + Dotted * 30 firm: "Google OAuth access token";
    "google-oauth-secret" = "GOCSPX-" + Base64Url * 20 firm: "Google OAuth client secret";
    "google-refresh-token" = "1//0" + Base64Url * 40 firm: "Google OAuth refresh token";
    "google-oauth-code" = "4/0A" + Base64Url * 50 firm: "Google OAuth authorization code";
    "alibaba-access-key" = "LTAI" + Alnum * 12 weak: "Alibaba Cloud access key id";
    "alibaba-sts-key" = "STS." + Alnum * 20 weak: "Alibaba Cloud STS access key id";
    "alibaba-sts-token" = "CAIS" + Base64 * 80 weak: "Alibaba Cloud STS security token";
    "tencent-secret-id" = "AKID" + Alnum * 28 weak: "Tencent Cloud secret id";
    "volcengine-access-key" = "AKLT" + Base64 * 30 weak: "Volcengine access key id";
    "baidu-key" = "bce-v3/ALTAK-" + Base64 * 40 firm: "Baidu AI Cloud API key";
    "baidu-access-key" = "ALTAK" + Alnum * 16 weak: "Baidu AI Cloud access key id";
    "jd-cloud-key" = "JDC_" + Alnum * 24 firm: "JD Cloud access key";
    "yandex-api-key" = "AQVN" + Base64Url * 30 weak: "Yandex Cloud API key";
    "yandex-iam-token" = "t1." + Token68 * 80 weak: "Yandex Cloud IAM token";
    "yandex-oauth-token" = "y0_" | "y1_" + Base64Url * 40 firm: "Yandex OAuth token";
    "yandex-storage-key" = "YCM" | "YCN" | "YCO" | "YCP" + Base64Url * 36 weak: "Yandex Cloud static access key";
    "scaleway-access-key" = "SCW" + UpperAlnum * 17 weak: "Scaleway access key";
    "scalingo-token" = "tk-us-" + Base64Url * 40 firm: "Scalingo API token";
    "exoscale-key" = "EXO" + Alnum * 24 weak: "Exoscale API key";
    "upcloud-token" = "ucat_" + Alnum * 22 firm: "UpCloud API token";
    "digitalocean-pat" = "dop_v1_" + Alnum * 40 firm: "DigitalOcean personal access token";
    "digitalocean-oauth-token" = "doo_v1_" + Alnum * 40 firm: "DigitalOcean OAuth access token";
    "digitalocean-refresh-token" = "dor_v1_" + Alnum * 40 firm: "DigitalOcean OAuth refresh token";
    "digitalocean-spaces-key" = "DO00" | "DO80" + UpperAlnum * 14 weak: "DigitalOcean Spaces access key";
    "heroku-key" = "HRKU-" + Base64Url * 32 firm: "Heroku API key";
    "fly-token" = "fm1r_" | "fm1a_" | "fm2_" | "fo1_" + Base64 * 36 firm: "Fly.io access token";
    "render-key" = "rnd_" + Alnum * 24 weak: "Render API key";
    "vercel-pat" = "vcp_" + Base64Url * 24 weak: "Vercel personal access token";
    "vercel-integration-token" = "vci_" + Base64Url * 24 weak: "Vercel integration token";
    "vercel-app-token" = "vca_" + Base64Url * 24 weak: "Vercel app access token";
    "vercel-refresh-token" = "vcr_" + Base64Url * 24 weak: "Vercel app refresh token";
    "vercel-gateway-key" = "vck_" + Base64Url * 24 weak: "Vercel AI Gateway API key";
    "netlify-token" = "nfp_" | "nfc_" | "nfo_" | "nfu_" | "nfb_" + Alnum * 32 firm: "Netlify access token";
    "cloudflare-user-token" = "cfut_" + Base64Url * 36 firm: "Cloudflare user API token";
    "cloudflare-account-token" = "cfat_" + Base64Url * 36 firm: "Cloudflare account API token";
    "cloudflare-global-key" = "cfk_" + Base64Url * 36 weak: "Cloudflare global API key";
    "cloudflare-origin-ca-key" = "v1.0-" + Base64Url * 100 firm: "Cloudflare Origin CA key";
    "tigris-secret" = "tsec_" + Base64Url * 40 firm: "Tigris secret access key";
    "akamai-token" = "akab-" + Base64Url * 28 firm: "Akamai EdgeGrid token";
    "kubernetes-openshift-token" = "sha256~" + Base64Url * 40 firm: "OpenShift OAuth access token";
    "k3s-token" = "K10" + Coloned * 60 weak: "K3s cluster token";
    "docker-swarm-token" = "SWMTKN-1-" + Base64Url * 40 firm: "Docker Swarm join token";
    "portainer-token" = "ptr_" + Base64 * 40 weak: "Portainer access token";
    "deno-token" = "ddp_" | "ddo_" | "ddw_" + Alnum * 30 firm: "Deno Deploy access token";
    "val-town-token" = "vtwn_" + Alnum * 20 firm: "Val Town API token";
    "backblaze-key" = "K001" | "K002" | "K003" | "K004" | "K005" + Base64 * 26 weak: "Backblaze B2 application key";

    "google-hmac-key" = "GOOG1E" + UpperAlnum * 50 firm: "Google Cloud Storage HMAC access id";
    "ibm-cloud-key" = "ApiKey-" + Uuid * 36 firm: "IBM Cloud API key";

    // Databases and data.
    "supabase-token" = "sbp_" + Word * 36 weak: "Supabase access token";
    "supabase-secret-key" = "sb_secret_" + Base64Url * 24 weak: "Supabase secret key";
    "planetscale-token" = "pscale_tkn_" + Token68 * 30 firm: "PlanetScale service token";
    "planetscale-password" = "pscale_pw_" + Token68 * 30 firm: "PlanetScale database password";
    "planetscale-oauth-token" = "pscale_oauth_" + Token68 * 30 firm: "PlanetScale OAuth token";
    "neon-key" = "napi_" + Alnum * 40 firm: "Neon API key";
    "neon-password" = "npg_" + Alnum * 11 weak: "Neon database password";
    "mongodb-atlas-secret" = "mdb_sa_sk_" + Base64Url * 36 firm: "MongoDB Atlas service account secret";
    "databricks-token" = "dapi" + Uuid * 32 weak: "Databricks personal access token";
    "databricks-oauth-secret" = "dose" + Dotted * 30 weak: "Databricks OAuth secret";
    "databricks-exchange-token" = "dkea" + Uuid * 32 weak: "Databricks token (dkea)";
    "dbt-service-token" = "dbtc_" | "dbts_" + Base64Url * 30 firm: "dbt Cloud service token";
    "dbt-user-token" = "dbtu_" + Base64Url * 30 firm: "dbt Cloud personal access token";
    "prefect-user-key" = "pnu_" + Alnum * 30 firm: "Prefect user API key";
    "prefect-service-key" = "pnb_" + Alnum * 30 firm: "Prefect service account API key";
    "confluent-secret" = "cflt" + Base64 * 50 weak: "Confluent Cloud API secret";
    "cockroach-key" = "CCDB1_" + Word * 50 firm: "CockroachDB Cloud API key";
    "databento-key" = "db-" + Alnum * 28 weak: "Databento API key";
    "datastax-token" = "AstraCS:" + Coloned * 40 firm: "DataStax Astra application token";
    "elastic-key" = "essu_" + Token68 * 50 firm: "Elastic Cloud API key";
    "clickhouse-key" = "4b1d" + Alnum * 36 weak: "ClickHouse Cloud API key secret";
    "tinybird-token" = "p.eyJ" + Dotted * 40 firm: "Tinybird auth token";
    "xata-key" = "xau_" + Alnum * 24 firm: "Xata API key";
    "fauna-key" = "fnAC" | "fnAD" | "fnAE" | "fnAF" + Base64Url * 32 weak: "Fauna key";
    "materialize-password" = "mzp_" + Hex * 40 firm: "Materialize app password";
    "convex-deploy-key" = "eyJ2MiI6" + Base64 * 40 firm: "Convex deploy key";
    "appwrite-key" = "standard_" + Hex * 100 firm: "Appwrite API key";
    "lightdash-token" = "ldpat_" | "ldsvc_" + Alnum * 28 firm: "Lightdash access token";
    "metabase-key" = "mb_" + Base64 * 40 weak: "Metabase API key";
    "hex-tech-token" = "hxtp_" | "hxtw_" + Alnum * 40 firm: "Hex access token";
    "retool-token" = "retool_" + Alnum * 20 weak: "Retool access token";
    "privy-secret" = "privy_app_secret_" + Base64 * 40 firm: "Privy app secret";
    "quicknode-key" = "QN_" + Hex * 30 firm: "QuickNode API key";

    "aiven-password" = "AVNS_" + Base64Url * 16 firm: "Aiven service password";
    "vercel-blob-token" = "vercel_blob_rw_" + Word * 30 firm: "Vercel Blob read and write token";

    // Secret stores, infrastructure and networks.
    "vault-service-token" = "hvs." + Base64Url * 24 firm: "HashiCorp Vault service token";
    "vault-batch-token" = "hvb." + Base64Url * 24 firm: "HashiCorp Vault batch token";
    "vault-recovery-token" = "hvr." + Base64Url * 24 firm: "HashiCorp Vault recovery token";
    "doppler-personal-token" = "dp.pt." + Dotted * 30 firm: "Doppler personal token";
    "doppler-service-token" = "dp.st." + Dotted * 30 firm: "Doppler service token";
    "doppler-service-account-token" = "dp.sa." | "dp.said." + Dotted * 30 firm: "Doppler service account token";
    "doppler-cli-token" = "dp.ct." + Dotted * 30 firm: "Doppler CLI token";
    "doppler-scim-token" = "dp.scim." + Dotted * 30 firm: "Doppler SCIM token";
    "doppler-audit-token" = "dp.audit." + Dotted * 30 firm: "Doppler audit token";
    "infisical-token" = "st." + Dotted * 60 weak: "Infisical service token";
    "1password-service-token" = "ops_eyJ" + Base64 * 60 firm: "1Password service account token";
    "age-key" = "AGE-SECRET-KEY-1" | "AGE-SECRET-KEY-PQ-1" + UpperAlnum * 50 firm: "age secret key";
    "pulumi-token" = "pul-" + Hex * 36 firm: "Pulumi access token";
    "infracost-key" = "ico-" + Alnum * 28 weak: "Infracost API key";
    "defined-networking-token" = "dnkey-" + Token68 * 50 firm: "Defined Networking API token";
    "tailscale-auth-key" = "tskey-auth-" + Base64Url * 20 weak: "Tailscale auth key";
    "tailscale-api-token" = "tskey-api-" + Base64Url * 20 weak: "Tailscale API access token";
    "tailscale-client-secret" = "tskey-client-" + Base64Url * 20 weak: "Tailscale OAuth client secret";
    "tailscale-key" = "tskey-" + Base64Url * 16 weak: "Tailscale key of another kind";
    "headscale-key" = "hskey-" + Base64Url * 30 weak: "Headscale key";
    "netbird-token" = "nbp_" + Alnum * 30 firm: "NetBird access token";
    "kong-token" = "kpat_" | "spat_" + Alnum * 30 firm: "Kong Konnect access token";
    "zuplo-key" = "zpka_" + Word * 36 firm: "Zuplo API key";
    "unkey-key" = "unkey_" + Alnum * 16 weak: "Unkey root key";
    "arcjet-key" = "ajkey_" + Alnum * 24 firm: "Arcjet key";
    "ory-token" = "ory_at_" | "ory_rt_" | "ory_pat_" | "ory_st_" | "ory_apikey_" + Dotted * 24 firm:
        "Ory token or API key";
    "stytch-secret" = "secret-live-" | "secret-test-" + Base64 * 30 weak: "Stytch secret";

    "settlemint-token" = "sm_aat_" | "sm_pat_" | "sm_sat_" + Alnum * 16 firm: "SettleMint access token";

    // Builds, deployments and security scanners.
    "buildkite-user-token" = "bkua_" + Base64Url * 36 firm: "Buildkite API access token";
    "buildkite-agent-token" = "bkaa_" | "bkaj_" | "bkar_" | "bkct_" + Base64Url * 40 firm:
        "Buildkite agent or job token";
    "buildkite-package-token" = "bkpt_" | "bkpat_" | "bkps_" + Base64Url * 40 firm: "Buildkite package or portal token";
    "circleci-personal-token" = "CCIPAT_" + Word * 40 firm: "CircleCI personal API token";
    "circleci-project-token" = "CCIPRJ_" + Word * 40 firm: "CircleCI project API token";
    "harness-token" = "pat." | "sat." + Dotted * 60 weak: "Harness access token";
    "octopus-key" = "API-" + UpperAlnum * 25 weak: "Octopus Deploy API key";
    "sonar-token" = "sqp_" | "sqa_" | "squ_" + Alnum * 36 firm: "SonarQube token";
    "snyk-token" = "snyk_uat." | "snyk_sat." + Dotted * 30 firm: "Snyk access token";
    "socket-token" = "sktsec_" + Base64Url * 30 firm: "Socket API token";
    "aikido-secret" = "AIK_CI_" | "AIK_SECRET_" + Alnum * 20 firm: "Aikido secret";
    "endor-key" = "endr+" + Base64Url * 16 weak: "Endor Labs API key";
    "censys-token" = "censys_" + Word * 24 weak: "Censys access token";
    "pangea-token" = "pts_" + Alnum * 28 weak: "Pangea service token";
    "chromatic-token" = "chpt_" + Alnum * 10 weak: "Chromatic project token";
    "percy-token" = "web_" | "auto_" + Hex * 50 firm: "Percy project token";
    "mergify-key" = "mergify_application_key_" + Base64Url * 36 firm: "Mergify application key";
    "inngest-signing-key" = "signkey-prod-" | "signkey-test-" | "signkey-branch-" + Alnum * 32 firm:
        "Inngest signing key";
    "trigger-dev-key" = "tr_dev_" | "tr_prod_" | "tr_stg_" | "tr_pat_" + Alnum * 18 weak: "Trigger.dev key";
    "n8n-key" = "n8n_api_" + Alnum * 36 firm: "n8n API key";
    "workato-token" = "wrkaus-" | "wrkaeu-" | "wrkajp-" | "wrkasg-" | "wrkaau-" + Dotted * 60 firm: "Workato API token";
    "ionic-token" = "ion_" + Alnum * 40 firm: "Ionic personal access token";
    "growthbook-key" = "secret_admin_" | "secret_user_" | "secret_readonly_" + Alnum * 18 weak: "GrowthBook secret key";
    "statsig-key" = "console-" + Alnum * 36 firm: "Statsig console API key";
    "flagsmith-key" = "ser." + Alnum * 20 weak: "Flagsmith server-side key";
    "configcat-key" = "configcat-sdk-1/" + Base64 * 40 firm: "ConfigCat SDK key";
    "devcycle-key" = "dvc_server_" + Word * 16 weak: "DevCycle server SDK key";

    // Monitoring.
    "sentry-org-token" = "sntrys_" + Base64 * 40 firm: "Sentry organization token";
    "sentry-user-token" = "sntryu_" + Alnum * 40 firm: "Sentry user token";
    "sentry-app-token" = "sntrya_" | "sntryi_" + Alnum * 40 firm: "Sentry app or integration token";
    "grafana-service-token" = "glsa_" + Word * 32 firm: "Grafana service account token";
    "grafana-cloud-token" = "glc_" + Base64 * 32 firm: "Grafana Cloud access policy token";
    "grafana-api-key" = "eyJrIjoi" + Base64 * 40 firm: "Grafana API key (legacy)";
    "newrelic-user-key" = "NRAK-" + Alnum * 24 firm: "New Relic user API key";
    "newrelic-insert-key" = "NRII-" + Base64Url * 28 firm: "New Relic insert key";
    "newrelic-query-key" = "NRIQ-" + Base64Url * 28 firm: "New Relic query key";
    "newrelic-rest-key" = "NRRA-" | "NRAA-" + Alnum * 24 firm: "New Relic REST or admin API key";
    "datadog-token" = "ddpat_" | "ddsat_" | "ddapp_" + Base64Url * 30 firm: "Datadog access token or application key";
    "dynatrace-token" = "dt0c01." | "dt0s01." | "dt0s02." | "dt0s03." | "dt0s08." + Dotted * 50 firm: "Dynatrace token";
    "honeycomb-ingest-key" = "hcaik_" | "hcbik_" | "hcxik_" + Alnum * 26 firm: "Honeycomb ingest key";
    "honeycomb-key" = "hcaic_" | "hcbic_" | "hcamk_" | "hcbmk_" | "hcxmk_" + Coloned * 26 firm:
        "Honeycomb configuration or management key";
    "axiom-token" = "xaat-" | "xapt-" + Uuid * 30 firm: "Axiom API or personal token";
    "checkly-key" = "cu_" + Hex * 30 weak: "Checkly user API key";
    "rootly-key" = "rootly_" + Hex * 40 firm: "Rootly API key";
    "posthog-personal-key" = "phx_" + Base64Url * 36 weak: "PostHog personal API key";
    "posthog-secure-key" = "phs_" + Base64Url * 36 weak: "PostHog feature flags secure key";
    "wakatime-key" = "waka_" + Base64Url * 32 weak: "WakaTime API key";

    "logfire-token" = "pylf_v1_us_" | "pylf_v1_eu_" + Alnum * 40 firm: "Pydantic Logfire token";
    "newrelic-browser-key" = "NRJS-" + Hex * 19 firm: "New Relic browser key";
    "dynatrace-platform-token" = "dt0s16." + Dotted * 60 firm: "Dynatrace platform token";

    // Messages and mail.
    "slack-bot-token" = "xoxb-" + Base64Url * 20 weak: "Slack bot token";
    "slack-user-token" = "xoxp-" + Base64Url * 20 weak: "Slack user token";
    "slack-workspace-token" = "xoxa-" | "xoxr-" + Base64Url * 10 weak: "Slack workspace access or refresh token";
    "slack-legacy-token" = "xoxs-" | "xoxo-" + Base64Url * 20 weak: "Slack token (legacy)";
    "slack-config-token" = "xoxe." | "xoxe-" + Dotted * 30 weak: "Slack configuration access or refresh token";
    "slack-app-token" = "xapp-" + Base64Url * 20 weak: "Slack app-level token";
    "slack-workflow-token" = "xwfp-" + Base64Url * 20 weak: "Slack workflow token";
    "slack-session-token" = "xoxc-" + Base64Url * 20 weak: "Slack client session token";
    "slack-session-cookie" = "xoxd-" + Escaped * 40 weak: "Slack session cookie";
    "slack-webhook" = "hooks.slack.com/services/" | "hooks.slack.com/workflows/" | "hooks.slack.com/triggers/"
        + Base64 * 24 weak: "Slack webhook URL";
    "discord-webhook" = "discord.com/api/webhooks/" | "discordapp.com/api/webhooks/" + Base64 * 60 weak:
        "Discord webhook URL";
    "discord-mfa-token" = "mfa." + Base64Url * 60 weak: "Discord token of an account with two factors";
    "teams-webhook" = "webhook.office.com/webhookb2/" + Url * 60 firm: "Microsoft Teams webhook URL";
    "google-chat-webhook" = "chat.googleapis.com/v1/spaces/" + Url * 60 weak: "Google Chat webhook URL";
    "lark-webhook" = "open.feishu.cn/open-apis/bot/v2/hook/" | "open.larksuite.com/open-apis/bot/v2/hook/"
        + Uuid * 32 firm: "Lark webhook URL";
    "dingtalk-secret" = "SEC" + Hex * 60 firm: "DingTalk robot secret";
    "dingtalk-webhook" = "oapi.dingtalk.com/robot/send?access_token=" + Alnum * 40 firm: "DingTalk webhook URL";
    "wecom-webhook" = "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=" + Uuid * 32 firm: "WeCom webhook URL";
    "zapier-webhook" = "hooks.zapier.com/hooks/catch/" + Base64 * 12 weak: "Zapier webhook URL";
    "twitch-token" = "oauth:" + LowerAlnum * 28 weak: "Twitch chat token";
    "sendgrid-key" = "SG." + Dotted * 50 weak: "SendGrid API key";
    "brevo-key" = "xkeysib-" + Base64Url * 60 firm: "Brevo API key";
    "brevo-smtp-key" = "xsmtpsib-" + Base64Url * 60 firm: "Brevo SMTP key";
    "resend-key" = "re_" + Word * 24 weak: "Resend API key";
    "mailgun-key" = "key-" + Hex * 32 weak: "Mailgun API key";
    "mailersend-token" = "mlsn." + Alnum * 30 firm: "MailerSend API token";
    "mandrill-key" = "md-" + Base64Url * 20 weak: "Mandrill API key";
    "onesignal-key" = "os_v2_app_" | "os_v2_org_" + Alnum * 60 firm: "OneSignal API key";
    "pubnub-secret" = "sec-c-" + Base64 * 36 firm: "PubNub secret key";
    "courier-token" = "pk_prod_" + Alnum * 24 firm: "Courier auth token";
    "svix-key" = "testsk_" + Dotted * 24 firm: "Svix API key";

    "nylas-key" = "nyk_v0_" + Alnum * 40 firm: "Nylas API key";
    "telnyx-key" = "KEY" + Word * 50 weak: "Telnyx API key";

    // Payments and commerce.
    "stripe-secret-key" = "sk_live_" | "sk_prod_" | "sk_org_live_" + Base64 * 16 firm:
        "Secret key of Stripe, Clerk, Paystack or WorkOS";
    "stripe-test-key" = "sk_test_" | "sk_org_test_" + Base64 * 16 firm: "Test key of Stripe, Clerk, Paystack or WorkOS";
    "stripe-restricted-key" = "rk_live_" | "rk_test_" | "rk_prod_" + Alnum * 16 firm: "Stripe restricted key";
    "stripe-webhook-secret" = "whsec_" + Base64 * 24 firm: "Webhook signing secret of Stripe or Svix";
    "checkout-sandbox-key" = "sk_sbox_" + Alnum * 20 firm: "Checkout.com sandbox secret key";
    "crossmint-key" = "sk_production_" | "sk_staging_" + Alnum * 50 firm: "Crossmint server key";
    "square-access-token" = "sq0atp-" + Base64Url * 20 firm: "Square access token";
    "square-oauth-secret" = "sq0csp-" + Base64Url * 36 firm: "Square OAuth application secret";
    "square-token" = "EAAA" + Base64Url * 50 weak: "Square access token (newer), or Meta access token";
    "shopify-admin-token" = "shpat_" + Alnum * 28 firm: "Shopify Admin API access token";
    "shopify-custom-app-token" = "shpca_" + Alnum * 28 firm: "Shopify custom app access token";
    "shopify-private-app-password" = "shppa_" + Alnum * 28 firm: "Shopify private app password";
    "shopify-shared-secret" = "shpss_" + Alnum * 28 firm: "Shopify app shared secret";
    "shopify-refresh-token" = "shprt_" | "shpua_" + Alnum * 28 firm: "Shopify refresh or user token";
    "shopify-theme-token" = "shptka_" + Alnum * 28 firm: "Shopify Theme Access password";
    "shopify-partner-token" = "prtapi_" | "atkn_" + Alnum * 28 firm: "Shopify Partner or CLI token";
    "woocommerce-secret" = "cs_" + Hex * 38 firm: "WooCommerce consumer secret";
    "paddle-key" = "pdl_live_apikey_" | "pdl_sdbx_apikey_" | "pdl_ntfset_" + Word * 40 firm:
        "Paddle API key or webhook secret";
    "polar-token" = "polar_oat_" | "polar_pat_" | "polar_at_" + Base64Url * 20 weak: "Polar access token";
    "flutterwave-key" = "FLWSECK-" | "FLWSECK_TEST-" | "FLWSECK_TEST" + Base64Url * 12 weak:
        "Flutterwave secret or encryption key";
    "midtrans-key" = "Mid-server-" | "SB-Mid-server-" + Base64Url * 14 weak: "Midtrans server key";
    "xendit-key" = "xnd_production_" | "xnd_development_" + Alnum * 30 firm: "Xendit secret key";
    "asaas-key" = "$aact_" + Coloned * 60 firm: "Asaas API key";
    "plaid-token" = "access-production-" | "access-sandbox-" | "access-development-" + Uuid * 32 firm:
        "Plaid access token";
    "duffel-token" = "duffel_live_" | "duffel_test_" + Base64 * 36 firm: "Duffel API token";
    "easypost-key" = "EZAK" + Alnum * 40 firm: "EasyPost API key";
    "easypost-test-key" = "EZTK" + Alnum * 40 firm: "EasyPost test API key";
    "shippo-token" = "shippo_live_" | "shippo_test_" + Alnum * 32 firm: "Shippo API token";
    "ramp-secret" = "ramp_sec_" + Alnum * 36 firm: "Ramp client secret";
    "brex-token" = "bxt_" + Base64Url * 30 weak: "Brex user token";
    "mercury-token" = "mercury_production_" | "mercury_sandbox_" + Word * 40 firm: "Mercury API token";
    "ebay-secret" = "PRD-" | "SBX-" + Uuid * 30 firm: "eBay certificate id";
    "onfido-token" = "api_live." | "api_live_us." | "api_live_ca." | "api_sandbox." + Base64Url * 20 weak:
        "Onfido API token";
    "persona-key" = "persona_production_" | "persona_sandbox_" + Base64Url * 24 weak: "Persona API key";
    "proof-key" = "prf_" + Base64Url * 24 weak: "Proof API key";

    "razorpay-key-id" = "rzp_live_" | "rzp_test_" + Alnum * 14 firm: "Razorpay key id";
    "adyen-key" = "AQE" + Base64 * 100 weak: "Adyen API key";

    // Work, documents and design.
    "atlassian-token" = "ATATT3" + Base64 * 60 firm: "Atlassian API token";
    "atlassian-admin-token" = "ATCTT3" | "ATSTT3" + Base64 * 60 firm: "Atlassian access token of another kind";
    "trello-token" = "ATTA" + Alnum * 60 firm: "Trello API token";
    "linear-key" = "lin_api_" + Alnum * 30 firm: "Linear API key";
    "linear-oauth-token" = "lin_oauth_" + Alnum * 30 firm: "Linear OAuth access token";
    "linear-webhook-secret" = "lin_wh_" + Alnum * 30 firm: "Linear webhook secret";
    "notion-token" = "ntn_" + Alnum * 40 firm: "Notion integration token";
    "airtable-oauth-token" = "oaa" + Dotted * 80 weak: "Airtable OAuth access token";
    "figma-pat" = "figd_" + Base64Url * 30 firm: "Figma personal access token";
    "figma-oauth-token" = "figu_" | "figur_" | "figdr_" | "figh_" + Base64Url * 30 firm: "Figma OAuth token";
    "canva-secret" = "cnvca" + Base64Url * 45 firm: "Canva Connect client secret";
    "adobe-secret" = "p8e-" + Alnum * 28 firm: "Adobe client secret";
    "contentful-pat" = "CFPAT-" + Base64Url * 36 firm: "Contentful personal access token";
    "builder-io-key" = "bpk-" + Hex * 30 firm: "Builder.io private key";
    "dropbox-token" = "sl." + Dotted * 100 weak: "Dropbox access token";
    "typeform-token" = "tfp_" + Dotted * 40 firm: "Typeform personal access token";
    "hubspot-token" = "pat-na1-" | "pat-na2-" | "pat-na3-" | "pat-eu1-" | "pat-ap1-" + Uuid * 32 firm:
        "HubSpot private app token";
    "salesforce-refresh-token" = "5Aep861" + Dotted * 50 firm: "Salesforce refresh token";
    "intercom-token" = "dG9rO" + Base64 * 50 firm: "Intercom access token";
    "zoho-token" = "1000." + Dotted * 60 weak: "Zoho OAuth token";
    "wix-key" = "IST.eyJ" + Dotted * 60 firm: "Wix API key";
    "weglot-key" = "wg_" + Alnum * 30 weak: "Weglot API key";
    "calcom-key" = "cal_live_" | "cal_" + Alnum * 30 weak: "Cal.com API key";
    "postman-key" = "PMAK-" + Base64Url * 40 firm: "Postman API key";
    "postman-collection-key" = "PMAT-" + Alnum * 24 firm: "Postman collection access key";
    "mapbox-token" = "sk.eyJ" | "tk.eyJ" + Dotted * 50 firm: "Mapbox secret or temporary token";
    "frameio-token" = "fio-u-" + Base64Url * 50 firm: "Frame.io developer token";
    "dub-key" = "dub_" + Alnum * 20 weak: "Dub API key";
    "evernote-token" = "S=s" + Coloned * 60 weak: "Evernote developer token";

    // Social networks, games and devices.
    "linkedin-secret" = "WPL_AP0." | "WPL_AP1." + Token68 * 20 firm: "LinkedIn client secret";
    "linkedin-token" = "AQU" | "AQV" | "AQW" | "AQX" + Base64Url * 150 weak: "LinkedIn access token";
    "instagram-token" = "IGQV" | "IGQW" | "IGAA" + Base64Url * 60 weak: "Instagram access token";
    "meta-token" = "EAA" + Alnum * 80 weak: "Meta access token";
    "pinterest-token" = "pina_" + Alnum * 32 firm: "Pinterest access token";
    "riot-key" = "RGAPI-" + Uuid * 32 firm: "Riot Games API key";
    "cfx-key" = "cfxk_" + Word * 24 firm: "Cfx.re license key";
    "lichess-token" = "lip_" | "lio_" + Alnum * 16 weak: "Lichess access token";
    "adafruit-key" = "aio_" + Alnum * 26 firm: "Adafruit IO key";
    "ubidots-token" = "BBFF-" | "BBUS-" + Alnum * 30 firm: "Ubidots token";
    "samsara-token" = "samsara_api_" + Alnum * 24 firm: "Samsara API token";


    // Generic beginnings of keys, and whatever calls itself a secret.
    "secret-token" = "secret-token:" + Token68 * 12 firm: "Secret token (RFC 8959)";
    "notion-legacy-token" = "secret_" + Alnum * 40 firm: "Notion integration token (older)";
    "statsig-secret" = "secret-" + Alnum * 36 firm: "Statsig server secret key";
    "qstash-signing-key" = "sig_" + Alnum * 24 weak: "QStash signing key";
    "klaviyo-key" = "pk_" + Hex * 32 firm: "Klaviyo private API key";
    "prefixed-live-key" = "live_" + Base64Url * 32 weak: "Live key of GoCardless, Lob or Mollie";
    "prefixed-test-key" = "test_" + Alnum * 30 weak: "Test key of Lob or Mollie";
    "prefixed-hex-key" = "key_" + Hex * 28 weak: "Cursor or Retell API key";
    "prefixed-secret-key" = "sk_" + Alnum * 32 weak: "ElevenLabs API key, or another that begins with sk_";
    "secret-key" = "sk-" + Base64Url * 20 weak: "OpenAI API key (legacy), or another that begins with sk-";
};
