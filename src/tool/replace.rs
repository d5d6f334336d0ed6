//! Finding a text in a file, first exactly, then more and more loosely, and putting another in its place.

use std::collections::HashMap;
use std::ops::Range;

use crate::tool::Failure;

/// Places named when a text is not unique.
const PLACES_MAX: usize = 8;
/// Different indentations of one edit that are told apart.
const INDENTATIONS_MAX: usize = 32;

/// One replacement.
#[derive(Clone, Debug)]
pub(crate) struct Replacement<'a> {
    /// What stands there; never empty.
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
    /// Every place, and not the only one.
    pub(crate) is_everywhere: bool,
}

/// How loosely a text was matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rung {
    Exact,
    LineEnds,
    TrailingSpace,
    Indentation,
}

impl Rung {
    /// From strict to loose.
    const ALL: [Self; 4] = [
        Self::Exact,
        Self::LineEnds,
        Self::TrailingSpace,
        Self::Indentation,
    ];

    /// The words after "matched only".
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Exact => "exactly",
            Self::LineEnds => "apart from line ends",
            Self::TrailingSpace => "apart from blanks at line ends",
            Self::Indentation => "apart from indentation",
        }
    }

    /// What of a line is compared.
    fn key(self, line: &str) -> &str {
        match self {
            Self::Exact | Self::LineEnds => line.strip_suffix('\r').unwrap_or(line),
            Self::TrailingSpace => line.trim_end(),
            Self::Indentation => line.trim(),
        }
    }
}

/// What replacements made of a text.
#[derive(Debug)]
pub(crate) struct Replaced {
    pub(crate) text: String,
    /// How each was matched.
    pub(crate) rungs: Vec<Rung>,
    /// Places in all.
    pub(crate) places: usize,
}

/// Makes all of `edits` in `text`, in order, or none. `shown` names the file in failures; a result of more than
/// `bytes_max` bytes is one; `check` may end the work between two edits.
pub(crate) fn replace(
    text: &str,
    edits: &[Replacement<'_>],
    shown: &str,
    bytes_max: usize,
    check: &dyn Fn() -> Result<(), Failure>,
) -> Result<Replaced, Failure> {
    let mut replaced = Replaced {
        text: text.to_owned(),
        rungs: Vec::new(),
        places: 0,
    };
    for (index, edit) in edits.iter().enumerate() {
        check()?;
        let number = index + 1;
        let (rung, places) = find(&replaced.text, edit, number, shown)?;
        let mut out = String::new();
        let mut line_ends = LineEnds::new(&replaced.text);
        let mut end = 0;
        for place in &places {
            out.push_str(&replaced.text[end..place.start]);
            let is_crlf = line_ends.is_crlf(place);
            out.push_str(&fitted(&replaced.text[place.clone()], edit, rung, is_crlf));
            end = place.end;
            if bytes_max < out.len() {
                break;
            }
        }
        out.push_str(&replaced.text[end..]);
        if bytes_max < out.len() {
            return Err(Failure::new(format!(
                "edit {number}: `{shown}` would have more than {bytes_max} bytes; nothing was changed"
            )));
        }
        replaced.text = out;
        replaced.rungs.push(rung);
        replaced.places += places.len();
    }
    Ok(replaced)
}

/// Where `edit` applies: the strictest rung that matches at all decides.
fn find(
    text: &str,
    edit: &Replacement<'_>,
    number: usize,
    shown: &str,
) -> Result<(Rung, Vec<Range<usize>>), Failure> {
    let found = Rung::ALL
        .into_iter()
        .map(|rung| match rung {
            Rung::Exact => (rung, exact(text, edit)),
            Rung::LineEnds => (rung, without_returns(text, edit)),
            Rung::TrailingSpace | Rung::Indentation => (rung, lines(text, edit, rung)),
        })
        .find(|(_, places)| !places.is_empty());
    let Some((rung, places)) = found else {
        return Err(Failure::new(missing(text, edit, number, shown)));
    };
    if 1 < places.len() && !edit.is_everywhere {
        let mut at: Vec<String> = places
            .iter()
            .take(PLACES_MAX)
            .map(|place| line_number(text, place.start).to_string())
            .collect();
        if PLACES_MAX < places.len() {
            at.push("…".to_owned());
        }
        return Err(Failure::new(format!(
            "edit {number}: `old_string` occurs {} times in `{shown}`, at lines {}; nothing was changed; \
             add lines around it, or set `replace_all`",
            places.len(),
            at.join(", ")
        )));
    }
    Ok((rung, places))
}

/// Where `old` stands as it is. Half of a CRLF is no such place: it would leave a lone CR.
fn exact(text: &str, edit: &Replacement<'_>) -> Vec<Range<usize>> {
    let splits = |place: &Range<usize>| {
        let is_split = |at: usize| text[..at].ends_with('\r') && text[at..].starts_with('\n');
        is_split(place.start) || is_split(place.end)
    };
    let mut places = occurrences(text, edit);
    places.retain(|place| !splits(place));
    places
}

/// The same with every CRLF of both taken for LF.
fn without_returns(text: &str, edit: &Replacement<'_>) -> Vec<Range<usize>> {
    if !text.contains("\r\n") && !edit.old.contains("\r\n") {
        return Vec::new();
    }
    let old = edit.old.replace("\r\n", "\n");
    // Where in `plain` each CR was, so that its places can be told in `text`.
    let mut returns = Vec::new();
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_suffix("\r\n") {
            Some(body) => {
                plain.push_str(body);
                returns.push(plain.len());
                plain.push('\n');
            }
            None => plain.push_str(line),
        }
    }
    let there = |at: usize| at + returns.partition_point(|&place| place < at);
    let wanted = Replacement {
        old: &old,
        ..edit.clone()
    };
    occurrences(&plain, &wanted)
        .into_iter()
        .map(|place| there(place.start)..there(place.end))
        .collect()
}

