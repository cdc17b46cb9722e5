//! Which form does a link have? Decided by its text alone, before anything is looked at.

use reqwest::Url;
use std::borrow::Cow;

/// What stands for user and password in a link that is no address. No host has it in its name.
const HIDDEN: &str = "[…]";

/// The forms of a link, in the order in which they are tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form<'a> {
    /// `http://…` or `https://…`.
    Http,
    /// `mcp://SERVER/RESOURCE`.
    Mcp { server: &'a str, resource: &'a str },
    /// `file://…`: what stands behind the two slashes.
    File(&'a str),
    /// `/PATH` in the brain.
    Tree(&'a str),
    /// `ALIAS:thread/SLUG`.
    Thread { alias: &'a str, slug: &'a str },
    /// `ALIAS:PATH`.
    Alias { alias: &'a str, path: &'a str },
    /// A relative path, which is taken as one in the brain.
    Relative(&'a str),
    /// A scheme or prefix that is none of these.
    Unsupported,
}

/// The form of a link.
pub(crate) fn form(uri: &str) -> Form<'_> {
    if let Some((scheme, rest)) = uri.split_once("://")
        && !scheme.contains('/')
    {
        return with_scheme(scheme, rest);
    }
    if let Some(path) = uri.strip_prefix('/') {
        return Form::Tree(path);
    }
    match uri.split_once(':') {
        Some((prefix, _)) if prefix.contains('/') => Form::Relative(uri),
        Some((scheme, _)) if is_web(scheme) => Form::Unsupported,
        Some((alias, path)) if is_alias(alias) => match path.strip_prefix("thread/") {
            Some(slug) if !slug.is_empty() && !slug.contains('/') => Form::Thread { alias, slug },
            _ => Form::Alias { alias, path },
        },
        Some(_) => Form::Unsupported,
        None => Form::Relative(uri),
    }
}

fn with_scheme<'a>(scheme: &str, rest: &'a str) -> Form<'a> {
    match scheme.to_ascii_lowercase().as_str() {
        scheme if is_web(scheme) => Form::Http,
        "file" => Form::File(rest),
        "mcp" => {
            let (server, resource) = rest.split_once('/').unwrap_or((rest, ""));
            Form::Mcp { server, resource }
        }
        _ => Form::Unsupported,
    }
}

fn is_web(scheme: &str) -> bool {
    ["http", "https"]
        .iter()
        .any(|web| web.eq_ignore_ascii_case(scheme))
}

/// Whether a prefix may be an alias: letters, digits, `_`, `.` and `-`, the first one a letter or digit. At least two,
/// since one letter before a colon is a drive.
pub(crate) fn is_alias(prefix: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    prefix.len() >= 2
        && prefix.starts_with(|c: char| c.is_ascii_alphanumeric())
        && prefix.chars().all(plain)
}

/// The address of a web link, read once and in one way by all who deal with it; `None` where two readers could take it for
/// two things.
pub(crate) fn web(uri: &str) -> Option<Url> {
    let (_, rest) = uri.split_once("://")?;
    let clear =
        !rest.starts_with(['/', '?', '#']) && !rest.contains(|c: char| c == '\\' || c.is_control());
    let url = clear.then(|| Url::parse(uri).ok()).flatten()?;
    url.has_host().then_some(url)
}

/// What a web link says about who we are, apart from its address.
pub(crate) fn userinfo(url: &Url) -> Option<String> {
    let (user, password) = (url.username(), url.password());
    (!user.is_empty() || password.is_some())
        .then(|| format!("{user}:{}", password.unwrap_or_default()))
}

/// The link without user and password, as it may be written anywhere. A web link with neither stays as it is, another is its
/// address as it is asked for.
pub(crate) fn shown(uri: &str) -> Cow<'_, str> {
    let masked = |scheme: &str, rest: &'_ str| {
        let (_, behind) = rest.rsplit_once('@')?;
        Some(Cow::Owned(format!("{scheme}{HIDDEN}{behind}")))
    };
    let Some((scheme, rest)) = uri
        .split_once("://")
        .filter(|(scheme, _)| !scheme.contains('/'))
    else {
        let mistyped = uri.split_once(':').filter(|(scheme, _)| is_web(scheme));
        let masked = mistyped.and_then(|(scheme, rest)| masked(&format!("{scheme}:"), rest));
        return masked.unwrap_or(Cow::Borrowed(uri));
    };
    if form(uri) == Form::Http {
        if let Some(mut url) = web(uri) {
            if userinfo(&url).is_none() && !rest.contains('@') {
                return Cow::Borrowed(uri);
            }
            // Neither is refused for an address with a host.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            return Cow::Owned(url.into());
        }
        // Nobody can say where its authority ends.
        return masked(&format!("{scheme}://"), rest).unwrap_or(Cow::Borrowed(uri));
    }
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    match authority.rsplit_once('@') {
        Some((_, host)) => Cow::Owned(format!("{scheme}://{host}{path}")),
        None => Cow::Borrowed(uri),
    }
}

/// The name of a server without what stands before an `@`, which is meant for it alone.
pub(crate) fn shown_server(name: &str) -> &str {
    name.rsplit_once('@').map_or(name, |(_, server)| server)
}

