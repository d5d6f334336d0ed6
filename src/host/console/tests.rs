//! Tests of the console.
