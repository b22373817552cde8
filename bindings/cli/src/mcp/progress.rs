//! Tells a client how far a call is, if it asked for that.

use rmcp::model::ProgressNotificationParam;
use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// A channel for the steps of a call, each with how many are done and how many there are, and the task that tells them. It ends
/// when the channel is closed.
pub(super) struct Reporter {
    pub(super) steps: UnboundedSender<(u64, u64)>,
    pub(super) told: JoinHandle<()>,
}

impl Reporter {
    /// That of a request; `None` if the client does not want to know.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let token = context.meta.get_progress_token()?;
        let peer = context.peer.clone();
        let (steps, mut taken) = unbounded_channel::<(u64, u64)>();
        let told = tokio::spawn(async move {
            let mut last = None;
            while let Some(mut step) = taken.recv().await {
                // Of steps that came meanwhile, the latest.
                while let Ok(next) = taken.try_recv() {
                    step = next;
                }
                // The protocol requires that it increases.
                if last.is_some_and(|last| step.0 <= last) {
                    continue;
                }
                last = Some(step.0);
                #[allow(clippy::cast_precision_loss, reason = "the protocol counts so")]
                let (done, total) = (step.0 as f64, step.1 as f64);
                let told = peer.notify_progress(ProgressNotificationParam::new(token.clone(), done).with_total(total));
                if told.await.is_err() {
                    break;
                }
            }
        });
        Some(Reporter { steps, told })
    }
}
