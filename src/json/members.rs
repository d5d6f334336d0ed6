//! The members of a JSON object in the order of their text.

use std::collections::{HashMap, HashSet};

use super::value::Value;

/// Up to here two equal keys are found by comparing all pairs, which beats hashing.
const PAIRWISE_MEMBERS_MAX: usize = 24;

/// Members with distinct keys, in order. Looking one up is linear: objects on the wire are small.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Object(Vec<(String, Value)>);

impl Object {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.0
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.0
            .iter_mut()
            .find(|(known, _)| known == key)
            .map(|(_, value)| value)
    }

    pub(crate) fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Sets a member: a known key keeps its place and gets the new value (the old one is returned), a new
    /// one goes to the end.
    pub(crate) fn insert(
        &mut self,
        key: impl Into<String> + AsRef<str>,
        value: impl Into<Value>,
    ) -> Option<Value> {
        if let Some(old) = self.get_mut(key.as_ref()) {
            return Some(std::mem::replace(old, value.into()));
        }
        self.push_unchecked(key, value);
        None
    }

    /// Appends a member whose key the caller knows to be new; in constant time.
    pub(crate) fn push_unchecked(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.0.push((key.into(), value.into()));
    }

    /// Takes a member out; the others keep their order.
    #[cfg(test)]
    pub(crate) fn remove(&mut self, key: &str) -> Option<Value> {
        let place = self.0.iter().position(|(known, _)| known == key)?;
        Some(self.0.remove(place).1)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    pub(crate) fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&str, &mut Value)> {
        self.0.iter_mut().map(|(key, value)| (key.as_str(), value))
    }

    pub(crate) fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// See [`Value::sort_keys`].
    pub(super) fn sort_keys(&mut self) {
        self.0.sort_by(|a, b| a.0.cmp(&b.0));
        self.0.iter_mut().for_each(|(_, value)| value.sort_keys());
    }

    /// Members as they were read: of equal keys the last value wins, at the first one's place.
    pub(super) fn from_members(members: Vec<(String, Value)>) -> Self {
        if has_equal_keys(&members) {
            Self(merge(members))
        } else {
            Self(members)
        }
    }
}

/// Whether two keys are equal.
pub(super) fn has_equal_keys(members: &[(String, Value)]) -> bool {
    if members.len() <= PAIRWISE_MEMBERS_MAX {
        let mut rest = members;
        while let [(key, _), after @ ..] = rest {
            if after.iter().any(|(other, _)| other == key) {
                return true;
            }
            rest = after;
        }
        return false;
    }
    let mut seen = HashSet::with_capacity(members.len());
    !members.iter().all(|(key, _)| seen.insert(key.as_str()))
}

fn merge(members: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut merged: Vec<(String, Value)> = Vec::new();
    for (key, value) in members {
        let known = places.get(&key).and_then(|&place| merged.get_mut(place));
        if let Some((_, old)) = known {
            *old = value;
        } else {
            places.insert(key.clone(), merged.len());
            merged.push((key, value));
        }
    }
    merged
}

/// Of equal keys the last value wins, at the first one's place.
impl<const N: usize> From<[(String, Value); N]> for Object {
    fn from(members: [(String, Value); N]) -> Self {
        Self::from_members(Vec::from(members))
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Of equal keys the last value wins, at the first one's place.
impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        Self::from_members(
            members
                .into_iter()
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        )
    }
}
