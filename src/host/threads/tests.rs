//! Tests of the threads.
