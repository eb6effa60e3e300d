//! The choice between one thread and several, by the time that stretches of a simulation have taken: on a machine that
//! is busy with other work, threads that wait for each other may be slower than one. It changes nothing but the time.

use std::time::Duration;

/// Stretches after which the other way is tried again.
const BETWEEN_TRIALS: u32 = 32;

/// Part of a whole stretch that a trial is.
const TRIAL_PART: u64 = 4;

/// The ways to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// One thread advances all rings.
    Alone,
    /// All threads advance them.
    Together,
}

impl Way {
    fn other(self) -> Self {
        match self {
            Self::Alone => Self::Together,
            Self::Together => Self::Alone,
        }
    }
}

/// The time that each way takes.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Seconds for a cycle, of late: alone and together; `None`: not known.
    seconds: [Option<f64>; 2],
    stretches: u32,
}

impl Pace {
    /// The way of the next stretch, and how many windows it has, of so many at most.
    pub(super) fn next(&mut self, most: u64) -> (Way, u64) {
        let trial = (most / TRIAL_PART).max(1);
        let [alone, together] = self.seconds;
        let (Some(alone), Some(together)) = (alone, together) else {
            return (if together.is_none() { Way::Together } else { Way::Alone }, trial);
        };
        let faster = if together <= alone { Way::Together } else { Way::Alone };
        self.stretches += 1;
        if self.stretches < BETWEEN_TRIALS {
            return (faster, most);
        }
        self.stretches = 0;
        (faster.other(), trial)
    }

    /// A stretch of so many cycles took so long.
    pub(super) fn took(&mut self, way: Way, cycles: u64, time: Duration) {
        let now = time.as_secs_f64() / cycles.max(1) as f64;
        let before = &mut self.seconds[way as usize];
        *before = Some(before.map_or(now, |before| (before + now) / 2.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows that go each way, of stretches whose cycles take so many ns.
    fn windows(alone_ns: u64, together_ns: u64) -> [u64; 2] {
        let (mut pace, mut windows) = (Pace::default(), [0; 2]);
        for _ in 0..1000 {
            let (way, count) = pace.next(256);
            windows[way as usize] += count;
            let ns = if way == Way::Alone { alone_ns } else { together_ns };
            pace.took(way, count, Duration::from_nanos(count * ns));
        }
        windows
    }

    #[test]
    fn most_goes_the_faster_way_and_the_other_one_is_tried() {
        let [alone, together] = windows(100, 60);
        assert!(alone > 0 && together > 100 * alone, "{alone} alone, {together} together");
        let [alone, together] = windows(100, 400);
        assert!(together > 0 && alone > 100 * together, "{alone} alone, {together} together");
    }

    #[test]
    fn a_change_of_the_machine_is_followed() {
        let mut pace = Pace::default();
        let mut run = |alone_ns: u64, together_ns: u64| {
            for _ in 0..100 {
                let (way, count) = pace.next(256);
                let ns = if way == Way::Alone { alone_ns } else { together_ns };
                pace.took(way, count, Duration::from_nanos(count * ns));
            }
            pace.next(256).0
        };
        assert_eq!(run(100, 60), Way::Together);
        assert_eq!(run(100, 300), Way::Alone);
        assert_eq!(run(100, 60), Way::Together);
    }
}
