//! `loopmem mcp --as server-memory`: what the reference server for memory offers, on its own file, without losing a write.

#![allow(deprecated, reason = "`resources/subscribe` is of the protocol that clients of the reference server speak")]

mod shape;
mod tools;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use loopmem::methods::guard;
use loopmem::{CallOptions, Cancel, Error, ErrorKind, Result, Store};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Resource, ResourceContents, ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};

use super::turns::Turns;
use tools::{TOOLS, Tool, pretty};

/// The resource with the whole graph.
const GRAPH: &str = "memory://knowledge-graph";
const JSON: &str = "application/json";
/// The variable with the path of the file, of the reference server.
pub(super) const FILE_VARIABLE: &str = "MEMORY_FILE_PATH";

/// The server of one client. Cheap to clone.
#[derive(Clone)]
pub(super) struct ServerMemory {
    store: Store,
    /// How long a call waits for locks, if that is not the configured time.
    timeout: Option<Duration>,
    /// The file; one in the home by default.
    file: Option<PathBuf>,
    /// Whether the client has subscribed to the graph.
    is_subscribed: Arc<AtomicBool>,
    turns: Turns,
}

impl ServerMemory {
    /// A server of the graph in `file`.
    ///
    /// # Errors
    /// Those of [`Store::graph`].
    pub(super) fn new(store: &Store, timeout: Option<Duration>, file: Option<&Path>) -> Result<Self> {
        store.graph(file)?;
        let file = file.map(Path::to_owned);
        Ok(ServerMemory { store: store.clone(), timeout, file, is_subscribed: Arc::default(), turns: Turns::default() })
    }

    /// Runs `work` on another thread.
    async fn perform<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&loopmem::graph::Graph) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let cancelled = context.ct.clone();
        let options =
            CallOptions::new().timeout(self.timeout).cancel(&Cancel::polling(move || cancelled.is_cancelled()));
        let (store, file) = (self.store.with(options), self.file.clone());
        let done = tokio::task::spawn_blocking(move || guard(|| work(&store.graph(file.as_deref())?))).await;
        let scrubbed = |error: Error| error.scrubbed(|text| self.store.redactor().scrub(text).into_owned());
        done.unwrap_or_else(|_| Err(Error::new(ErrorKind::Internal, "a call ended unexpectedly"))).map_err(scrubbed)
    }
}

impl ServerHandler for ServerMemory {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_resources_subscribe().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("loopmem", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(Tool::described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let refused = |text: String| Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into());
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            return refused(format!("MCP error -32602: Tool {} not found", request.name));
        };
        let given = request.arguments.unwrap_or_default();
        let _turn = self.turns.next(tool.reads()).await;
        let answer = match self.perform(&context, move |graph| tool.call(graph, &given)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(issues)) => return refused(issues),
            Err(error) => return refused(error.message().to_owned()),
        };
        if !tool.reads() && self.is_subscribed.load(Ordering::Relaxed) {
            // If the client is gone, so is its answer.
            let _ = context.peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(GRAPH)).await;
        }
        let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
        result.structured_content = Some(answer.structured);
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let graph = Resource::new(GRAPH, "knowledge-graph")
            .with_title("Knowledge Graph")
            .with_description("The full knowledge graph with all entities and relations")
            .with_mime_type(JSON);
        Ok(ListResourcesResult::with_all_items(vec![graph]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != GRAPH {
            return Err(ErrorData::resource_not_found(format!("Resource {} not found", request.uri), None));
        }
        let read = self.perform(&context, |graph| graph.read().map(|contents| pretty(&contents))).await;
        let text = read.map_err(|error| ErrorData::internal_error(error.message().to_owned(), None))?;
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, request.uri).with_mime_type(JSON)]).into())
    }

    async fn subscribe(&self, request: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.is_subscribed.fetch_or(request.uri == GRAPH, Ordering::Relaxed);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.is_subscribed.fetch_and(request.uri != GRAPH, Ordering::Relaxed);
        Ok(())
    }
}
