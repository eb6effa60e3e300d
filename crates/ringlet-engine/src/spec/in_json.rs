//! Parts of a spec in a saved simulation, which stand there as they do in the spec: its enumerations name their variant
//! in a field, which only a format that describes itself can hold.

use serde::de::{self, DeserializeOwned};
use serde::ser;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) fn serialize<T: Serialize, S: Serializer>(part: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::to_string(part).map_err(ser::Error::custom)?.serialize(serializer)
}

pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    serde_json::from_str(&String::deserialize(deserializer)?).map_err(de::Error::custom)
}
