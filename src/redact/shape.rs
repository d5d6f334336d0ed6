//! What secrets look like: the shapes of well-known tokens, and of chance.

/// So much of a value is looked at to tell whether it is one of chance.
const LOOKED_AT_BYTES_MAX: usize = 256;
/// A value that is shorter is no secret unless it is called a password.
pub(super) const SECRET_BYTES_MIN: usize = 12;

/// A token that is known by its beginning.
struct Shape {
    prefix: &'static str,
    kind: &'static str,
    /// Bytes after the prefix.
    rest_min: usize,
    rest_max: usize,
    /// What the rest consists of.
    is_part: fn(u8) -> bool,
    /// Whether the rest must also look like chance: where the prefix is part of ordinary words.
    must_be_random: bool,
}

const ANY: usize = usize::MAX;

const fn shape(
    prefix: &'static str,
    kind: &'static str,
    rest_min: usize,
    rest_max: usize,
) -> Shape {
    Shape {
        prefix,
        kind,
        rest_min,
        rest_max,
        is_part: is_base62_or_line,
        must_be_random: false,
    }
}

/// Token shapes by their makers' documentation.
const SHAPES: &[Shape] = &[
    shape("ghp_", "github", 30, ANY),
    shape("gho_", "github", 30, ANY),
    shape("ghu_", "github", 30, ANY),
    shape("ghs_", "github", 30, ANY),
    shape("ghr_", "github", 30, ANY),
    shape("github_pat_", "github", 30, ANY),
    shape("glpat-", "gitlab", 20, ANY),
    shape("sk_live_", "stripe", 16, ANY),
    shape("rk_live_", "stripe", 16, ANY),
    shape("AIza", "google", 35, 35),
    Shape {
        must_be_random: true,
        ..shape("sk-", "key", 20, ANY)
    },
    Shape {
        must_be_random: true,
        ..shape("hf_", "huggingface", 30, ANY)
    },
    Shape {
        must_be_random: true,
        ..shape("npm_", "npm", 36, 36)
    },
    Shape {
        is_part: |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        ..shape("AKIA", "aws", 16, 16)
    },
    Shape {
        is_part: |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        ..shape("ASIA", "aws", 16, 16)
    },
    shape("xoxb-", "slack", 10, ANY),
    shape("xoxa-", "slack", 10, ANY),
    shape("xoxp-", "slack", 10, ANY),
    shape("xoxr-", "slack", 10, ANY),
    shape("xoxs-", "slack", 10, ANY),
    shape("xoxe-", "slack", 10, ANY),
];

