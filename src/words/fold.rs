//! Case, diacritics, ligatures and width folded away.
//!
//! The two tables were made from the canonical decompositions of Python's `unicodedata`; the test
//! beside compares them with it.

use super::split::is_mark;

/// The letter under the marks of U+00E0–U+024F, `.` where there is none.
const LATIN: &[u8; 368] = b"\
    aaaaaa.ceeeeiiii.nooooo..uuuuy.y.a.a.a.c.c.c.c.d...e.e.e.e.e.g.g.g.g.h...i.i.i.i\
    .....j.k..l.l.l.....n.n.n....o.o.o...r.r.r.s.s.s.s.t.t...u.u.u.u.u.u.w.y..z.z.z.\
    .................................o..............u.............................a.\
    i.o.u.u.u.u.u..a.a.....g.k.o.o..j....g...n.a.....a.a.e.e.i.i.o.o.r.r.u.u.s.t...h\
    .......a.e.o.o.o.o.y............................\
    ";

/// The letter under the marks of U+1E00–U+1EFF, `.` where there is none.
const LATIN_ADDITIONAL: &[u8; 256] = b"\
    .a.b.b.b.c.d.d.d.d.d.e.e.e.e.e.f.g.h.h.h.h.h.i.i.k.k.k.l.l.l.l.m.m.m.n.n.n.n.o.o\
    .o.o.p.p.r.r.r.r.s.s.s.s.s.t.t.t.t.u.u.u.u.u.v.v.w.w.w.w.w.x.x.y.z.z.zhtwy......\
    .a.a.a.a.a.a.a.a.a.a.a.a.e.e.e.e.e.e.e.e.i.i.o.o.o.o.o.o.o.o.o.o.o.o.u.u.u.u.u.u\
    .u.y.y.y.y......\
    ";

/// Appends `word` to `out` in small letters, Latin ones without their marks (`Ü` → `u`, `ø` → `o`,
/// `ß` → `ss`, `ﬁ` → `fi`, full-width `Ａ` → `a`); apostrophes are left out, so that `don't` is
/// `dont`. Other scripts only change case.
pub(crate) fn fold_into(word: &str, out: &mut String) {
    for c in word.chars() {
        if c.is_ascii() {
            if c != '\'' {
                out.push(c.to_ascii_lowercase());
            }
            continue;
        }
        for small in c.to_lowercase() {
            fold_letter(small, out);
        }
    }
}

/// Appends what a small letter that is not ASCII stands for.
fn fold_letter(letter: char, out: &mut String) {
    let under = match u32::from(letter) {
        code @ 0xe0..=0x24f => LATIN[code as usize - 0xe0],
        code @ 0x1e00..=0x1eff => LATIN_ADDITIONAL[code as usize - 0x1e00],
        // Full-width letters and digits, as an East Asian keyboard writes them.
        code @ (0xff10..=0xff19 | 0xff41..=0xff5a) => (code - 0xff00 + 0x20).to_le_bytes()[0],
        _ => b'.',
    };
    if under != b'.' {
        out.push(char::from(under));
        return;
    }
    match letter {
        'ß' => out.push_str("ss"),
        'æ' | 'ǽ' | 'ǣ' => out.push_str("ae"),
        'œ' => out.push_str("oe"),
        'ø' | 'ǿ' => out.push('o'),
        'ł' => out.push('l'),
        'đ' | 'ð' => out.push('d'),
        'ħ' => out.push('h'),
        'ı' => out.push('i'),
        'þ' => out.push_str("th"),
        'ĳ' => out.push_str("ij"),
        'ŋ' => out.push_str("ng"),
        'ŧ' => out.push('t'),
        'ſ' => out.push('s'),
        'ﬀ' => out.push_str("ff"),
        'ﬁ' => out.push_str("fi"),
        'ﬂ' => out.push_str("fl"),
        'ﬃ' => out.push_str("ffi"),
        'ﬄ' => out.push_str("ffl"),
        'ﬅ' | 'ﬆ' => out.push_str("st"),
        '’' => {}
        c if is_mark(c) => {}
        c => out.push(c),
    }
}
