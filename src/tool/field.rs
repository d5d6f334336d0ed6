//! Argument types: each knows its JSON Schema and how to read itself, so bounds live in types.

use crate::json::{Object, Value};

/// A type that can be an argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool argument",
    note = "use `String`, `Text<MAX>`, `bool`, `Within<LOW, HIGH>`, `List<T, MAX>`, a `choice!`, a `record!`, or an `Option` of one"
)]
pub(crate) trait Field: Sized {
    /// The members of this type's JSON Schema.
    fn schema() -> Object;
    /// Reads `value`, or adds to `faults` what is wrong with it; `at` names the argument.
    fn read(value: &Value, at: &str, faults: &mut Vec<String>) -> Option<Self>;
    /// The value of a missing argument, for types that have one.
    fn absent() -> Option<Self> {
        None
    }
    /// Whether `value` holds nothing where this type needs something: where the argument may be left out,
    /// that is what the model meant.
    fn is_blank(value: &Value) -> bool {
        value.is_null()
    }
}

/// A fault of one argument: what is allowed, and what was given.
fn fault<T>(faults: &mut Vec<String>, at: &str, allowed: &str, given: &Value) -> Option<T> {
    faults.push(format!("`{at}` must be {allowed}, not {}", shown(given)));
    None
}

/// A given value, short enough for a sentence.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => value.kind().to_owned(),
        other => {
            let text = other.to_string();
            match text.char_indices().nth(40) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}

fn typed(kind: &str) -> Object {
    [("type".to_owned(), Value::from(kind))]
        .into_iter()
        .collect()
}

impl Field for String {
    fn schema() -> Object {
        typed("string")
    }
    fn read(value: &Value, at: &str, faults: &mut Vec<String>) -> Option<Self> {
        match value.as_str() {
            Some(text) => Some(text.to_owned()),
            None => fault(faults, at, "a string", value),
        }
    }
}

/// A string that is not blank and has at most `MAX` bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text<const MAX: usize>(pub(crate) String);

impl<const MAX: usize> Field for Text<MAX> {
    fn schema() -> Object {
        let mut schema = typed("string");
        schema.insert("minLength", Value::from(1_u32));
        schema
    }
    fn read(value: &Value, at: &str, faults: &mut Vec<String>) -> Option<Self> {
        match value.as_str() {
            Some(text) if text.trim().is_empty() => {
                faults.push(format!("`{at}` must not be empty"));
                None
            }
            Some(text) if MAX < text.len() => {
                faults.push(format!(
                    "`{at}` must have at most {MAX} bytes, not {}",
                    text.len()
                ));
                None
            }
            Some(text) => Some(Self(text.to_owned())),
            None => fault(faults, at, "a string", value),
        }
    }
    fn is_blank(value: &Value) -> bool {
        value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
    }
}

impl<const MAX: usize> std::ops::Deref for Text<MAX> {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl Field for bool {
    fn schema() -> Object {
        typed("boolean")
    }
    fn read(value: &Value, at: &str, faults: &mut Vec<String>) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(*flag),
            other => fault(faults, at, "true or false", other),
        }
    }
}

/// An integer from `LOW` to `HIGH`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Within<const LOW: i64, const HIGH: i64>(pub(crate) i64);

impl<const LOW: i64, const HIGH: i64> Within<LOW, HIGH> {
    /// As a size; a negative bound cannot become one.
    pub(crate) fn size(self) -> usize {
        usize::try_from(self.0).unwrap_or(0)
    }
}

impl<const LOW: i64, const HIGH: i64> Field for Within<LOW, HIGH> {
    fn schema() -> Object {
        let mut schema = typed("integer");
        schema.insert("minimum", Value::from(LOW));
        if HIGH < i64::MAX {
            schema.insert("maximum", Value::from(HIGH));
        }
        schema
    }
    fn read(value: &Value, at: &str, faults: &mut Vec<String>) -> Option<Self> {
        // JSON Schema counts 8.0 as an integer, and some models write it.
        let given = value.as_i64().or_else(|| match value {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "whole and within the range of exact integers"
            )]
            Value::Float(number) if number.fract() == 0.0 && number.abs() < 9.0e15 => {
                Some(*number as i64)
            }
            _ => None,
        });
        match given {
            Some(number) if (LOW..=HIGH).contains(&number) => Some(Self(number)),
            _ if HIGH == i64::MAX => {
                fault(faults, at, &format!("an integer of at least {LOW}"), value)
            }
            _ => fault(
                faults,
                at,
                &format!("an integer from {LOW} to {HIGH}"),
                value,
            ),
        }
    }
}

