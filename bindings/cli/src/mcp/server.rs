//! The server of one client.

#![allow(
    deprecated,
    reason = "roots and `resources/subscribe` are of the protocol before 2026-07-28, which clients still speak"
)]

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use loopmem::methods::guard;
use loopmem::{CallOptions, Cancel, Error, Result, Store};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, PromptMessage,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ResourceUpdatedNotificationParam, Role, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use tokio::sync::Notify;

use super::caller::{Caller, Connection};
use super::progress::Reporter;
use super::tools::Tool;
use super::turns::Turns;
use super::watch::Watched;
use super::{prompts, resources};
use crate::human::environment;

/// The longest message that is read, in bytes. A longer one is ignored.
pub(super) const MAX_MESSAGE_BYTES: usize = 16 << 20;
/// How often the resources that a client has subscribed to are looked at, besides after its own calls.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long a client may take to say which roots it has.
const PATIENCE: Duration = Duration::from_secs(2);
const INSTRUCTIONS: &str =
    "loopmem is this project's durable memory, which outlives sessions and is shared with other agents and people.";
/// What else the model is told at the beginning, each with the tool that it needs.
const HABITS: [(&str, &str); 3] = [
    (
        "context",
        "At the beginning of a task, call `context` with the task as `prompt`, unless what loopmem has stored is in the \
         conversation already.",
    ),
    (
        "remember",
        "When the user states a preference or corrects you, or a rule, a choice or a finding comes up that the code does not \
         tell, call `remember`. Never store secrets.",
    ),
    ("end_step", "When you finish a piece of work, call `end_step`."),
];

/// The server of one client. What it shares with the threads of calls is cheap to clone.
#[derive(Clone)]
pub(super) struct Server {
    store: Store,
    /// How long a call waits for locks, if that is not the configured time.
    timeout: Option<Duration>,
    /// The folder that `--workspace` names.
    workspace: Option<String>,
    tools: Arc<[&'static Tool]>,
    connection: Arc<Connection>,
    /// The first root of the client, once it was asked for.
    root: Arc<Mutex<Option<Option<String>>>>,
    watched: Arc<Mutex<Watched>>,
    /// Of subscriptions that the client does not know of yet.
    starting: Arc<Mutex<Vec<Watched>>>,
    /// Told when a call may have changed something.
    changed: Arc<Notify>,
    turns: Turns,
}

impl Server {
    pub(super) fn new(
        store: Store,
        timeout: Option<Duration>,
        workspace: Option<String>,
        tools: Vec<&'static Tool>,
    ) -> Self {
        let run = format!("mcp-{}-{}", environment::now().format("%Y%m%dT%H%M%SZ"), std::process::id());
        Server {
            store,
            timeout,
            workspace,
            tools: tools.into(),
            connection: Arc::new(Connection::new(run)),
            root: Arc::default(),
            watched: Arc::default(),
            starting: Arc::default(),
            changed: Arc::default(),
            turns: Turns::default(),
        }
    }

