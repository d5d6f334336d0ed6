//! The order of calls and replies in one round.
