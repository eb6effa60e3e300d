#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ringlet_fuzz::spec(bytes));
