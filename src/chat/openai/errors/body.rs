//! The body of an error → what it says, out of whatever it is wrapped in.

use crate::json::{Value, parse};
use crate::text::one_line;

/// Proxies put the JSON of the server behind them as text into their own; so deep it is unwrapped.
const LEVELS_MAX: usize = 3;
/// Bytes of a page that are looked at for its title.
const TITLE_BYTES_MAX: usize = 16 * 1024;

/// What a server says of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Its sentence, as it came.
    pub(super) text: String,
    /// `code`, when it is a word.
    pub(super) code: String,
    /// `code`, when it is a number that may be a status.
    pub(super) status: Option<u16>,
    pub(super) kind: String,
    /// The member of the request that is at fault.
    pub(super) param: String,
    /// The limit in tokens as a member of its own.
    pub(super) limit_tokens: Option<u64>,
    /// It is a web page; then `text` is its title.
    pub(super) is_page: bool,
    /// It is the list of a validator.
    pub(super) is_validation: bool,
}

impl Said {
    /// What a body says: JSON, a page, or plain text.
    pub(super) fn read(body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.starts_with('<') {
            return Self {
                text: title(text),
                is_page: true,
                ..Self::default()
            };
        }
        if text.starts_with(['{', '[', '"'])
            && let Ok(value) = parse(text.as_bytes())
        {
            return Self::of_value(&value);
        }
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }

    /// What a value says: the error itself, or something around it.
    pub(super) fn of_value(value: &Value) -> Self {
        let mut said = Self::default();
        said.take(value, LEVELS_MAX);
        said
    }

    /// What is said, fit to be shown in one line; `otherwise` if nothing is.
    pub(super) fn text_or(&self, otherwise: &str) -> String {
        let text = one_line(self.text.trim(), super::SAID_CELLS_MAX);
        if text.is_empty() {
            otherwise.to_owned()
        } else {
            text
        }
    }

    /// All words of it in lower case, to look for known ones.
    pub(super) fn words(&self) -> String {
        format!("{} {} {}", self.code, self.kind, self.text).to_lowercase()
    }

    fn take(&mut self, value: &Value, levels: usize) {
        match value {
            Value::String(text) => self.take_text(text, levels),
            Value::Array(items) => {
                if let Some(first) = items.first() {
                    self.take(first, levels);
                }
            }
            Value::Object(_) => self.take_object(value, levels),
            _ => {}
        }
    }

    fn take_object(&mut self, value: &Value, levels: usize) {
        self.take_facts(value);
        if let Some(inner) = value.get("error").filter(|inner| !inner.is_null()) {
            if levels > 0 {
                self.take(inner, levels - 1);
            }
            if !self.text.is_empty() {
                return;
            }
        }
        for name in ["message", "detail", "msg", "error_description"] {
            match value.get(name) {
                Some(Value::String(text)) if !text.trim().is_empty() => {
                    self.take_text(text, levels);
                    return;
                }
                Some(list @ Value::Array(_)) => {
                    self.is_validation |= name == "detail";
                    self.take_validation(list);
                    return;
                }
                Some(inner @ Value::Object(_)) if levels > 0 => {
                    self.take(inner, levels - 1);
                    return;
                }
                _ => {}
            }
        }
    }

    /// The members beside the sentence. Inner ones are nearer to the cause and win.
    fn take_facts(&mut self, value: &Value) {
        match value.get("code") {
            Some(Value::String(code)) if code.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.status = code.parse().ok().or(self.status);
            }
            Some(Value::String(code)) => code.clone_into(&mut self.code),
            Some(code) => {
                let status = code.as_u64().and_then(|code| u16::try_from(code).ok());
                self.status = status.or(self.status);
            }
            None => {}
        }
        for (name, to) in [("type", &mut self.kind), ("param", &mut self.param)] {
            // A bare `error` is what wraps an error, not its type.
            let text = value.get(name).and_then(Value::as_str);
            if let Some(text) = text.filter(|text| !text.is_empty() && *text != "error") {
                text.clone_into(to);
            }
        }
        let limit = value.get("n_ctx").and_then(Value::as_u64);
        self.limit_tokens = limit.or(self.limit_tokens);
    }

    fn take_text(&mut self, text: &str, levels: usize) {
        let trimmed = text.trim();
        if levels > 0
            && trimmed.starts_with(['{', '['])
            && let Ok(inner) = parse(trimmed.as_bytes())
        {
            self.take(&inner, levels - 1);
            if !self.text.is_empty() {
                return;
            }
        }
        if trimmed.starts_with('<') {
            self.text = title(trimmed);
            self.is_page = true;
        } else {
            trimmed.clone_into(&mut self.text);
        }
    }

    /// `[{"loc": ["body", "x"], "msg": "…"}]`, as validators write it.
    fn take_validation(&mut self, list: &Value) {
        let faults = list.as_array().unwrap_or_default().iter().take(3);
        let texts: Vec<String> = faults
            .filter_map(|fault| {
                let text = fault.get("msg").and_then(Value::as_str)?;
                let place = fault.get("loc").and_then(Value::as_array);
                let place: Vec<String> = place
                    .unwrap_or_default()
                    .iter()
                    .map(|step| match step {
                        Value::String(name) => name.clone(),
                        other => other.to_string(),
                    })
                    .collect();
                Some(format!("{}: {text}", place.join(".")))
            })
            .collect();
        self.text = texts.join("; ");
    }
}

/// The title of a page, with the commonest entities read; empty if it has none.
fn title(page: &str) -> String {
    let page = crate::text::cut_head(page, TITLE_BYTES_MAX);
    let lower = page.to_ascii_lowercase();
    let inner = lower.find("<title").and_then(|at| {
        let start = at + lower.get(at..)?.find('>')? + 1;
        let end = start + lower.get(start..)?.find("</title")?;
        page.get(start..end)
    });
    let text = inner
        .unwrap_or_default()
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
    one_line(text.trim(), 120)
}
