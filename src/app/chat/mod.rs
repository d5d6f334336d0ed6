pub(crate) mod input;