/// All places of `old`, none over another; but where there seems to be one only, also a second over it.
fn occurrences(text: &str, edit: &Replacement<'_>) -> Vec<Range<usize>> {
    let size = edit.old.len();
    let mut places: Vec<Range<usize>> = text
        .match_indices(edit.old)
        .map(|(start, _)| start..start + size)
        .collect();
    if let [only] = places.as_slice()
        && !edit.is_everywhere
    {
        let next = only.start + edit.old.chars().next().map_or(1, char::len_utf8);
        let second = text
            .get(next..)
            .and_then(|rest| rest.find(edit.old))
            .map(|at| next + at);
        places.extend(second.map(|start| start..start + size));
    }
    places
}

/// The ranges of whole lines that equal the lines of `old` by `rung`'s measure.
///
/// Lines become numbers and Knuth-Morris-Pratt finds them, so that no input makes it quadratic.
fn lines(text: &str, edit: &Replacement<'_>, rung: Rung) -> Vec<Range<usize>> {
    let takes_last_end = edit.old.ends_with('\n');
    let old = edit.old.strip_suffix('\n').unwrap_or(edit.old);
    if old.split('\n').all(|line| rung.key(line).is_empty()) {
        return Vec::new();
    }
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut number = |line| {
        let next = numbers.len();
        *numbers.entry(rung.key(line)).or_insert(next)
    };
    let pattern: Vec<usize> = old.split('\n').map(&mut number).collect();
    let mut rows: Vec<(usize, Range<usize>)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        rows.push((
            number(line.strip_suffix('\n').unwrap_or(line)),
            start..start + line.len(),
        ));
        start += line.len();
    }
    let borders = borders(&pattern);
    let mut found = Vec::new();
    let mut matched = 0;
    for (at, (line, range)) in rows.iter().enumerate() {
        while 0 < matched && pattern[matched] != *line {
            matched = borders[matched - 1];
        }
        matched += usize::from(pattern[matched] == *line);
        if matched == pattern.len() {
            let body = text[range.clone()].trim_end_matches(['\n', '\r']).len();
            let end = if takes_last_end {
                range.end
            } else {
                range.start + body
            };
            found.push(rows[at + 1 - matched].1.start..end);
            // Places over each other make it ambiguous; where all are wanted, each line goes to one.
            matched = if edit.is_everywhere {
                0
            } else {
                borders[matched - 1]
            };
        }
    }
    found
}

/// For each beginning of `pattern` the length of its longest proper beginning that also ends it.
fn borders(pattern: &[usize]) -> Vec<usize> {
    let mut borders = vec![0; pattern.len()];
    let mut border = 0;
    for at in 1..pattern.len() {
        while 0 < border && pattern[border] != pattern[at] {
            border = borders[border - 1];
        }
        border += usize::from(pattern[border] == pattern[at]);
        borders[at] = border;
    }
    borders
}

/// The line ends around places that are asked for from the first to the last.
struct LineEnds<'a> {
    text: &'a str,
    /// The first line end that is not before the last place asked for, or where there is none the last of all.
    next: Option<usize>,
    is_over: bool,
}

impl<'a> LineEnds<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            next: None,
            is_over: false,
        }
    }

    /// Whether lines end in CRLF at `place`: its own first, the one that it stands in, or the last of the text.
    fn is_crlf(&mut self, place: &Range<usize>) -> bool {
        if !self.is_over && self.next.is_none_or(|next| next < place.start) {
            let found = self.text[place.start..]
                .find('\n')
                .map(|at| place.start + at);
            self.is_over = found.is_none();
            self.next = found.or_else(|| self.text.rfind('\n'));
        }
        self.next.is_some_and(|at| self.text[..at].ends_with('\r'))
    }
}

