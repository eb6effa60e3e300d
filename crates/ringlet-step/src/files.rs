//! Files that are written as a whole: into a temporary file, which is then renamed.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Names of temporary files that this process has tried.
static TRIED: AtomicU64 = AtomicU64::new(0);

/// Writes a file. A reader finds the file of before or the new one, and no error, full disk or kill leaves a part of
/// it. A link of that name is replaced, what it leads to is not written. A device or pipe is written itself.
///
/// # Errors
/// It cannot be written.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return OpenOptions::new().write(true).open(path)?.write_all(content);
    }
    let aside = beside(path)?;
    let written = written_to_disk(&aside, content).and_then(|()| fs::rename(&aside, path));
    if written.is_err() {
        // It may not have come to be.
        let _ = fs::remove_file(&aside);
    }
    written
}

/// The path of a temporary file in the same folder.
fn beside(path: &Path) -> io::Result<PathBuf> {
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"));
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let tried = TRIED.fetch_add(1, Ordering::Relaxed);
    Ok(path.with_file_name(format!(".{:x}-{since:x}-{tried:x}.part", std::process::id())))
}

/// The content is on the disk before the file gets its name: a power failure must not leave an empty file.
fn written_to_disk(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("ringlet-step-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("there is room");
        folder
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let folder = folder("replaced");
        let path = folder.join("saved");
        for content in [&b"first"[..], b"second"] {
            write_whole(&path, content).expect("it is written");
            assert_eq!(fs::read(&path).expect("it is there"), content);
        }
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 1);
        assert!(write_whole(&folder, b"x").is_err(), "a folder is not replaced");
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 1);
        fs::remove_dir_all(folder).expect("it is there");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_itself() {
        use std::os::unix::fs::FileTypeExt;

        let folder = folder("device");
        let pipe = folder.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if !made.is_ok_and(|status| status.success()) {
            return println!("skipped: no mkfifo");
        }
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).expect("it is read")
        });
        write_whole(&pipe, b"content").expect("it is written");
        assert_eq!(reader.join().expect("it ends"), b"content");
        assert!(fs::metadata(&pipe).expect("it is there").file_type().is_fifo());
        fs::remove_dir_all(folder).expect("it is there");
    }
}
