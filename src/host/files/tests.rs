//! Files on the real system: links, modes, devices, races.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use super::*;
use crate::host::scratch::{Scratch, has_program, say_skipped};

fn names(scratch: &Scratch) -> Vec<String> {
    let entries = fs::read_dir(scratch.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

/// A file made by the plainest means, with these bytes and mode.
fn plant(path: &Path, bytes: &str, mode: u32) {
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_a_path_is() {
    let scratch = Scratch::new();
    let file = scratch.at("file");
    plant(&file, "12345", 0o640);
    symlink("file", scratch.at("link")).unwrap();
    let _socket = UnixListener::bind(scratch.at("socket")).unwrap();
    let check = |name: &str, is_following, expected| {
        let stat = Tree.stat(&scratch.at(name), is_following).unwrap();
        assert_eq!(stat.kind, expected, "{name}");
        stat
    };
    let plain = check("file", false, Kind::File);
    assert_eq!((plain.bytes, plain.mode), (5, 0o640));
    assert!(plain.modified > 1_767_225_600);
    assert_eq!(check("link", true, Kind::File), plain);
    let link = check("link", false, Kind::Link);
    assert_ne!(link.identity, plain.identity);
    check("socket", true, Kind::Other);
    check("", true, Kind::Directory);
    assert_eq!(
        Tree.stat(Path::new("/dev/null"), true).unwrap().kind,
        Kind::Other
    );
    let missing = Tree.stat(&scratch.at("none"), true).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    let below = Tree.stat(&file.join("x"), true).unwrap_err();
    assert_eq!(below.kind(), ErrorKind::NotADirectory);
}

#[test]
fn a_file_is_read_up_to_a_limit() {
    let scratch = Scratch::new();
    let path = scratch.at("file");
    plant(&path, "12345", 0o644);
    let check = |bytes_max, expected: &str| {
        assert_eq!(Tree.read(&path, bytes_max).unwrap(), expected.as_bytes());
    };
    check(0, "");
    check(4, "1234");
    check(5, "12345");
    check(u64::MAX, "12345");
    // A file that says it is empty and is not.
    let status = Tree.read(Path::new("/proc/self/status"), 5).unwrap();
    assert_eq!(status, b"Name:");
}

#[test]
fn what_is_no_file_is_refused_without_a_wait() {
    let scratch = Scratch::new();
    let check = |path: &Path, expected: &str| {
        let error = Tree.read(path, 10).unwrap_err();
        assert_eq!(error.to_string(), expected, "{}", path.display());
        let error = Tree.replace(path, b"x", None).unwrap_err();
        assert_eq!(error.to_string(), expected, "{}", path.display());
    };
    check(scratch.path(), "is a directory");
    check(Path::new("/dev/zero"), "it is a device, not a regular file");
    let _socket = UnixListener::bind(scratch.at("socket")).unwrap();
    check(&scratch.at("socket"), "it is a socket, not a regular file");
    if has_program("mkfifo") {
        let fifo = scratch.at("fifo");
        assert!(
            Command::new("mkfifo")
                .arg(&fifo)
                .status()
                .unwrap()
                .success()
        );
        check(&fifo, "it is a FIFO, not a regular file");
        symlink("fifo", scratch.at("link")).unwrap();
        check(&scratch.at("link"), "it is a FIFO, not a regular file");
    }
}

#[test]
fn a_directory_is_listed_up_to_a_limit() {
    let scratch = Scratch::new();
    plant(&scratch.at("a"), "123", 0o644);
    fs::create_dir(scratch.at("b")).unwrap();
    symlink("nowhere", scratch.at("c")).unwrap();
    let (mut items, is_more) = Tree.list(scratch.path(), 3).unwrap();
    assert!(!is_more);
    items.sort_by(|one, other| one.name.cmp(&other.name));
    let kinds: Vec<(&str, Kind)> = items
        .iter()
        .map(|item| (item.name.to_str().unwrap(), item.kind))
        .collect();
    let expected = [("a", Kind::File), ("b", Kind::Directory), ("c", Kind::Link)];
    assert_eq!(kinds, expected);
    assert_eq!(items[0].bytes, 3);
    let (items, is_more) = Tree.list(scratch.path(), 2).unwrap();
    assert_eq!((items.len(), is_more), (2, true));
    let error = Tree.list(&scratch.at("a"), 2).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotADirectory);
}

#[test]
fn a_file_is_replaced_in_one_step_and_keeps_its_mode() {
    let scratch = Scratch::new();
    let path = scratch.at("file");
    plant(&path, "old", 0o751);
    let mut held = File::open(&path).unwrap();
    let inode = fs::metadata(&path).unwrap().ino();
    Tree.replace(&path, b"new text", Some(0o751)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new text");
    assert_eq!(mode(&path), 0o751);
    assert_ne!(fs::metadata(&path).unwrap().ino(), inode);
    // Whoever reads the old file reads it to its end.
    let mut old = String::new();
    held.read_to_string(&mut old).unwrap();
    assert_eq!(old, "old");
    assert_eq!(names(&scratch), ["file"]);
}

#[test]
fn a_new_file_gets_the_mode_that_the_system_gives() {
    let scratch = Scratch::new();
    plant(&scratch.at("plain"), "", 0o600);
    fs::remove_file(scratch.at("plain")).unwrap();
    fs::write(scratch.at("plain"), "").unwrap();
    Tree.replace(&scratch.at("replaced"), b"", None).unwrap();
    Tree.create(&scratch.at("created"), b"", None).unwrap();
    let expected = mode(&scratch.at("plain"));
    assert_eq!(mode(&scratch.at("replaced")), expected);
    assert_eq!(mode(&scratch.at("created")), expected);
    for asked in [0o600, 0o4755, 0o444, 0o666, 0o2770] {
        Tree.replace(&scratch.at("asked"), b"", Some(asked))
            .unwrap();
        assert_eq!(mode(&scratch.at("asked")), asked, "{asked:o}");
    }
}

#[test]
fn links_at_the_end_lead_to_what_is_replaced() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.at("far")).unwrap();
    plant(&scratch.at("far/file"), "old", 0o644);
    symlink("far", scratch.at("near")).unwrap();
    symlink("../hop", scratch.at("far/first")).unwrap();
    symlink("near/file", scratch.at("hop")).unwrap();
    symlink("far/dangling-target", scratch.at("dangling")).unwrap();
    Tree.replace(&scratch.at("near/first"), b"new", None)
        .unwrap();
    assert_eq!(fs::read(scratch.at("far/file")).unwrap(), b"new");
    assert!(
        fs::symlink_metadata(scratch.at("hop"))
            .unwrap()
            .is_symlink()
    );
    assert!(
        fs::symlink_metadata(scratch.at("far/first"))
            .unwrap()
            .is_symlink()
    );
    Tree.replace(&scratch.at("dangling"), b"made", None)
        .unwrap();
    assert_eq!(
        fs::read(scratch.at("far/dangling-target")).unwrap(),
        b"made"
    );
    symlink("circle", scratch.at("circle")).unwrap();
    let error = Tree.replace(&scratch.at("circle"), b"", None).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(sys::ELOOP));
}