    /// Runs `work` on a thread of its own.
    async fn perform<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Caller) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let reporter = Reporter::of(context);
        let cancelled = context.ct.clone();
        let mut options = self.options().cancel(&Cancel::polling(move || cancelled.is_cancelled()));
        if let Some(steps) = reporter.as_ref().map(|it| it.steps.clone()) {
            options = options.progress(move |done, total| {
                let _ = steps.send((done, total));
            });
        }
        let caller = self.caller(&context.peer, options).await;
        let done = tokio::task::spawn_blocking(move || guard(|| work(&caller))).await;
        // The last step is told before the answer.
        if let Some(Reporter { steps, told }) = reporter {
            drop(steps);
            let _ = told.await;
        }
        let scrubbed = |error: Error| error.scrubbed(|text| self.store.redactor().scrub(text).into_owned());
        done.unwrap_or_else(|_| Err(Error::new(loopmem::ErrorKind::Internal, "a call ended unexpectedly")))
            .map_err(scrubbed)
    }

    fn offers(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    fn options(&self) -> CallOptions {
        CallOptions::new().timeout(self.timeout)
    }

    async fn caller(&self, peer: &Peer<RoleServer>, options: CallOptions) -> Caller {
        let workspace = match &self.workspace {
            Some(workspace) => Some(workspace.clone()),
            None => self.root(peer).await,
        };
        self.caller_in(workspace, options)
    }

    fn caller_in(&self, workspace: Option<String>, options: CallOptions) -> Caller {
        Caller { store: self.store.with(options), workspace, connection: Arc::clone(&self.connection) }
    }

    /// The first folder among the client's roots, if it has some.
    async fn root(&self, peer: &Peer<RoleServer>) -> Option<String> {
        if peer.peer_info().is_none_or(|client| client.capabilities.roots.is_none()) {
            return None;
        }
        if let Some(root) = self.root.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return root;
        }
        // A client that does not answer has none; it is asked again after it says that they have changed.
        let listed = tokio::time::timeout(PATIENCE, peer.list_roots()).await.ok().and_then(Result::ok);
        let root = listed.and_then(|listed| listed.roots.iter().find_map(|root| folder_of(&root.uri)));
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = Some(root.clone());
        root
    }

    fn watched(&self) -> std::sync::MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The texts of resources as they are now; empty where one cannot be read.
    async fn texts(&self, peer: &Peer<RoleServer>, uris: Vec<String>) -> Vec<(String, String)> {
        let caller = self.caller(peer, self.options()).await;
        tokio::task::spawn_blocking(move || texts(&caller, uris)).await.unwrap_or_default()
    }

    /// Waits until something may have changed.
    async fn moment(&self) {
        let _ = tokio::time::timeout(INTERVAL, self.changed.notified()).await;
    }

    /// Tells the client of changes of the resources that it has subscribed to, until there are none.
    async fn tell_updates(self, peer: Peer<RoleServer>) {
        loop {
            self.moment().await;
            let uris = self.watched().uris();
            if uris.is_empty() || peer.is_transport_closed() {
                return;
            }
            for (uri, text) in self.texts(&peer, uris).await {
                let has_changed = self.watched().has_changed(&uri, &text);
                if has_changed
                    && peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_err()
                {
                    return;
                }
            }
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .build();
        let habits = HABITS.iter().filter(|(tool, _)| self.offers(tool)).map(|(_, habit)| *habit);
        let instructions = std::iter::once(INSTRUCTIONS).chain(habits).collect::<Vec<_>>().join(" ");
        let implementation = Implementation::new("loopmem", env!("CARGO_PKG_VERSION")).with_title("loopmem");
        ServerConfig::new(capabilities).with_server_info(implementation).with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(|tool| tool.described()).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.iter().copied().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name).collect();
            return Err(ErrorData::invalid_params(format!("unknown tool; available: {}", names.join(", ")), None));
        };
        let (peer, context_version) = (context.peer.clone(), context.protocol_version());
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default()).to_string();
        let _turn = self.turns.next(tool.reads()).await;
        let done = self.perform(&context, move |caller| (tool.run)(caller, &arguments)).await;
        self.changed.notify_waiters();
        let is_told_unasked = context_version.is_none_or(|version| version < ProtocolVersion::V_2026_07_28);
        if done.is_ok() && is_told_unasked && !tool.reads() {
            // Records are resources. If the client is gone, so is its answer.
            let _ = peer.notify_resource_list_changed().await;
        }
        // The model reads the error, and can try again.
        let result = match done {
            Ok(answer) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
                result.structured_content = Some(answer.structured);
                result
            }
            // Without the name of a method, which it does not know.
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.message().to_owned())]),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = self.perform(&context, resources::all).await.map_err(|error| protocol_error(&error))?;
        Ok(ListResourcesResult::with_all_items(listed))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let read = self.perform(&context, move |caller| resources::read(caller, &uri)).await;
        match read.map_err(|error| protocol_error(&error))? {
            Some((text, kind)) => {
                let contents = ResourceContents::text(text, request.uri).with_mime_type(kind);
                Ok(ReadResourceResult::new(vec![contents]).into())
            }
            None => Err(ErrorData::resource_not_found("unknown resource", None)),
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !request.uri.starts_with(resources::LIST) {
            return Err(ErrorData::resource_not_found("unknown resource", None));
        }
        let texts = self.texts(&context.peer, vec![request.uri]).await;
        let mut watched = self.watched();
        let starts = watched.is_empty();
        texts.into_iter().for_each(|(uri, text)| watched.insert(uri, &text));
        if starts {
            tokio::spawn(self.clone().tell_updates(context.peer));
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched().remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        // Tools and prompts stay the same.
        (accepted.tools_list_changed, accepted.prompts_list_changed) = (None, None);
        // Changes from now on are announced: the client is about to learn that it is subscribed.
        let caller = self.caller_in(self.workspace.clone(), self.options());
        let mut watched = Watched::default();
        texts(&caller, subscribed(&accepted)).into_iter().for_each(|(uri, text)| watched.insert(uri, &text));
        self.starting.lock().unwrap_or_else(PoisonError::into_inner).push(watched);
        Some(accepted)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let peer = subscription.request_context().peer.clone();
        let uris = subscribed(subscription.accepted());
        let mut watched = {
            let mut starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
            let place = starting.iter().position(|watched| watched.uris() == uris);
            place.map(|place| starting.swap_remove(place)).unwrap_or_default()
        };
        while !uris.is_empty() && !subscription.request_context().ct.is_cancelled() && !peer.is_transport_closed() {
            self.moment().await;
            for (uri, text) in self.texts(&peer, uris.clone()).await {
                if !watched.has_changed(&uri, &text) {
                    continue;
                }
                let told = match uri == resources::LIST {
                    true => subscription.sink().notify_resource_list_changed().await,
                    false => subscription.sink().notify_resource_updated(uri).await,
                };
                if told.is_err() {
                    return Ok(());
                }
            }
        }
        subscription.cancelled().await;
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all(self.offers("remember") && self.offers("end_step"))))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let GetPromptRequestParams { name, arguments, .. } = request;
        let text = self.perform(&context, move |caller| prompts::text(caller, &name, arguments.as_ref())).await;
        let text = text.map_err(|error| protocol_error(&error))?;
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    /// A request that is of no type: its method does not exist, or has other params.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        const METHODS: [&str; 6] =
            ["tools/call", "tools/list", "resources/read", "resources/subscribe", "prompts/get", "prompts/list"];
        Err(match METHODS.contains(&request.method.as_str()) {
            true => ErrorData::invalid_params(format!("invalid params for {}", request.method), None),
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "unknown method", None),
        })
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The resources of a subscription, in their order.
fn subscribed(accepted: &SubscriptionFilter) -> Vec<String> {
    let list = (accepted.resources_list_changed == Some(true)).then(|| resources::LIST.to_owned());
    let uris = accepted.resource_subscriptions.iter().flatten().cloned().chain(list);
    uris.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The texts of resources as they are now; empty where one cannot be read.
fn texts(caller: &Caller, uris: Vec<String>) -> Vec<(String, String)> {
    let text = |uri: &str| guard(|| resources::read(caller, uri)).ok().flatten().map(|it| it.0).unwrap_or_default();
    uris.into_iter().map(|uri| (text(&uri), uri)).map(|(text, uri)| (uri, text)).collect()
}

/// An error of a request that has no place for one in its result.
fn protocol_error(error: &Error) -> ErrorData {
    let message = error.message().to_owned();
    match error.kind() {
        loopmem::ErrorKind::Validation | loopmem::ErrorKind::NotFound => ErrorData::invalid_params(message, None),
        _ => ErrorData::internal_error(message, None),
    }
}

/// The path in a `file:` URI.
fn folder_of(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    percent_encoding::percent_decode_str(path)
        .decode_utf8()
        .ok()
        .filter(|path| path.starts_with('/'))
        .map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::folder_of;

    #[test]
    fn a_root_is_a_folder_of_this_machine() {
        for (uri, folder) in [
            ("file:///home/me/a%20b", Some("/home/me/a b")),
            ("file://localhost/srv", Some("/srv")),
            ("file://elsewhere/srv", None),
            ("https://example.com/", None),
            ("file:///%ff", None),
        ] {
            assert_eq!(folder_of(uri).as_deref(), folder, "{uri}");
        }
    }
}
