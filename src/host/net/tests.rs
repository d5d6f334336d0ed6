//! Tests of the net.
