//! Histograms in a saved simulation: their digits, and each value with its count, from which an equal one is made.

use hdrhistogram::Histogram;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

#[derive(Serialize, Deserialize)]
struct Saved {
    digits: u8,
    counts: Vec<(u64, u32)>,
}

pub(crate) fn serialize<S: Serializer>(histogram: &Histogram<u32>, serializer: S) -> Result<S::Ok, S::Error> {
    let counted = |step: hdrhistogram::iterators::IterationValue<u32>| {
        // Below 2^32, as the counts of the histogram are.
        (step.value_iterated_to(), step.count_at_value())
    };
    let counts = histogram.iter_recorded().map(counted).collect();
    Saved { digits: histogram.sigfig(), counts }.serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Histogram<u32>, D::Error> {
    let Saved { digits, counts } = Saved::deserialize(deserializer)?;
    let mut histogram = Histogram::new(digits).map_err(D::Error::custom)?;
    histogram.auto(true);
    for (value, count) in counts {
        histogram.record_n(value, count).map_err(D::Error::custom)?;
    }
    Ok(histogram)
}

/// Histograms that may be missing, as they are saved.
pub(super) mod held {
    use super::{Deserialize, Deserializer, Histogram, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Saved(#[serde(with = "super")] Histogram<u32>);

    #[expect(clippy::ref_option, reason = "as serde calls it")]
    pub(in super::super) fn serialize<S: Serializer>(
        histogram: &Option<Box<Histogram<u32>>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        struct Borrowed<'a>(&'a Histogram<u32>);
        impl Serialize for Borrowed<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                super::serialize(self.0, serializer)
            }
        }
        histogram.as_deref().map(Borrowed).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Box<Histogram<u32>>>, D::Error> {
        Ok(Option::<Saved>::deserialize(deserializer)?.map(|Saved(histogram)| Box::new(histogram)))
    }
}
