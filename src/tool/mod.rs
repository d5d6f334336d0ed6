//! (to be written)

pub(crate) mod find;
