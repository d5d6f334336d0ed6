//! Finds the end of a run of string bytes that need no attention, eight at a time.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// A vector's worth of vectors.
const BLOCK_BYTES: usize = 64;

/// The offset of the first byte at or after `at` that ends a plain run in a string: a quote, a
/// backslash or a control character; the length if there is none.
#[inline]
pub(super) fn run_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    // Blocks pay in long runs only; most strings are short, and so are runs between escapes.
    let Some((head, tail)) = rest.split_first_chunk::<BLOCK_BYTES>() else {
        return at + words_end(rest);
    };
    let end = words_end(head);
    if end < BLOCK_BYTES {
        return at + end;
    }
    let rest = after_blocks(tail);
    bytes.len() - rest.len() + words_end(rest)
}

/// The offset of the first byte that ends a run; the length if there is none.
#[inline]
fn words_end(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((chunk, after)) = rest.split_first_chunk::<8>() {
        let stops = stops(u64::from_le_bytes(*chunk));
        if stops != 0 {
            return bytes.len() - rest.len() + (stops.trailing_zeros() >> 3) as usize;
        }
        rest = after;
    }
    let stop = rest.iter().position(|&byte| is_stop(byte));
    bytes.len() - rest.len() + stop.unwrap_or(rest.len())
}

/// What follows the blocks without a stop that `bytes` begins with.
fn after_blocks(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes;
    while let Some((block, after)) = rest.split_first_chunk::<BLOCK_BYTES>()
        && !has_stop(block)
    {
        rest = after;
    }
    rest
}

#[inline]
fn is_stop(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}

/// Whether any byte ends a run; without branches, so that the compiler makes vector code of it.
#[inline]
fn has_stop(block: &[u8; BLOCK_BYTES]) -> bool {
    block.iter().fold(false, |any, &byte| any | is_stop(byte))
}

/// The high bit of each byte of `word` that ends a run. A borrow may set bits above the lowest true one,
/// never below it, and only the lowest is used.
#[inline]
fn stops(word: u64) -> u64 {
    // A zero byte borrows from its high bit when 1 is taken away; `!word` leaves out bytes from 0x80 on.
    let quote = (word ^ (ONES * u64::from(b'"'))).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * u64::from(b'\\'))).wrapping_sub(ONES);
    let control = word.wrapping_sub(ONES * 0x20);
    (quote | backslash | control) & !word & HIGHS
}
