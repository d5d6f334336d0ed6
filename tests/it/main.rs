//! The program from outside, and the rules that the source keeps.
