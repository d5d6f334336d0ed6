//! One question, or a session.

mod input;
