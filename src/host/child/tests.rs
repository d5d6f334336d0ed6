//! Tests of the child.
