//! Tests of the proc.
