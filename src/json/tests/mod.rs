//! Tests of the JSON folder.

use super::*;

#[test]
fn smoke() {
    let value =
        parse(br#" {"a": [1, -2.5, 1e300, "x\n\ud83d\ude80"], "b": {}, "a": null} "#).unwrap();
    assert_eq!(value.to_string(), r#"{"a":null,"b":{}}"#);
}
