//! Buffers of a switch port.

use crate::spec::BuffersSpec;
use crate::values::Class;

/// Buffers for requests and responses: counted in two pools, or in one.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Buffers {
    sizes: [u32; 2],
    pooled: bool,
}

impl Buffers {
    pub(crate) fn new(spec: BuffersSpec) -> Self {
        let BuffersSpec { requests, responses, pooled } = spec;
        let sizes = if pooled { [requests + responses; 2] } else { [requests, responses] };
        Self { sizes, pooled }
    }

    /// The pool of a class.
    pub(crate) fn index(self, class: Class) -> usize {
        if self.pooled { 0 } else { class as usize }
    }

    pub(crate) fn size(self, class: Class) -> u32 {
        self.sizes[class as usize]
    }
}
