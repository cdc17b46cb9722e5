//! What went wrong on the network, in one word of ours?

use crate::materialize::address::Refusal;
use crate::materialize::reason::{Reason, Unresolved};
use std::error::Error;
use std::io::{self, ErrorKind};

/// The reason of a failed request. Words of the client's own errors change with its version; these do not.
pub(super) fn unresolved(error: &reqwest::Error) -> Unresolved {
    if let Some(refusal) = causes(error).find_map(<dyn Error>::downcast_ref::<Refusal>) {
        return refused(*refusal);
    }
    if error.is_timeout() {
        return Reason::Timeout.into();
    }
    Reason::Network(kind(error)).into()
}

/// The reason of an address that may not be reached.
pub(super) fn refused(refusal: Refusal) -> Unresolved {
    match refusal {
        Refusal::Private => Unresolved::with_hint(
            refusal.reason(),
            "`--allow-private-network` lets links lead to this machine and its network",
        ),
        Refusal::Never => refusal.reason().into(),
    }
}

fn kind(error: &reqwest::Error) -> &'static str {
    if error.is_dns() {
        return "dns";
    }
    if causes(error).any(|cause| cause.is::<rustls::Error>()) {
        return "tls";
    }
    let of_system = causes(error).filter_map(<dyn Error>::downcast_ref::<io::Error>);
    for cause in of_system {
        match cause.kind() {
            ErrorKind::ConnectionRefused => return "connection-refused",
            ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
                return "connection-reset";
            }
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => return "unreachable",
            ErrorKind::TimedOut => return "connection-timeout",
            _ => {}
        }
    }
    if error.is_connect() {
        "connection-failed"
    } else if error.is_body() || error.is_decode() {
        "body-incomplete"
    } else if error.is_builder() {
        "client"
    } else {
        "no-response"
    }
}

/// An error and what caused it; what a system error carries is a cause too.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        let error: &'a (dyn Error + 'static) = *error;
        let carried = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        match carried {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
}