#[test]
fn a_planted_name_is_never_opened() {
    let scratch = Scratch::new();
    plant(&scratch.at("precious"), "precious", 0o644);
    symlink("precious", scratch.at("guessed")).unwrap();
    symlink("not-there", scratch.at("guessed-too")).unwrap();
    plant(&scratch.at("guessed-file"), "a file", 0o666);
    let mut guesses = ["guessed", "guessed-too", "guessed-file", "free"].into_iter();
    let name = || guesses.next().unwrap().to_string();
    let (temporary, mut file) = Temporary::open(&scratch.at("x"), None, name).unwrap();
    file.write_all(b"secret").unwrap();
    assert_eq!(temporary.path, scratch.at("free"));
    assert_eq!(fs::read(scratch.at("precious")).unwrap(), b"precious");
    assert_eq!(fs::read(scratch.at("guessed-file")).unwrap(), b"a file");
    drop(temporary);
    let expected = ["guessed", "guessed-file", "guessed-too", "precious"];
    assert_eq!(names(&scratch), expected);
    // Somebody who guesses every name gets an error, not the bytes.
    let always = || "guessed".to_string();
    let error = Temporary::open(&scratch.at("x"), None, always)
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
}

#[test]
fn a_file_that_will_be_private_is_private_from_the_start() {
    let scratch = Scratch::new();
    let name = || "temporary".to_string();
    let opened = Temporary::open(&scratch.at("x"), Some(0o644), name).unwrap();
    assert_eq!(mode(&opened.0.path) & 0o077, 0);
}

#[test]
fn nothing_stays_behind_after_a_failure() {
    let scratch = Scratch::new();
    // The temporary file can be made, the name itself is too long for the file system.
    let long = scratch.at(&"n".repeat(256));
    let error = Tree.create(&long, b"x", None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidFilename);
    let error = Tree.replace(&long, b"x", None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidFilename);
    let error = Tree
        .replace(&scratch.at("no/file"), b"x", None)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let error = Tree.replace(&scratch.at(".."), b"x", None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IsADirectory);
    // A directory that appears between the look and the rename.
    let temporary = Temporary::write(&scratch.at("late"), b"x", None, None).unwrap();
    fs::create_dir(scratch.at("late")).unwrap();
    assert!(fs::rename(&temporary.path, scratch.at("late")).is_err());
    drop(temporary);
    assert_eq!(names(&scratch), ["late"]);
}

