//! Bytes that should be text, as text.

/// The text of `bytes`, and whether something in them was no text and became U+FFFD. UTF-8, or UTF-16 if a byte
/// order mark says so; the mark is dropped.
pub(crate) fn lossy(bytes: &[u8]) -> (String, bool) {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest),
        _ => utf8(bytes),
    }
}

fn utf8(bytes: &[u8]) -> (String, bool) {
    std::str::from_utf8(bytes).map_or_else(
        |_| (String::from_utf8_lossy(bytes).into_owned(), true),
        |text| (text.to_owned(), false),
    )
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> (String, bool) {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut was_lossy = !rest.is_empty();
    let mut text = String::with_capacity(bytes.len());
    for decoded in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
        was_lossy |= decoded.is_err();
        text.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    (text, was_lossy)
}
