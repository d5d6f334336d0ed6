//! A world in memory.
