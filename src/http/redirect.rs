//! Which redirects may be followed (RFC 9110 §15.4): those that send nothing to anybody new and change no method.

use crate::http::request::Request;
use crate::wire::{ResponseHead, Scheme, Url};

/// What to do with a response that may be a redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Redirect {
    /// It is none.
    None,
    /// The same request, sent to this URL of the same origin. Follow once, no more.
    Follow(Url),
    /// It is not followed, and why.
    Refuse(String),
}

/// What to do with the response `head` to `request`. A POST follows 307 and 308 only: the others would turn it into a GET.
pub(crate) fn redirect_target(head: &ResponseHead, request: &Request) -> Redirect {
    if !matches!(head.status, 301 | 302 | 303 | 307 | 308) {
        return Redirect::None;
    }
    let origin = request.url.origin();
    let refuse = |why: String| {
        Redirect::Refuse(format!(
            "`{origin}` answers with a redirect (status {}): {why}",
            head.status
        ))
    };
    let location = match head.fields.single("Location") {
        Ok(Some(location)) => location,
        Ok(None) => return refuse("it does not say where to".to_owned()),
        Err(error) => return refuse(error.to_string()),
    };
    let url = match request.url.resolve(location) {
        Ok(url) => url,
        Err(error) => return refuse(format!("its target cannot be used: {error}")),
    };
    if url.scheme == Scheme::Https {
        return refuse(format!(
            "it leads to `{url}`, but TLS is not spoken here; put a local proxy that ends TLS in front and use its \
             `http://` address"
        ));
    }
    if !url.is_same_origin(&request.url) {
        return refuse(format!(
            "it leads to another origin, `{url}`, where the request must not be sent; if it is meant, set it as the address"
        ));
    }
    let keeps_method = matches!(head.status, 307 | 308);
    if !keeps_method && !matches!(request.method, "GET" | "HEAD") {
        return refuse(format!(
            "it leads to `{url}` and would turn the {} into a GET; set that address if it is meant",
            request.method
        ));
    }
    Redirect::Follow(url)
}

#[cfg(test)]
#[path = "redirect_tests.rs"]
mod tests;
