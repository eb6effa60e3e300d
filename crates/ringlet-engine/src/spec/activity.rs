//! An activity of a spec.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A plan of packets with its options: an object with `kind` and what that kind reads besides. The file of each says
/// what that is ([`crate::activities`]). Its flows are those of a trace ([`ArrivalSpec::Trace`](super::ArrivalSpec));
/// the simulation hands their packets in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ActivitySpec(pub(crate) Value);
