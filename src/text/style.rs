//! The few colours and weights that the program uses.

use std::borrow::Cow;

/// How a piece of text stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Bold,
    Dim,
    Red,
    Green,
    Cyan,
    Yellow,
}

/// Whether styles are written, decided once: not into a pipe, not with `NO_COLOR`, not with `--plain`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Paint {
    pub(crate) is_on: bool,
}

impl Paint {
    /// `text` in SGR sequences (ECMA-48) that begin and end `style`, or as it is.
    pub(crate) fn wrap(self, style: Style, text: &str) -> Cow<'_, str> {
        if !self.is_on || text.is_empty() {
            return Cow::Borrowed(text);
        }
        let (begin, end) = match style {
            Style::Bold => ("\x1b[1m", "\x1b[22m"),
            Style::Dim => ("\x1b[2m", "\x1b[22m"),
            Style::Red => ("\x1b[31m", "\x1b[39m"),
            Style::Green => ("\x1b[32m", "\x1b[39m"),
            Style::Cyan => ("\x1b[36m", "\x1b[39m"),
            Style::Yellow => ("\x1b[33m", "\x1b[39m"),
        };
        Cow::Owned([begin, text, end].concat())
    }
}
