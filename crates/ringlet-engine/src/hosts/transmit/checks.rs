//! Checks of a transmit queue that was read from a file.

use super::TransmitQueue;
use super::choice::Origin;

impl TransmitQueue {
    /// Priorities of requests that may wait here.
    pub(crate) fn request_levels(&self) -> usize {
        self.classes[0].fifos.len()
    }

    /// Priorities of requests or responses that may wait here.
    pub(crate) fn most_levels(&self) -> usize {
        self.classes.iter().map(|levels| levels.fifos.len()).max().unwrap_or_default()
    }

    /// Says what is wrong with the queue, if anything is: its head waits where it is said to.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Self { head, retries, classes, .. } = self;
        let waits = head.is_none_or(|head| match head.origin {
            Origin::Retry => retries.iter().any(|refused| refused.packet == head.packet),
            Origin::Fifo => {
                let fifo = classes[head.class as usize].fifos.get(usize::from(head.priority));
                fifo.is_some_and(|fifo| fifo.iter().any(|waiting| waiting.packet == head.packet))
            }
        });
        if !waits {
            return Err(format!("has a head that does not wait: {head:?}"));
        }
        Ok(())
    }
}