/// The new text with the line ends and, where that was matched loosely, the indentation of its place. Lines that the
/// old and the new text share at their beginnings and ends stay as the file has them, byte by byte.
fn fitted(there: &str, edit: &Replacement<'_>, rung: Rung, is_crlf: bool) -> String {
    if rung == Rung::Exact && !edit.old.contains('\n') && !edit.new.contains('\n') {
        return edit.new.to_owned();
    }
    let mut old: Vec<&str> = edit.old.split('\n').collect();
    let mut new: Vec<&str> = edit.new.split('\n').collect();
    let there: Vec<&str> = there.split('\n').collect();
    // The last line of a file without a line end stays without one.
    if old.len() == there.len() + 1 {
        old.pop();
        if 1 < new.len() && new.last() == Some(&"") {
            new.pop();
        }
    }
    let most = old.len().min(new.len()).min(there.len());
    let same =
        |(old, new): (&&str, &&str)| old.trim_end_matches('\r') == new.trim_end_matches('\r');
    // Not the last line: what follows it may differ.
    let head = old
        .iter()
        .zip(&new)
        .take(most.saturating_sub(1))
        .take_while(|&pair| same(pair))
        .count();
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(most - head)
        .take_while(|&pair| same(pair))
        .count();
    let moves = (rung == Rung::Indentation).then(|| Moves::new(&old, &there));
    let is_literal = rung == Rung::Exact && (edit.old.contains("\r\n") || !is_crlf);
    let mut lines: Vec<String> = there
        .iter()
        .take(head)
        .map(|&line| line.to_owned())
        .collect();
    for (index, &line) in new.iter().enumerate().take(new.len() - tail).skip(head) {
        let mut line = moves
            .as_ref()
            .map_or_else(|| line.to_owned(), |moves| moves.moved(line, index == 0));
        if !is_literal && index + 1 < new.len() {
            line.truncate(line.trim_end_matches('\r').len());
            line.push_str(if is_crlf { "\r" } else { "" });
        }
        lines.push(line);
    }
    lines.extend(
        there
            .iter()
            .skip(there.len() - tail)
            .map(|&line| line.to_owned()),
    );
    lines.join("\n")
}

/// How lines move from the indentation that an edit has to that of the file.
struct Moves<'a> {
    first: Option<(&'a str, &'a str)>,
    others: Vec<(&'a str, &'a str)>,
}

impl<'a> Moves<'a> {
    fn new(old: &[&'a str], there: &[&'a str]) -> Self {
        let mut pairs = old
            .iter()
            .zip(there)
            .filter(|(old, _)| !old.trim().is_empty())
            .map(|(old, there)| (indentation(old), indentation(there)));
        let first = pairs.next();
        let mut others: Vec<(&str, &str)> = Vec::new();
        for pair in pairs {
            if others.len() < INDENTATIONS_MAX && others.iter().all(|(given, _)| *given != pair.0) {
                others.push(pair);
            }
        }
        // Models often leave out the indentation of the first line only, so it speaks for others only if it is alone.
        if others.is_empty() {
            others.extend(first);
        }
        Self { first, others }
    }

    fn moved(&self, line: &str, is_first: bool) -> String {
        let given = indentation(line);
        if given.len() == line.len() {
            return line.to_owned();
        }
        let pair = match self.first {
            Some(first) if is_first && first.0 == given => Some(first),
            _ => self
                .others
                .iter()
                .filter(|(old, _)| given.starts_with(old))
                .max_by_key(|(old, _)| old.len())
                .copied(),
        };
        pair.map_or_else(
            || line.to_owned(),
            |(old, there)| format!("{there}{}", &line[old.len()..]),
        )
    }
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// Why nothing matched, with the lines that come nearest.
fn missing(text: &str, edit: &Replacement<'_>, number: usize, shown: &str) -> String {
    let wanted = edit
        .old
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let near: Vec<String> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !wanted.is_empty() && line.contains(wanted))
        .take(PLACES_MAX)
        .map(|(index, _)| (index + 1).to_string())
        .collect();
    let hint = if near.is_empty() {
        "read the file again and copy the text as it is".to_owned()
    } else {
        format!(
            "its first line stands at line {}; what follows differs, read it again",
            near.join(", ")
        )
    };
    format!("edit {number}: `old_string` was not found in `{shown}`; nothing was changed; {hint}")
}

fn line_number(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
#[path = "replace_tests.rs"]
mod tests;
