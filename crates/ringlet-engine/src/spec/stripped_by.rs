//! The station that takes a packet with several receivers off its ring.

use serde::{Deserialize, Serialize};

/// The station that takes a packet with several receivers off its ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrippedBy {
    /// The last receiver on the packet's way.
    #[default]
    LastReceiver,
    /// The source, to which it comes back. With echoes it is its own echo, which says nothing of the receivers.
    Source,
}
