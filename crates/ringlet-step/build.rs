//! Gives the crate a digest of the sources that decide results, so that stored ones differ from those of changed code,
//! and a saved simulation is loaded only by the code that has saved it.

use std::fs;
use std::path::{Path, PathBuf};

/// The sources that decide results: those of the engine, of its runs and of this crate, and the versions of the crates
/// below them.
const SOURCES: [&str; 4] = ["../ringlet-engine/src", "../ringlet-run/src", "src", "../../Cargo.lock"];

fn main() {
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        collect(Path::new(source), &mut files);
    }
    files.sort();
    let mut digest = Fnv1a::new();
    for file in files {
        digest.add(file.to_string_lossy().replace('\\', "/").as_bytes());
        // Not the line ends, which a checkout may change.
        digest.add(fs::read_to_string(&file).unwrap_or_default().replace('\r', "").as_bytes());
    }
    println!("cargo::rustc-env=RINGLET_SOURCE_DIGEST={:016x}", digest.0);
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) => files.push(path.to_path_buf()),
    }
}

/// FNV-1a, 64 bits: the standard library's hash may change with the compiler.
struct Fnv1a(u64);

impl Fnv1a {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