/// The link without `#fragment`, and the fragment.
pub(crate) fn split_fragment(uri: &str) -> (&str, Option<&str>) {
    match uri.split_once('#') {
        Some((before, fragment)) => (before, Some(fragment)),
        None => (uri, None),
    }
}

/// The last segment of a link: the title of a document that has none.
pub(crate) fn last_segment(uri: &str) -> &str {
    let (path, _) = split_fragment(uri);
    let path = path.split('?').next().unwrap_or(path);
    let segments = path.rsplit(['/', ':']).map(str::trim);
    segments
        .into_iter()
        .find(|segment| !segment.is_empty())
        .unwrap_or(uri)
}

/// The last segment of the path of a remote link, which may name a file; the name of a server is none.
pub(crate) fn file_name(uri: &str) -> &str {
    let (path, _) = split_fragment(uri);
    let path = path.split('?').next().unwrap_or(path);
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    path.rsplit_once('/').map_or("", |(_, name)| name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_form_is_told_from_the_others() {
        let thread = Form::Thread {
            alias: "app",
            slug: "login",
        };
        let alias = |path| Form::Alias { alias: "app", path };
        let mcp = |server, resource| Form::Mcp { server, resource };
        for (uri, expected) in [
            ("https://example.org/a", Form::Http),
            ("HtTp://example.org", Form::Http),
            ("mcp://slack/channel/1", mcp("slack", "channel/1")),
            ("MCP://slack", mcp("slack", "")),
            ("mcp://s/slack://x", mcp("s", "slack://x")),
            ("file:///etc/hosts", Form::File("/etc/hosts")),
            ("ftp://example.org/a", Form::Unsupported),
            ("git@github.com:a/b.git", Form::Unsupported),
            ("C:\\x", Form::Unsupported),
            ("c:/x", Form::Unsupported),
            (":x", Form::Unsupported),
            ("http:/x", Form::Unsupported),
            ("HTTPS:x", Form::Unsupported),
            ("/tree/a.md", Form::Tree("tree/a.md")),
            ("//etc/passwd", Form::Tree("/etc/passwd")),
            ("app:thread/login", thread),
            ("app:thread/", alias("thread/")),
            ("app:thread/a/b", alias("thread/a/b")),
            ("app:tree/a.md", alias("tree/a.md")),
            ("app:", alias("")),
            ("docs/a:b.md", Form::Relative("docs/a:b.md")),
            ("tree/a.md", Form::Relative("tree/a.md")),
            ("docs/x://y", Form::Relative("docs/x://y")),
        ] {
            assert_eq!(form(uri), expected, "{uri}");
        }
    }

    #[test]
    fn user_and_password_are_not_shown() {
        for (uri, text) in [
            ("https://u:p@h/a@b?c@d", "https://h/a@b?c@d"),
            ("https://u@p@h", "https://h/"),
            ("https://h/a@b", "https://h/a@b"),
            ("mcp://u:p@s/x", "mcp://s/x"),
            ("git@host:x", "git@host:x"),
            ("https://u:p@h?x", "https://h/?x"),
            ("HTTP://u:p@H:80/a b", "http://h/a%20b"),
            ("http://u:p\\@h/x", "http://[…]h/x"),
            ("http://h:E\\@u:p@other/x", "http://[…]other/x"),
            ("http:///u:p@h/x", "http://[…]h/x"),
            ("http://u:p@/x", "http://[…]/x"),
            ("http://u:p@h:99999/", "http://[…]h:99999/"),
            ("http:/u:p@h/x", "http:[…]h/x"),
        ] {
            assert_eq!(shown(uri), text);
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn an_address_that_can_be_read_in_two_ways_is_none() {
        for uri in [
            "http:///x",
            "http://",
            "http://?x",
            "http://#x",
            "http://a:b\\@c/x",
            "http://a/b\\c",
            "http://a/\tb",
            "http://a\u{7f}/",
            "http://a:b:c/",
            "http://[::g]/",
        ] {
            assert_eq!(web(uri), None, "{uri:?}");
        }
        let url = web("http://u:p@h/").unwrap();
        assert_eq!(userinfo(&url).as_deref(), Some("u:p"));
        assert_eq!(userinfo(&web("http://h/").unwrap()), None);
    }

    #[test]
    fn the_last_segment_names_a_document() {
        for (uri, name) in [
            ("https://h/a/b.md?x=1#y", "b.md"),
            ("https://h/a/", "a"),
            ("https://h", "h"),
            ("app:thread/login", "login"),
            ("app:", "app"),
            ("/", "/"),
            ("#x", "#x"),
        ] {
            assert_eq!(last_segment(uri), name, "{uri}");
        }
    }

    #[test]
    fn only_a_path_names_a_file() {
        for (uri, name) in [
            ("https://h.org/a/b.py?x=1.c#y.z", "b.py"),
            ("https://h.org", ""),
            ("https://h.org/", ""),
            ("mcp://notes/deep/er.rs", "er.rs"),
        ] {
            assert_eq!(file_name(uri), name, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_form(uri in "(https?://)?[a-cC:/@#?.\\\\-]{0,12}|.*") {
            let _ = form(&uri);
            let text = shown(&uri).into_owned();
            prop_assert_eq!(shown(&text), text.as_str());
            prop_assert_eq!(last_segment(&uri).is_empty(), uri.is_empty());
        }
    }
}
