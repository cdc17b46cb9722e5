//! Which addresses does a name have that we may connect to? The connection is made to what is answered here and to
//! nothing else, so a name can not change its mind in between.

use crate::materialize::address::{Refusal, check};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::SocketAddr;

/// Looks names up as the system does, and leaves out addresses that are refused.
pub(super) struct Guarded {
    pub(super) allow_private: bool,
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move {
            // The port is filled in by the connector.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let mut refusal = None;
            let mut permitted: Vec<SocketAddr> = Vec::new();
            for address in found {
                match check(address.ip(), allow_private) {
                    Ok(()) => permitted.push(address),
                    Err(Refusal::Never) => refusal = Some(Refusal::Never),
                    Err(Refusal::Private) => refusal = refusal.or(Some(Refusal::Private)),
                }
            }
            match refusal {
                Some(refusal) if permitted.is_empty() => Err(refusal.into()),
                _ => Ok(Box::new(permitted.into_iter()) as Addrs),
            }
        })
    }
}