#[test]
fn what_exists_is_not_created_again() {
    let scratch = Scratch::new();
    plant(&scratch.at("file"), "old", 0o644);
    symlink("nowhere", scratch.at("dangling")).unwrap();
    fs::create_dir(scratch.at("directory")).unwrap();
    for name in ["file", "dangling", "directory"] {
        let error = Tree.create(&scratch.at(name), b"new", None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{name}");
    }
    assert_eq!(fs::read(scratch.at("file")).unwrap(), b"old");
    assert_eq!(names(&scratch), ["dangling", "directory", "file"]);
    Tree.create(&scratch.at("new"), b"made", Some(0o640))
        .unwrap();
    assert_eq!(fs::read(scratch.at("new")).unwrap(), b"made");
    assert_eq!(mode(&scratch.at("new")), 0o640);
    assert_eq!(names(&scratch), ["dangling", "directory", "file", "new"]);
}

#[test]
fn a_rename_never_replaces_in_one_call_or_in_two() {
    for rename in [rename_new, rename_by_link] {
        let scratch = Scratch::new();
        let taken = |from: &str, to: &str| {
            let error = rename(&scratch.at(from), &scratch.at(to)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{from} to {to}");
        };
        plant(&scratch.at("file"), "1", 0o644);
        plant(&scratch.at("other"), "2", 0o644);
        symlink("nowhere", scratch.at("dangling")).unwrap();
        fs::create_dir(scratch.at("full")).unwrap();
        plant(&scratch.at("full/inside"), "3", 0o644);
        fs::create_dir(scratch.at("empty")).unwrap();
        taken("file", "other");
        taken("file", "dangling");
        taken("file", "empty");
        taken("file", "file");
        taken("full", "empty");
        taken("full", "file");
        taken("dangling", "file");
        assert_eq!(fs::read(scratch.at("other")).unwrap(), b"2");
        rename(&scratch.at("file"), &scratch.at("moved")).unwrap();
        assert_eq!(fs::read(scratch.at("moved")).unwrap(), b"1");
        rename(&scratch.at("full"), &scratch.at("moved-full")).unwrap();
        assert_eq!(fs::read(scratch.at("moved-full/inside")).unwrap(), b"3");
        rename(&scratch.at("dangling"), &scratch.at("moved-link")).unwrap();
        assert_eq!(
            fs::read_link(scratch.at("moved-link")).unwrap(),
            Path::new("nowhere")
        );
        let missing = rename(&scratch.at("none"), &scratch.at("x")).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        let inside = rename(&scratch.at("moved-full"), &scratch.at("moved-full/in"));
        assert_eq!(inside.unwrap_err().kind(), ErrorKind::InvalidInput);
        assert_eq!(
            names(&scratch),
            ["empty", "moved", "moved-full", "moved-link", "other"]
        );
    }
}

#[test]
fn directories_are_made_with_their_parents_and_removed_when_empty() {
    let scratch = Scratch::new();
    let deep = scratch.at("a/b/c");
    Tree.create_dir(&deep).unwrap();
    Tree.create_dir(&deep).unwrap();
    plant(&deep.join("file"), "", 0o644);
    let kind = |result: io::Result<()>| result.unwrap_err().kind();
    assert_eq!(kind(Tree.remove_dir(&deep)), ErrorKind::DirectoryNotEmpty);
    assert_eq!(
        kind(Tree.create_dir(&deep.join("file"))),
        ErrorKind::AlreadyExists
    );
    Tree.remove_file(&deep.join("file")).unwrap();
    Tree.remove_dir(&deep).unwrap();
    assert_eq!(
        kind(Tree.remove_file(&scratch.at("a/b"))),
        ErrorKind::IsADirectory
    );
    symlink("b", scratch.at("a/link")).unwrap();
    assert_eq!(
        Tree.resolve(&scratch.at("a/link/../link")).unwrap(),
        scratch.at("a/b")
    );
    Tree.remove_file(&scratch.at("a/link")).unwrap();
    assert!(scratch.at("a/b").is_dir());
    assert_eq!(Tree.resolve(&deep).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn the_owner_stays_when_somebody_else_writes() {
    let scratch = Scratch::new();
    let path = scratch.at("file");
    plant(&path, "", 0o644);
    if std::os::unix::fs::chown(&path, Some(12_345), Some(54_321)).is_err() {
        say_skipped("only root gives files away");
        return;
    }
    Tree.replace(&path, b"new", Some(0o4755)).unwrap();
    let known = fs::metadata(&path).unwrap();
    assert_eq!((known.uid(), known.gid()), (12_345, 54_321));
    assert_eq!(mode(&path), 0o4755);
}
