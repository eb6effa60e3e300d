//! Runs, on deliveries that the tests write down.

mod drive;
mod fake;
mod series;
