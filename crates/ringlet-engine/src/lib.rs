//! Cycle-accurate simulation of register-insertion rings.
pub mod spec;
