//! Rules: standing answers `tool(pattern)` to the question whether a call may run.

use crate::pattern::Glob;
use crate::tool::{Effect, Subject, SubjectKind, Target};

/// What a shell treats specially: with one of these a command is more than its words.
const SHELL_MARKS: &[char] = &[
    '|', '&', ';', '<', '>', '(', ')', '$', '`', '\\', '"', '\'', '*', '?', '[', ']', '{', '}',
    '~', '#', '!', '\n', '\r', '\0',
];

/// One rule: a tool, and which of its calls.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// As it was written.
    pub(crate) text: String,
    tool: String,
    pattern: Pattern,
}

#[derive(Clone, Debug)]
enum Pattern {
    /// Every call.
    All,
    Path {
        glob: Glob,
        is_exact: bool,
        /// Patterns go from the workspace; only one that begins with `/` reaches outside of it.
        is_absolute: bool,
        /// As it was written.
        text: String,
    },
    /// `*` stands for one word, a last `**` for any rest.
    Words(Vec<String>),
}

impl Rule {
    /// Reads `tool` or `tool(pattern)`. `kind_of` tells a tool's subject, or that there is no such tool.
    pub(crate) fn parse(
        text: &str,
        kind_of: &dyn Fn(&str) -> Option<SubjectKind>,
    ) -> Result<Self, String> {
        let text = text.trim();
        let (tool, inner) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => match rest.strip_suffix(')') {
                Some(inner) => (tool.trim(), Some(inner.trim())),
                None => return Err(format!("the rule `{text}` lacks its closing `)`")),
            },
        };
        let Some(kind) = kind_of(tool) else {
            return Err(format!(
                "the rule `{text}` names `{tool}`, and there is no such tool"
            ));
        };
        let inner = inner.map(|inner| inner.strip_prefix("./").unwrap_or(inner));
        let pattern = match (inner, kind) {
            (None, _) => Pattern::All,
            (Some(""), _) => {
                return Err(format!(
                    "the rule `{text}` has an empty pattern; `{tool}` alone covers every call"
                ));
            }
            (Some(_), SubjectKind::Nothing) => {
                return Err(format!(
                    "the rule `{text}` has a pattern, but calls of `{tool}` have nothing to match; write `{tool}`"
                ));
            }
            (Some(inner), SubjectKind::Path) if inner.starts_with('~') => {
                return Err(format!(
                    "the rule `{text}`: `~` is not followed; write the whole path"
                ));
            }
            (Some(inner), SubjectKind::Path) => Pattern::Path {
                glob: Glob::new(inner).map_err(|error| format!("the rule `{text}`: {error}"))?,
                is_exact: !inner.contains(['*', '?']),
                is_absolute: inner.starts_with('/'),
                text: inner.to_owned(),
            },
            (Some(inner), SubjectKind::Command | SubjectKind::Words) => {
                Pattern::Words(words(text, inner)?)
            }
        };
        Ok(Self {
            text: text.to_owned(),
            tool: tool.to_owned(),
            pattern,
        })
    }

    /// Whether this rule, as an allow rule, covers the whole call.
    fn allows(&self, tool: &str, subject: &Subject, effect: Effect) -> bool {
        self.tool == tool
            && (effect != Effect::Destroy || self.is_exact())
            && match (&self.pattern, subject) {
                (Pattern::All, _) => true,
                (
                    Pattern::Path {
                        glob, is_absolute, ..
                    },
                    Subject::Paths(targets),
                ) => {
                    let covers = |target: &Target| {
                        target.shown.starts_with('/') == *is_absolute && glob.matches(&target.shown)
                    };
                    !targets.is_empty() && targets.iter().all(covers)
                }
                (Pattern::Words(pattern), Subject::Command(command)) => {
                    plain_words(command).is_some_and(|words| match_words(pattern, &words))
                }
                (Pattern::Words(pattern), Subject::Words(given)) => match_words(
                    pattern,
                    &given.iter().map(String::as_str).collect::<Vec<_>>(),
                ),
                _ => false,
            }
    }

    /// Whether this rule, as a deny rule, covers any part of the call.
    fn denies(&self, tool: &str, subject: &Subject) -> bool {
        self.tool == tool
            && match (&self.pattern, subject) {
                (Pattern::All, _) => true,
                (Pattern::Path { glob, text, .. }, Subject::Paths(targets)) => {
                    targets.iter().any(|target| touches(glob, text, target))
                }
                (Pattern::Words(pattern), Subject::Command(command)) => might_run(pattern, command),
                (Pattern::Words(pattern), Subject::Words(given)) => match_words(
                    pattern,
                    &given.iter().map(String::as_str).collect::<Vec<_>>(),
                ),
                _ => false,
            }
    }

    /// Whether the pattern can match one call only.
    fn is_exact(&self) -> bool {
        match &self.pattern {
            Pattern::All => false,
            Pattern::Path { is_exact, .. } => *is_exact,
            Pattern::Words(words) => !words.iter().any(|word| word.contains('*')),
        }
    }
}

