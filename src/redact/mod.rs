//! stub
pub(crate) fn redact<'a>(t:&'a str,_:&[String])->std::borrow::Cow<'a,str>{t.into()}
