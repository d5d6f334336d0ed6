//! The list against what curl's manual, Go's `httpproxy` and Python's `urllib` document for it.

use super::NoProxy;
use crate::http::Proxies;
use crate::wire::Url;

#[track_caller]
fn check(list: &str, url: &str, expected: bool) {
    let url = Url::parse(url).unwrap();
    assert_eq!(
        NoProxy::parse(list).has(&url.host, url.port),
        expected,
        "`{list}` and `{url}`"
    );
}

#[test]
fn names_cover_themselves_and_what_is_below() {
    for list in [
        "example.com",
        ".example.com",
        "*.example.com",
        "EXAMPLE.com",
        "a, example.com",
        "a example.com",
    ] {
        check(list, "http://example.com/", true);
        check(list, "http://api.example.com/", true);
        check(list, "http://example.com./", true);
        check(list, "http://notexample.com/", false);
        check(list, "http://example.com.evil.test/", false);
        check(list, "http://com/", false);
    }
    check("*", "http://anything.test/", true);
    check("*", "http://[2001:db8::1]/", true);
    check("", "http://anything.test/", false);
    check(",, ,", "http://anything.test/", false);
    check("*.*", "http://anything.test/", false);
    check(".", "http://anything.test/", false);
}

#[test]
fn a_port_narrows_an_entry() {
    check("example.com:8080", "http://example.com:8080/", true);
    check("example.com:8080", "http://api.example.com:8080/", true);
    check("example.com:8080", "http://example.com/", false);
    check("example.com:80", "http://example.com/", true);
    check("10.0.0.1:81", "http://10.0.0.1:81/", true);
    check("10.0.0.1:81", "http://10.0.0.1/", false);
    check("[2001:db8::1]:81", "http://[2001:db8::1]:81/", true);
    check("[2001:db8::1]:81", "http://[2001:db8::1]/", false);
    check("example.com:http", "http://example.com/", false);
}

#[test]
fn addresses_are_compared_as_addresses() {
    check("2001:db8::1", "http://[2001:DB8:0::1]/", true);
    check("[2001:db8::1]", "http://[2001:db8::1]/", true);
    check("2001:db8::1", "http://[2001:db8::2]/", false);
    check("10.0.0.1", "http://10.0.0.1/", true);
    check("10.0.0.1", "http://110.0.0.1/", false);
    // A name that ends like an address is none.
    check("0.0.1", "http://10.0.0.1/", false);
}

#[test]
fn networks_cover_their_addresses() {
    check("10.0.0.0/8", "http://10.255.1.2/", true);
    check("10.0.0.0/8", "http://11.0.0.0/", false);
    check("192.168.4.0/22", "http://192.168.7.255/", true);
    check("192.168.4.0/22", "http://192.168.8.0/", false);
    check("0.0.0.0/0", "http://8.8.8.8/", true);
    check("0.0.0.0/0", "http://[2001:db8::1]/", false);
    check("10.0.0.1/32", "http://10.0.0.2/", false);
    check("2001:db8::/32", "http://[2001:db8:ffff::1]/", true);
    check("2001:db8::/32", "http://[2001:db9::1]/", false);
    check("::/0", "http://[2001:db8::1]/", true);
    check("10.0.0.0/33", "http://10.0.0.0/", false);
    check("10.0.0.0/x", "http://10.0.0.0/", false);
    check("10.0.0.0/8", "http://ten.test/", false);
}

/// Who is used for `http://api.test/`: the variable.
#[track_caller]
fn check_env(env: &[(&str, &str)], expected: Option<&str>) {
    let env: Vec<(String, String)> = env
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let proxies = Proxies::from_env(&env);
    let url = Url::parse("http://api.test/").unwrap();
    let found = proxies.for_url(&url).unwrap().map(|via| via.variable);
    assert_eq!(found, expected, "{env:?}");
}

#[test]
fn lower_case_wins_and_empty_is_unset() {
    let (lower, upper) = (("http_proxy", "http://a:1"), ("HTTP_PROXY", "http://b:1"));
    check_env(&[upper, lower], Some("http_proxy"));
    check_env(&[upper], Some("HTTP_PROXY"));
    check_env(&[("http_proxy", ""), upper], Some("HTTP_PROXY"));
    check_env(&[("http_proxy", " "), ("NO_PROXY", "x")], None);
    check_env(&[], None);
    check_env(
        &[("HTTPS_PROXY", "http://a:1"), ("ALL_PROXY", "http://a:1")],
        None,
    );
    check_env(&[lower, ("NO_PROXY", "api.test")], None);
    check_env(
        &[lower, ("NO_PROXY", "api.test"), ("no_proxy", "other.test")],
        Some("http_proxy"),
    );
    // httpoxy: a CGI program gets `HTTP_PROXY` from whoever asks.
    check_env(&[upper, ("REQUEST_METHOD", "GET")], None);
    check_env(&[lower, ("REQUEST_METHOD", "GET")], Some("http_proxy"));
}