/// Whether a deny pattern covers `target` or, since a call may take a folder whole, anything below it. The target
/// counts under both of its names, from the workspace and absolute.
fn touches(glob: &Glob, pattern: &str, target: &Target) -> bool {
    let fixed = pattern.split(['*', '?']).next().unwrap_or_default();
    let absolute = target.path.display().to_string();
    [target.shown.as_str(), absolute.as_str()]
        .iter()
        .any(|name| {
            let below = format!("{name}/");
            glob.matches(name) || glob.matches(&format!("{below}x")) || fixed.starts_with(&below)
        })
}

/// Whether a deny pattern's words stand anywhere in `command` where a shell might run them. Quotes are taken out and
/// all other marks of the shell end a word, so that a deny rule may cover too much, but no spelling passes it by.
fn might_run(pattern: &[String], command: &str) -> bool {
    let plain: String = command
        .chars()
        .filter(|c| !matches!(c, '"' | '\'' | '\\'))
        .map(|c| {
            if SHELL_MARKS.contains(&c) && !matches!(c, '*' | '?' | '[' | ']' | '~' | '#' | '!') {
                ' '
            } else {
                c
            }
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let is_plain = plain_words(command).is_some();
    let wanted = match pattern.split_last() {
        Some((last, head)) if last == "**" => head,
        _ => pattern,
    };
    (0..words.len().max(1)).any(|at| {
        let rest = words.get(at..).unwrap_or_default();
        if is_plain {
            at == 0 && match_words(pattern, rest)
        } else {
            // Where a segment ends is not known: what begins like the pattern is covered.
            wanted.len() <= rest.len()
                && wanted
                    .iter()
                    .zip(rest)
                    .all(|(pattern, word)| matches_word(pattern, word))
        }
    })
}

/// The words of a pattern; anything in it that a plain command cannot hold is an error.
fn words(rule: &str, inner: &str) -> Result<Vec<String>, String> {
    let words: Vec<String> = inner.split_whitespace().map(str::to_owned).collect();
    for (index, word) in words.iter().enumerate() {
        let is_rest = word == "**" && index + 1 == words.len();
        if word == "*" || is_rest {
            continue;
        }
        if word == "**" {
            return Err(format!("the rule `{rule}`: `**` may only be the last word"));
        }
        if word.contains('*') {
            return Err(format!(
                "the rule `{rule}`: `*` stands for a whole word, so `{word}` cannot match"
            ));
        }
        if let Some(mark) = word.chars().find(|c| SHELL_MARKS.contains(c)) {
            return Err(format!(
                "the rule `{rule}`: `{mark}` cannot match, because a command with shell syntax is always asked about"
            ));
        }
    }
    Ok(words)
}

fn match_words(pattern: &[String], words: &[&str]) -> bool {
    match pattern.split_last() {
        Some((last, head)) if last == "**" => {
            head.len() <= words.len()
                && head
                    .iter()
                    .zip(words)
                    .all(|(pattern, word)| matches_word(pattern, word))
        }
        _ => {
            pattern.len() == words.len()
                && pattern
                    .iter()
                    .zip(words)
                    .all(|(pattern, word)| matches_word(pattern, word))
        }
    }
}

fn matches_word(pattern: &str, word: &str) -> bool {
    pattern == "*" || pattern == word
}

/// The words of a command that is nothing but words; `None` if a shell would do more than split it.
fn plain_words(command: &str) -> Option<Vec<&str>> {
    if command.contains(SHELL_MARKS) {
        return None;
    }
    let words: Vec<&str> = command.split_whitespace().collect();
    // `A=1 git log` runs git with another environment: that is not what `git log` covers.
    (!words.first()?.contains('=')).then_some(words)
}

/// All rules of a run; deny rules go before allow rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) deny: Vec<Rule>,
    pub(crate) allow: Vec<Rule>,
}

impl Rules {
    /// The deny rule that covers any part of a call.
    pub(crate) fn denying(&self, tool: &str, subject: &Subject) -> Option<&Rule> {
        self.deny.iter().find(|rule| rule.denies(tool, subject))
    }

    /// The allow rule that covers the whole of a call.
    pub(crate) fn allowing(&self, tool: &str, subject: &Subject, effect: Effect) -> Option<&Rule> {
        self.allow
            .iter()
            .find(|rule| rule.allows(tool, subject, effect))
    }
}

/// The narrowest rule that would cover a call, as it is typed after `--allow-tool`; `None` if none can.
pub(crate) fn suggest(tool: &str, subject: &Subject) -> Option<String> {
    match subject {
        Subject::Nothing => Some(tool.to_owned()),
        Subject::Paths(targets) => {
            let [target] = targets.as_slice() else {
                return Some(tool.to_owned());
            };
            Glob::new(&target.shown)
                .is_ok()
                .then(|| format!("{tool}({})", target.shown))
        }
        Subject::Command(command) => {
            plain_words(command).map(|words| format!("{tool}({})", words.join(" ")))
        }
        Subject::Words(words) => Some(format!("{tool}({})", words.join(" "))),
    }
}
