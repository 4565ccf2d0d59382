//! Gives the engine a fingerprint: a hash of the sources that decide what a run computes. Stored results are found again
//! only by the engine that made them, on whatever machine it was built.

use std::fs;
use std::path::{Path, PathBuf};

const CRATES: [&str; 5] = ["core", "model", "aqm", "tcp", "sim"];

fn main() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = vec![crates.join("../Cargo.lock")];
    for name in CRATES {
        let sources = crates.join(format!("penstock-{name}/src"));
        println!("cargo:rerun-if-changed={}", sources.display());
        collect(&sources, &mut files);
    }
    files.sort();
    let mut hash = Fnv::default();
    for file in &files {
        hash.add(&fs::read(file).unwrap_or_default());
    }
    println!("cargo:rustc-env=PENSTOCK_ENGINE={:016x}", hash.0);
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// FNV-1a, 64 bits.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
