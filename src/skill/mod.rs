//! Skills: Markdown procedures that are loaded by name when a task needs one.

mod front;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use self::front::Front;

/// A rendered body has this many characters at most.
pub(crate) const BODY_CHARS_MAX: usize = front::BODY_CHARS_MAX;

/// A skill, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skill {
    /// What it is found by: the front matter's name, or else its folder's; small letters.
    pub(crate) name: String,
    /// One line: what it is for. Empty if the front matter has none.
    pub(crate) description: String,
    /// Names of tools that its author thinks useful. Hints: nothing is loaded, called or permitted.
    pub(crate) suggested_tools: Vec<String>,
    /// What a foreign skill asks to be allowed. Shown, never honoured.
    pub(crate) allowed_tools: Vec<String>,
    /// The Markdown below the front matter, line ends as `\n`, without blank lines at its ends.
    pub(crate) body: String,
}

impl Skill {
    /// Reads the text of a `SKILL.md` that lies in `folder`, leniently: whatever the front matter
    /// holds, there is a skill.
    pub(crate) fn read(folder: &str, text: &str) -> Self {
        let Front {
            name,
            description,
            suggested_tools,
            allowed_tools,
            body,
            ..
        } = front::read(text);
        let name = if name.is_empty() { folder } else { &name };
        Self {
            name: name.trim().to_lowercase(),
            description,
            suggested_tools,
            allowed_tools,
            body,
        }
    }
}

/// Reads the skills of a table of (folder, text), in its order.
pub(crate) fn read_all(table: &[(&str, &str)]) -> Vec<Skill> {
    table
        .iter()
        .map(|(folder, text)| Skill::read(folder, text))
        .collect()
}

/// The skill called `name`, trimmed and in small letters; otherwise a text that lists those there
/// are.
pub(crate) fn find<'a>(skills: &'a [Skill], name: &str) -> Result<&'a Skill, String> {
    let wanted = name.trim().to_lowercase();
    if let Some(skill) = skills.iter().find(|skill| skill.name == wanted) {
        return Ok(skill);
    }
    if skills.is_empty() {
        return Err(format!("no skill is called `{wanted}`: there are none"));
    }
    let mut text = format!("no skill is called `{wanted}`. There are:");
    for skill in skills {
        text.push_str("\n- ");
        text.push_str(&skill.name);
        if !skill.description.is_empty() {
            text.push_str(": ");
            text.push_str(&skill.description);
        }
    }
    Err(text)
}

/// The skill as the model gets it: `# Skill: NAME`, the hints, a rule, then the body, cut at
/// [`BODY_CHARS_MAX`] characters with a note of what was cut.
pub(crate) fn render(skill: &Skill) -> String {
    let mut text = format!("# Skill: {}\n", skill.name);
    if !skill.suggested_tools.is_empty() {
        text.push_str("Suggested tools (hints; nothing is loaded or permitted): ");
        text.push_str(&skill.suggested_tools.join(", "));
        text.push('\n');
    }
    if !skill.allowed_tools.is_empty() {
        text.push_str("Asks to be allowed (not honoured; every call asks as usual): ");
        text.push_str(&skill.allowed_tools.join(", "));
        text.push('\n');
    }
    text.push_str("---\n");
    match skill.body.char_indices().nth(BODY_CHARS_MAX) {
        None => text.push_str(&skill.body),
        Some((at, _)) => {
            let (kept, cut) = skill.body.split_at(at);
            text.push_str(kept);
            let count = cut.chars().count();
            let _ = write!(
                text,
                "\n[cut: {count} more characters; a skill's body is shown up to {BODY_CHARS_MAX}]"
            );
        }
    }
    text
}
