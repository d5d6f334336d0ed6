//! Classes of bytes by RFC 9110 §5.6, the search for line ends, and bytes made fit to be shown in an error.

/// How many bytes of a faulty line an error shows.
const SHOWN_BYTES_MAX: usize = 60;

/// Whether `byte` may stand in a token (RFC 9110 §5.6.2).
pub(crate) fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Whether `bytes` are a token: one byte or more, all of the class.
pub(crate) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| is_token_byte(*byte))
}

/// Whether `byte` may stand in a field value or a reason phrase: blank, visible, or above ASCII (RFC 9110 §5.5).
pub(crate) fn is_value_byte(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

/// Whether `byte` is optional white space (RFC 9110 §5.6.3).
pub(crate) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// `bytes` without blanks at both ends.
pub(crate) fn trim_blanks(mut bytes: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = bytes
        && is_blank(*first)
    {
        bytes = rest;
    }
    while let [rest @ .., last] = bytes
        && is_blank(*last)
    {
        bytes = rest;
    }
    bytes
}

/// `bytes` as printable ASCII, cut after [`SHOWN_BYTES_MAX`].
pub(crate) fn show(bytes: &[u8]) -> String {
    match bytes.get(..SHOWN_BYTES_MAX) {
        Some(start) if bytes.len() > SHOWN_BYTES_MAX => format!("{}…", start.escape_ascii()),
        _ => bytes.escape_ascii().to_string(),
    }
}

/// Where the first byte that satisfies `is_wanted` stands; looks at blocks, because one byte at a time is
/// five times slower on streams.
#[inline]
fn find(bytes: &[u8], is_wanted: impl Fn(u8) -> bool) -> Option<usize> {
    const BLOCK: usize = 32;
    let mut at = 0;
    for block in bytes.chunks_exact(BLOCK) {
        // No early end inside the block: that lets the compiler compare all of it at once.
        if block
            .iter()
            .fold(false, |is_in, byte| is_in | is_wanted(*byte))
        {
            break;
        }
        at += BLOCK;
    }
    let rest = bytes.get(at..)?;
    rest.iter()
        .position(|byte| is_wanted(*byte))
        .map(|place| at + place)
}

/// Where the first line feed or carriage return stands.
pub(crate) fn find_line_end(bytes: &[u8]) -> Option<usize> {
    find(bytes, |byte| byte == b'\n' || byte == b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_line_ends_at_every_place() {
        for length in 0..100 {
            let mut bytes = vec![b'x'; length];
            assert_eq!(find_line_end(&bytes), None);
            for at in 0..length {
                bytes[at] = if at % 2 == 0 { b'\n' } else { b'\r' };
                assert_eq!(find_line_end(&bytes), Some(at));
                bytes[at] = b'x';
            }
        }
    }

    #[test]
    fn classes_are_those_of_the_rfc() {
        let tokens: Vec<u8> = (0..=255).filter(|byte| is_token_byte(*byte)).collect();
        // RFC 9110 §5.6.2, in ASCII order.
        let expected =
            b"!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~";
        assert_eq!(tokens, expected);
        assert!(!is_value_byte(0) && !is_value_byte(b'\r') && !is_value_byte(0x7f));
        assert!(is_value_byte(b'\t') && is_value_byte(b' ') && is_value_byte(0xff));
    }
}
