//! What each format shows, and where.