impl<T: Field> Field for Option<T> {
    fn schema() -> Object {
        T::schema()
    }
    /// `null`, and emptiness where it could mean nothing, count as absent: models write them for what they leave out.
    fn read(value: &Value, at: &str, faults: &mut Vec<String>) -> Option<Self> {
        if T::is_blank(value) {
            Some(None)
        } else {
            T::read(value, at, faults).map(Some)
        }
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// A list of one to `MAX` values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List<T, const MAX: usize>(pub(crate) Vec<T>);

impl<T: Field, const MAX: usize> Field for List<T, MAX> {
    fn schema() -> Object {
        let mut schema = typed("array");
        schema.insert("items", Value::Object(T::schema()));
        schema.insert("minItems", Value::from(1_u32));
        schema.insert("maxItems", Value::from(MAX as u64));
        schema
    }
    fn read(value: &Value, at: &str, faults: &mut Vec<String>) -> Option<Self> {
        let Some(items) = value.as_array() else {
            return fault(faults, at, "an array", value);
        };
        if items.is_empty() || MAX < items.len() {
            faults.push(format!(
                "`{at}` must have 1 to {MAX} items, not {}",
                items.len()
            ));
            return None;
        }
        let read: Vec<Option<T>> = items
            .iter()
            .enumerate()
            .map(|(index, item)| T::read(item, &format!("{at}[{index}]"), faults))
            .collect();
        read.into_iter().collect::<Option<Vec<T>>>().map(Self)
    }
    fn is_blank(value: &Value) -> bool {
        value.is_null() || value.as_array().is_some_and(<[Value]>::is_empty)
    }
}

/// Variables for a child: an object whose values are all strings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variables<const MAX: usize>(pub(crate) Vec<(String, String)>);

impl<const MAX: usize> Field for Variables<MAX> {
    fn schema() -> Object {
        let mut schema = typed("object");
        schema.insert("additionalProperties", Value::Object(typed("string")));
        schema
    }
    fn read(value: &Value, at: &str, faults: &mut Vec<String>) -> Option<Self> {
        let Some(members) = value.as_object() else {
            return fault(faults, at, "an object of strings", value);
        };
        if MAX < members.len() {
            faults.push(format!(
                "`{at}` must have at most {MAX} members, not {}",
                members.len()
            ));
            return None;
        }
        let mut read = Vec::new();
        for (name, value) in members.iter() {
            let is_name = !name.is_empty() && !name.contains(['=', '\0']);
            match value.as_str() {
                Some(text) if is_name && !text.contains('\0') => {
                    read.push((name.to_owned(), text.to_owned()))
                }
                Some(_) => faults.push(format!(
                    "`{at}.{name}` has a name or value that no variable can have"
                )),
                None => _ = fault::<()>(faults, &format!("{at}.{name}"), "a string", value),
            }
        }
        (read.len() == members.len()).then_some(Self(read))
    }
}

/// Declares an argument type with a fixed set of values: `choice! { Unit { Words = "words" } }`.
macro_rules! choice {
    ($Name:ident { $($Variant:ident = $text:literal),+ $(,)? }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum $Name { $($Variant),+ }

        impl $Name {
            /// The word that stands for this in arguments.
            #[allow(dead_code, reason = "not every tool shows its choice")]
            fn word(self) -> &'static str {
                match self { $(Self::$Variant => $text),+ }
            }
        }

        impl $crate::tool::Field for $Name {
            fn schema() -> $crate::json::Object {
                [
                    ("type".to_owned(), $crate::json::Value::from("string")),
                    ("enum".to_owned(), $crate::json::Value::Array(vec![$($crate::json::Value::from($text)),+])),
                ].into_iter().collect()
            }
            fn read(value: &$crate::json::Value, at: &str, faults: &mut Vec<String>) -> Option<Self> {
                match value.as_str() {
                    $(Some($text) => Some(Self::$Variant),)+
                    _ => {
                        faults.push(format!("`{at}` must be one of {}, not {value}", [$($text),+].join(", ")));
                        None
                    }
                }
            }
        }
    };
}
pub(crate) use choice;

/// Declares an argument type with members of its own: `record! { Edit { /// Text. old: String } }`.
macro_rules! record {
    ($Name:ident { $( $(#[doc = $doc:literal])+ $field:ident : $Type:ty ),+ $(,)? }) => {
        #[derive(Clone, Debug)]
        struct $Name { $( $(#[doc = $doc])+ $field: $Type ),+ }

        impl $crate::tool::Field for $Name {
            fn schema() -> $crate::json::Object {
                $crate::tool::members(vec![$(
                    $crate::tool::Member::new::<$Type>(stringify!($field), concat!($($doc),+))
                ),+])
            }
            fn read(value: &$crate::json::Value, at: &str, faults: &mut Vec<String>) -> Option<Self> {
                let mut fields = $crate::tool::Fields::new(value, at, faults)?;
                $( let $field = fields.take::<$Type>(stringify!($field)); )+
                fields.finish();
                Some(Self { $( $field: $field? ),+ })
            }
        }
    };
}
pub(crate) use record;

/// One argument's row in a schema.
pub(crate) struct Member {
    name: &'static str,
    schema: Object,
    is_required: bool,
}

impl Member {
    /// The row of an argument of type `T`.
    pub(crate) fn new<T: Field>(name: &'static str, doc: &str) -> Self {
        let mut schema = T::schema();
        schema.insert("description", Value::from(doc.trim()));
        Self {
            name: name.trim_start_matches("r#"),
            schema,
            is_required: T::absent().is_none(),
        }
    }
}

/// The JSON Schema of an object with these members and no others.
pub(crate) fn members(rows: Vec<Member>) -> Object {
    let required: Vec<Value> = rows
        .iter()
        .filter(|row| row.is_required)
        .map(|row| Value::from(row.name))
        .collect();
    let mut schema = typed("object");
    let properties: Object = rows
        .into_iter()
        .map(|row| (row.name.to_owned(), Value::Object(row.schema)))
        .collect();
    schema.insert("properties", Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required", Value::Array(required));
    }
    schema.insert("additionalProperties", Value::Bool(false));
    schema
}

/// Takes arguments out of an object and knows which are left over.
pub(crate) struct Fields<'a> {
    members: &'a Object,
    at: &'a str,
    known: Vec<&'static str>,
    faults: &'a mut Vec<String>,
}

impl<'a> Fields<'a> {
    /// Opens `value`; `at` is empty for the arguments themselves.
    pub(crate) fn new(value: &'a Value, at: &'a str, faults: &'a mut Vec<String>) -> Option<Self> {
        match value.as_object() {
            Some(members) => Some(Self {
                members,
                at,
                known: Vec::new(),
                faults,
            }),
            None if at.is_empty() => {
                faults.push(format!(
                    "the arguments must be an object, not {}",
                    value.kind()
                ));
                None
            }
            None => fault(faults, at, "an object", value),
        }
    }

    fn path(&self, name: &str) -> String {
        if self.at.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.at)
        }
    }

    /// The argument called `name`, what stands for a missing one, or a fault noted.
    pub(crate) fn take<T: Field>(&mut self, name: &'static str) -> Option<T> {
        let name = name.trim_start_matches("r#");
        self.known.push(name);
        let path = self.path(name);
        if let Some(value) = self.members.get(name) {
            return T::read(value, &path, self.faults);
        }
        let absent = T::absent();
        if absent.is_none() {
            self.faults.push(format!("`{path}` is missing"));
        }
        absent
    }

    /// Refuses arguments that nothing took.
    pub(crate) fn finish(self) {
        for (name, _) in self
            .members
            .iter()
            .filter(|(name, _)| !self.known.contains(&name.as_ref()))
        {
            let near = crate::text::nearest(name, self.known.iter().copied());
            let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let path = self.path(name);
            self.faults
                .push(format!("`{path}` is not an argument{hint}"));
        }
    }
}
