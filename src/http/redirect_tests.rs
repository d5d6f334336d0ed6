//! Every status, method and kind of target.

use super::{Redirect, redirect_target};
use crate::http::Request;
use crate::wire::{Fields, ResponseHead, Url};

fn ask(method: &'static str, status: u16, locations: &[&str]) -> Redirect {
    let mut fields = Fields::default();
    for location in locations {
        fields.push("location", location);
    }
    let head = ResponseHead {
        version_minor: 1,
        status,
        reason: String::new(),
        fields,
    };
    let mut request =
        Request::get(Url::parse("http://user:pw@api.test:8000/v1/chat/completions").unwrap());
    request.method = method;
    redirect_target(&head, &request)
}

#[track_caller]
fn check_refused(redirect: Redirect, part: &str) {
    match redirect {
        Redirect::Refuse(text) => {
            assert!(text.contains(part), "`{part}` is not in `{text}`");
            assert!(
                text.contains("`http://api.test:8000`") && !text.contains("pw"),
                "{text}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn within_the_origin_a_post_follows_what_keeps_it_a_post() {
    for status in [307, 308] {
        for location in [
            "/v2/chat",
            "http://api.test:8000/v2/chat",
            "//API.test:8000/v2/chat",
            "../../v2/chat",
        ] {
            let Redirect::Follow(url) = ask("POST", status, &[location]) else {
                panic!("{status} {location}");
            };
            assert_eq!(url.to_string(), "http://api.test:8000/v2/chat");
            assert!(
                url.userinfo().is_some(),
                "the same origin may have the password"
            );
        }
    }
    for status in [301, 302, 303] {
        check_refused(
            ask("POST", status, &["/v2"]),
            "would turn the POST into a GET",
        );
        assert!(matches!(ask("GET", status, &["/v2"]), Redirect::Follow(_)));
    }
}

#[test]
fn nothing_goes_to_another_origin() {
    let others = [
        "http://evil.test/",
        "http://api.test/",
        "http://api.test:8001/v1",
        "//evil.test/x",
    ];
    for location in others {
        for (method, status) in [("POST", 307), ("GET", 302)] {
            check_refused(ask(method, status, &[location]), "another origin");
        }
    }
    check_refused(
        ask("POST", 308, &["https://api.test:8000/v1"]),
        "TLS is not spoken",
    );
    check_refused(ask("GET", 302, &["unix:/run/x.sock"]), "cannot be used");
    check_refused(ask("GET", 302, &["ftp://api.test/"]), "cannot be used");
}

#[test]
fn what_leads_nowhere_is_refused_and_the_rest_is_no_redirect() {
    check_refused(ask("GET", 307, &[]), "does not say where to");
    check_refused(ask("GET", 307, &["/a", "/b"]), "different values");
    for status in [200, 300, 304, 305, 306, 404] {
        assert_eq!(ask("GET", status, &["/a"]), Redirect::None);
    }
}
