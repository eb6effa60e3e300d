//! Saved simulations: a line that says what it is and by which code it was saved, then what has become of the
//! simulation since it was built, and a checksum. The spec stays with the caller; by its checksum another one is
//! refused.

use std::collections::{HashMap, VecDeque};

use crc::{CRC_32_ISCSI, CRC_64_XZ, Crc};
use ringlet_engine::spec::SpecError;
use serde::{Deserialize, Serialize};

use crate::{Delivery, Open, Stepping};

/// The beginning of every saved simulation.
const MAGIC: &str = "ringlet simulation ";

/// The code that can read what it has saved: the release, and a digest of the sources that decide results.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("RINGLET_SOURCE_DIGEST"));

const CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
const SPEC_CHECKSUM: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);

/// The reason why a simulation cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The file is something else.
    #[error("not a simulation that ringlet has saved")]
    Other,
    /// Code of another version has saved it, whose state may be laid out differently.
    #[error("saved by ringlet {0}, and only that can load it; this is {VERSION}")]
    Version(String),
    /// The file is not as it was written.
    #[error("the saved simulation is damaged: {0}")]
    Damaged(String),
    /// The simulation was saved of another spec.
    #[error("the simulation was saved of another spec")]
    OtherSpec,
    /// The spec cannot be simulated.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

/// A saved simulation that has been read, but is not yet built.
#[derive(Serialize, Deserialize)]
pub struct Saved {
    /// Note that the caller has written beside it, such as what the spec was made of.
    pub note: String,
    spec_checksum: u64,
    state: Vec<u8>,
    open: Vec<((u32, bool), Open)>,
    requests: Vec<(u32, (u32, u32))>,
    arrived: VecDeque<Delivery>,
}

impl Saved {
    /// Reads what [`Stepping::save`] has written.
    ///
    /// # Errors
    /// It is something else, damaged, or of other code.
    pub fn read(bytes: &[u8]) -> Result<Self, LoadError> {
        let rest = bytes.strip_prefix(MAGIC.as_bytes()).ok_or(LoadError::Other)?;
        let end = rest.iter().position(|&byte| byte == b'\n').ok_or(LoadError::Other)?;
        let (code, content) = (&rest[..end], &rest[end + 1..]);
        if code != VERSION.as_bytes() {
            return Err(LoadError::Version(String::from_utf8_lossy(code).into_owned()));
        }
        postcard::from_bytes_crc32(content, CHECKSUM.digest()).map_err(|error| LoadError::Damaged(error.to_string()))
    }

    /// Builds the simulation of the spec of which it was saved, to go on from there.
    ///
    /// # Errors
    /// It was saved of another spec, or its state is damaged.
    pub fn build(self, spec_json: &str) -> Result<Stepping, LoadError> {
        let Self { note: _, spec_checksum, state, open, requests, arrived } = self;
        if checksum(spec_json) != spec_checksum {
            return Err(LoadError::OtherSpec);
        }
        let mut stepping = Stepping::from_json(spec_json)?;
        stepping.simulation.restore(&state).map_err(|damaged| LoadError::Damaged(damaged.to_string()))?;
        (stepping.open, stepping.requests) = (open.into_iter().collect(), requests.into_iter().collect());
        stepping.arrived = arrived;
        Ok(stepping)
    }
}

impl Stepping {
    /// The simulation in bytes, with a note: [`Saved::read`] and [`Saved::build`] go on from here, with the same
    /// results.
    pub fn save(&self, note: &str) -> Vec<u8> {
        let saved = Saved {
            note: note.into(),
            spec_checksum: self.spec_checksum,
            state: self.simulation.save(),
            open: sorted(&self.open),
            requests: sorted(&self.requests),
            arrived: self.arrived.clone(),
        };
        let content = postcard::to_stdvec_crc32(&saved, CHECKSUM.digest()).expect("memory takes any state");
        [format!("{MAGIC}{VERSION}\n").as_bytes(), &content].concat()
    }
}

pub(crate) fn checksum(spec_json: &str) -> u64 {
    SPEC_CHECKSUM.checksum(spec_json.as_bytes())
}

/// Sorts a map, so that equal simulations are saved as equal bytes.
fn sorted<K: Copy + Ord, V: Copy>(map: &HashMap<K, V>) -> Vec<(K, V)> {
    let mut entries: Vec<_> = map.iter().map(|(&key, &value)| (key, value)).collect();
    entries.sort_unstable_by_key(|entry| entry.0);
    entries
}
