//! What a question shows, and what counts as an answer.