/// What base64url and most tokens consist of.
fn is_base62_or_line(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// The kind and length of the token that `bytes` begins with.
pub(super) fn token(bytes: &[u8]) -> Option<(&'static str, usize)> {
    if let Some(length) = jwt(bytes) {
        return Some(("jwt", length));
    }
    let shape = SHAPES
        .iter()
        .find(|shape| bytes.starts_with(shape.prefix.as_bytes()))?;
    let rest = bytes.get(shape.prefix.len()..).unwrap_or_default();
    let rest = rest.get(..run(rest, shape.is_part)).unwrap_or_default();
    let is_sized = (shape.rest_min..=shape.rest_max).contains(&rest.len());
    let is_secret = is_sized && (!shape.must_be_random || has_random_part(rest));
    is_secret.then_some((shape.kind, shape.prefix.len() + rest.len()))
}

/// The length of a JSON web token: two base64url objects and a signature (RFC 7519 §3).
fn jwt(bytes: &[u8]) -> Option<usize> {
    if !bytes.starts_with(b"eyJ") {
        return None;
    }
    let head = run(bytes, is_base62_or_line);
    let rest = bytes.get(head..)?.strip_prefix(b".")?;
    let claims = run(rest, is_base62_or_line);
    let rest = rest.get(claims..)?.strip_prefix(b".")?;
    let signature = run(rest, is_base62_or_line);
    (head >= 10 && claims >= 10 && signature >= 10).then_some(head + claims + signature + 2)
}

/// The number of bytes that `bytes` begins with and that satisfy `is_part`.
pub(super) fn run(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    let end = bytes.iter().position(|&byte| !is_part(byte));
    end.unwrap_or(bytes.len())
}

/// Whether some stretch without `-` or `_` is long and mixes digits and letters, as names do not.
fn has_random_part(bytes: &[u8]) -> bool {
    let looked_at = bytes.get(..LOOKED_AT_BYTES_MAX).unwrap_or(bytes);
    let mut parts = looked_at.split(|byte| matches!(byte, b'-' | b'_'));
    parts.any(|part| part.len() >= 16 && is_mixed(part))
}

/// Whether a value with a sensitive name looks like a secret: long enough, no blank or bracket, letters and digits mixed
/// or letters in disorder.
pub(super) fn looks_secret(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_graphic() && !b"\"'`<>{}()[]$;,".contains(&byte);
    let looked_at = bytes.get(..LOOKED_AT_BYTES_MAX).unwrap_or(bytes);
    bytes.len() >= SECRET_BYTES_MIN
        && looked_at.iter().all(|&byte| is_part(byte))
        && (is_mixed(looked_at) || is_disordered(looked_at))
}

/// Two digits or more and two letters or more.
pub(super) fn is_mixed(bytes: &[u8]) -> bool {
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = bytes
        .iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .count();
    digits >= 2 && letters >= 2
}

/// Letters whose case changes more often than in any name; or a long value of all kinds, hardly one twice.
fn is_disordered(bytes: &[u8]) -> bool {
    let is_change = |pair: &&[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let changes = bytes.windows(2).filter(is_change).count();
    let has_digit = bytes.iter().any(u8::is_ascii_digit);
    (changes * 5 >= bytes.len() && entropy(bytes) > 3.5)
        || (bytes.len() >= 20 && has_digit && changes > 2 && entropy(bytes) > 4.0)
}

/// Shannon's entropy of the bytes, in bits a byte.
#[allow(clippy::cast_precision_loss, reason = "counts up to the length of one value")]
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in bytes {
        counts[usize::from(byte)] += 1;
    }
    let length = bytes.len() as f64;
    let whole = log2(length);
    let seen = counts.iter().filter(|&&count| count > 0).map(|&count| f64::from(count));
    seen.map(|count| count / length * (whole - log2(count))).sum()
}

/// The logarithm to base 2 of a number of at least 1, to about five digits, by repeated squaring: good enough to
/// compare with a bound, and no library of mathematics has to be loaded at every start for it.
fn log2(number: f64) -> f64 {
    const BITS: u32 = 18;
    let mut rest = number.max(1.0);
    let mut log = 0.0;
    while 2.0 <= rest {
        rest /= 2.0;
        log += 1.0;
    }
    let mut part = 0.5;
    for _ in 0..BITS {
        rest *= rest;
        if 2.0 <= rest {
            rest /= 2.0;
            log += part;
        }
        part /= 2.0;
    }
    log
}

/// Whether `value` is base64 of printable text with a colon: the credentials of HTTP's Basic scheme (RFC 7617 §2).
pub(super) fn is_basic_credentials(value: &str) -> bool {
    let digits = value.trim_end_matches('=').as_bytes();
    if digits.len() < 4 || digits.len() % 4 == 1 || value.len() > 4 * LOOKED_AT_BYTES_MAX {
        return false;
    }
    let mut has_colon = false;
    let (mut bits, mut count) = (0_u32, 0);
    for &digit in digits {
        let six = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return false,
        };
        bits = (bits << 6 | u32::from(six)) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            let byte = (bits >> count).to_le_bytes()[0];
            has_colon |= byte == b':';
            if byte.is_ascii_control() {
                return false;
            }
        }
    }
    has_colon
}
