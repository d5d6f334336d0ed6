//! Finds the end of a run of string bytes that need no attention, eight at a time.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The offset of the first byte at or after `at` that ends a plain run in a string: a quote, a
/// backslash or a control character; the length if there is none.
#[inline]
pub(super) fn run_end(bytes: &[u8], at: usize) -> usize {
    let mut rest = bytes.get(at..).unwrap_or_default();
    while let Some((chunk, after)) = rest.split_first_chunk::<8>() {
        let stops = stops(u64::from_le_bytes(*chunk));
        if stops != 0 {
            return bytes.len() - rest.len() + (stops.trailing_zeros() >> 3) as usize;
        }
        rest = after;
    }
    let plain = rest
        .iter()
        .position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20);
    bytes.len() - rest.len() + plain.unwrap_or(rest.len())
}

/// The high bit of each byte of `word` that ends a run. A borrow may set bits above the lowest true one,
/// never below it, and only the lowest is used.
#[inline]
fn stops(word: u64) -> u64 {
    let quote = word ^ (ONES * u64::from(b'"'));
    let backslash = word ^ (ONES * u64::from(b'\\'));
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let is_quote = quote.wrapping_sub(ONES) & !quote;
    let is_backslash = backslash.wrapping_sub(ONES) & !backslash;
    (control | is_quote | is_backslash) & HIGHS
}
