//! Values: making, asking, changing and writing them.

use super::super::{Object, Value, array, object, write_string};
use super::{compact, read, write_indented};

#[test]
fn macros_and_conversions() {
    let name = "x";
    let value = object! {
        "text": "a", "owned": String::from("b"), "yes": true, "int": 1_i64, "word": 7_u32, "big": u64::MAX,
        "size": 3_usize, "float": 0.5, "none": None::<&str>, "some": Some(2_i64), "list": vec!["p", "q"],
        "array": array![1_i64, "two", array![], object! {}], name: object! { "deep": f64::NAN },
    };
    assert_eq!(
        value.to_string(),
        r#"{"text":"a","owned":"b","yes":true,"int":1,"word":7,"big":18446744073709551615,"size":3,"float":0.5,"none":null,"some":2,"list":["p","q"],"array":[1,"two",[],{}],"x":{"deep":null}}"#
    );
    assert_eq!(read(value.to_string()), value);
}

#[test]
fn questions() {
    let value = read(r#"{"a":[1,-2,18446744073709551615,1.5,"s",null,true],"b":{}}"#);
    let a = value.get("a").unwrap();
    assert_eq!(a.at(0).unwrap().as_u64(), Some(1));
    assert_eq!(a.at(1).unwrap().as_i64(), Some(-2));
    assert_eq!(a.at(1).unwrap().as_u64(), None);
    assert_eq!(a.at(2).unwrap().as_u64(), Some(u64::MAX));
    assert_eq!(a.at(2).unwrap().as_i64(), None);
    assert_eq!(a.at(3).unwrap().as_f64(), Some(1.5));
    assert_eq!(a.at(3).unwrap().as_i64(), None);
    assert_eq!(a.at(4).unwrap().as_str(), Some("s"));
    assert!(a.at(5).unwrap().is_null());
    assert_eq!(a.at(6).unwrap().as_bool(), Some(true));
    assert_eq!(a.at(7), None);
    assert_eq!(a.as_array().map(<[Value]>::len), Some(7));
    assert_eq!(
        value.get("b").unwrap().as_object().map(Object::len),
        Some(0)
    );
    assert_eq!(value.get("c"), None);
    assert_eq!(a.get("a"), None);
    let kinds: Vec<_> = a.as_array().unwrap().iter().map(Value::kind).collect();
    assert_eq!(
        kinds,
        [
            "an integer",
            "an integer",
            "an integer",
            "a number",
            "a string",
            "null",
            "a boolean"
        ]
    );
}

/// The examples of RFC 6901 §5.
#[test]
fn pointers() {
    let mut value = read(
        r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#,
    );
    for (path, found) in [
        ("/foo", r#"["bar","baz"]"#),
        ("/foo/0", r#""bar""#),
        ("/", "0"),
        ("/a~1b", "1"),
        ("/c%d", "2"),
        ("/e^f", "3"),
        ("/g|h", "4"),
        ("/i\\j", "5"),
        ("/k\"l", "6"),
        ("/ ", "7"),
        ("/m~0n", "8"),
    ] {
        assert_eq!(
            value.pointer(path).map(compact).as_deref(),
            Some(found),
            "{path}"
        );
        assert!(value.pointer_mut(path).is_some());
    }
    assert_eq!(value.pointer(""), Some(&value));
    for path in [
        "foo", "/foo/2", "/foo/00", "/foo/-", "/foo/x", "/nope", "/foo/0/x",
    ] {
        assert_eq!(value.pointer(path), None, "{path}");
    }
}

#[test]
fn objects_keep_order() {
    let mut object: Object = [("b", 1_i64), ("a", 2), ("b", 3)].into_iter().collect();
    assert_eq!(compact(&object.clone().into()), r#"{"b":3,"a":2}"#);
    assert_eq!(object.insert("b", "new"), Some(Value::Int(3)));
    assert_eq!(object.insert("c", Value::Null), None);
    object.push_unchecked("d", 4_i64);
    assert_eq!(object.remove("a"), Some(Value::Int(2)));
    assert_eq!(object.remove("a"), None);
    *object.get_mut("d").unwrap() = true.into();
    assert_eq!(
        compact(&object.clone().into()),
        r#"{"b":"new","c":null,"d":true}"#
    );
    assert_eq!(object.keys().collect::<Vec<_>>(), ["b", "c", "d"]);
    let mut value = read(r#"[{"b":{"d":1,"c":2},"a":3}]"#);
    value.sort_keys();
    assert_eq!(compact(&value), r#"[{"a":3,"b":{"c":2,"d":1}}]"#);
}

/// Many equal keys are found by another way than few; both agree.
#[test]
fn equal_keys_among_many() {
    for count in [2_usize, 5, 23, 24, 25, 26, 100] {
        let members: Vec<String> = (0..count).map(|i| format!("\"k{i}\":{i}")).collect();
        let text = format!("{{{},\"k1\":\"last\"}}", members.join(","));
        let value = read(&text);
        let object = value.as_object().unwrap();
        assert_eq!(object.len(), count, "{text}");
        assert_eq!(
            object.iter().nth(1),
            Some(("k1", &Value::from("last"))),
            "{text}"
        );
    }
}

/// Python's `json.dumps(…, indent=2, ensure_ascii=False)` of the same value.
#[test]
fn indented() {
    let text = r#"{"a":[1,{"b":null},[]],"c":{},"d":"x"}"#;
    let mut out = Vec::new();
    write_indented(&read(text), &mut out);
    let lines = [
        "{",
        "  \"a\": [",
        "    1,",
        "    {",
        "      \"b\": null",
        "    },",
        "    []",
        "  ],",
        "  \"c\": {},",
        "  \"d\": \"x\"",
        "}",
    ];
    assert_eq!(String::from_utf8(out).unwrap(), lines.join("\n"));
}

#[test]
fn strings_are_escaped_as_little_as_allowed() {
    for (text, written) in [
        ("", r#""""#),
        ("plain", r#""plain""#),
        ("é🚀\u{2028}\u{7f}", "\"é🚀\u{2028}\u{7f}\""),
        ("\"\\/", r#""\"\\/""#),
        ("\u{8}\u{c}\n\r\t", r#""\b\f\n\r\t""#),
        ("\0\u{1b}\u{1f}", r#""\u0000\u001b\u001f""#),
    ] {
        let mut out = Vec::new();
        write_string(text, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), written);
    }
    // A stop at each place of a word and of a block.
    for length in 0..200 {
        for stop in ["\"", "\\", "\n"] {
            let text = [
                "é".repeat(length / 3).as_str(),
                &"x".repeat(length % 3 + length),
                stop,
                "tail",
            ]
            .concat();
            let mut out = Vec::new();
            write_string(&text, &mut out);
            assert_eq!(read(&out), Value::from(text));
        }
    }
}
