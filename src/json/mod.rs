//! JSON by RFC 8259: a value that keeps key order, a strict parser and a writer.
