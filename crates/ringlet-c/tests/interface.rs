//! The header says what the library offers, and a C++ program that uses it compiles and runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use ringlet_c as _;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn header() -> String {
    let mut written = Vec::new();
    cbindgen::generate(env!("CARGO_MANIFEST_DIR")).expect("the crate can be read").write(&mut written);
    String::from_utf8(written).expect("a header is text")
}

/// `RINGLET_WRITE_HEADER=1 cargo test -p ringlet-c` writes it.
#[test]
fn the_header_is_that_of_the_library() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/ringlet.h");
    if std::env::var_os("RINGLET_WRITE_HEADER").is_some() {
        std::fs::write(&path, header()).expect("the header can be written");
    }
    let found = std::fs::read_to_string(&path).expect("there is a header");
    assert!(found.replace('\r', "") == header(), "run RINGLET_WRITE_HEADER=1 cargo test -p ringlet-c");
}

/// The static library that was built beside this test.
fn library() -> PathBuf {
    let folder = std::env::current_exe().expect("this test is a file").parent().expect("in a folder").to_path_buf();
    let built = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("libringlet_c") && name.ends_with(".a")
    };
    let files = std::fs::read_dir(folder).expect("it can be read").map(|entry| entry.expect("a file").path());
    let age = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    files.filter(built).max_by_key(age).expect("the static library was built with its test")
}

#[test]
fn a_program_in_cpp_steps_a_ring() {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        return println!("skipped: no C++ compiler (Debian and Ubuntu: apt install g++)");
    }
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("processors");
    let examples = repository().join("examples/c");
    let compiled = Command::new(&compiler)
        .args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(examples.join("processors.cpp"))
        .arg(format!("-I{}/include", env!("CARGO_MANIFEST_DIR")))
        .arg(library())
        .args(["-lpthread", "-ldl", "-lm"])
        .output()
        .expect("the compiler runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = |file: Option<&Path>| {
        let ran = Command::new(&program).arg(examples.join("ring.json")).args(file).output().expect("the program runs");
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
        said
    };
    let said = run(None);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("half-way");
    assert_eq!(said, run(Some(&file)), "a ring that is saved and loaded half way is the same");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 5, "{said}");
    // Behind an idle, two hops and 8 symbols there, 20 cycles of service, the same back with 40 symbols, as they would
    // take alone, and then 50 cycles: the processors disturb each other, but not for long.
    let alone = (1 + 2 + 8 + 20) + (1 + 2 + 40 + 20) + 50;
    for line in &lines[..4] {
        let reads: u64 = line.split(' ').nth(2).expect("a number").parse().expect("a number");
        assert!((20_000 / (2 * alone)..=20_000 / alone).contains(&reads), "{said}");
    }
    assert_eq!(lines[4], "source: 4 is not allowed; a node below 4");
}
