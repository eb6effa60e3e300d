//! The entry of a ring's routes.

/// Packets for addresses from this one on (to that of the next step) leave at the interface of this place, and leave
/// its switch through the port of that number; `None`: there is no route.
pub type RouteStep = (u32, Option<u32>, Option<u16>);
