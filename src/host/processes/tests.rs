//! Tests of the processes.
