//! May a link lead to this address? Links come from documents that anybody may have written, and this machine reaches
//! places that they do not.

use super::reason::Reason;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses at which clouds hand out credentials, outside the link-local range: Alibaba, Azure and Oracle over IPv4.
const METADATA_V4: [Ipv4Addr; 3] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];

/// The same for Amazon over IPv6.
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// What is wrong with an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// Link-local, metadata of a cloud, or nothing that answers one client: never.
    #[error("link-local or reserved address")]
    Never,
    /// This machine or its network: only where the person says so.
    #[error("loopback or private address")]
    Private,
}

impl Refusal {
    /// The reason in the words of `## Unresolved refs`.
    pub(crate) fn reason(self) -> Reason {
        Reason::Network(match self {
            Self::Never => "address-refused",
            Self::Private => "private-address",
        })
    }
}

/// Whether to connect to an address.
///
/// # Errors
/// Why not.
pub(crate) fn check(address: IpAddr, allow_private: bool) -> Result<(), Refusal> {
    let verdict = match address {
        IpAddr::V4(address) => v4(address),
        IpAddr::V6(address) => v6(address),
    };
    match verdict {
        Err(Refusal::Private) if allow_private => Ok(()),
        verdict => verdict,
    }
}

fn v4(address: Ipv4Addr) -> Result<(), Refusal> {
    let [a, b, ..] = address.octets();
    if address.is_link_local() || METADATA_V4.contains(&address) || a >= 224 {
        return Err(Refusal::Never);
    }
    // 0.0.0.0/8 is this machine to most systems; 100.64.0.0/10 is shared behind a provider (RFC 6598).
    let shared = a == 100 && (64..128).contains(&b);
    if address.is_loopback() || address.is_private() || a == 0 || shared {
        return Err(Refusal::Private);
    }
    Ok(())
}

fn v6(address: Ipv6Addr) -> Result<(), Refusal> {
    if let Some(inner) = embedded(address) {
        return v4(inner);
    }
    let [first, ..] = address.segments();
    let link_local = first & 0xffc0 == 0xfe80;
    let site_local = first & 0xffc0 == 0xfec0;
    if link_local || address.is_multicast() || address == METADATA_V6 {
        return Err(Refusal::Never);
    }
    let unique_local = first & 0xfe00 == 0xfc00;
    if address.is_loopback() || address.is_unspecified() || unique_local || site_local {
        return Err(Refusal::Private);
    }
    Ok(())
}

/// The IPv4 address that an IPv6 address stands for: mapped or compatible (RFC 4291), translated (RFC 2765, RFC 6052 and, with
/// a prefix of one's own network, RFC 8215), tunnelled by 6to4 (RFC 3056) or by Teredo, which turns its bits over (RFC 4380).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [s0, s1, s2, s3, s4, s5, s6, s7] = address.segments();
    let join = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match [s0, s1, s2, s3, s4, s5] {
        [0, 0, 0, 0, 0, 0xffff] | [0, 0, 0, 0, 0xffff, 0] => Some(join(s6, s7)),
        [0x64, 0xff9b, 0, 0, 0, 0] | [0x64, 0xff9b, 1, ..] => Some(join(s6, s7)),
        // `::` and `::1` are addresses of their own.
        [0, 0, 0, 0, 0, 0] if s6 != 0 || s7 > 1 => Some(join(s6, s7)),
        [0x2002, ..] => Some(join(s1, s2)),
        [0x2001, 0, ..] => Some(join(!s6, !s7)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_judged_in_every_disguise() {
        let never = Err(Refusal::Never);
        let private = Err(Refusal::Private);
        for (text, verdict) in [
            ("169.254.169.254", never),
            ("::ffff:169.254.169.254", never),
            ("64:ff9b::a9fe:a9fe", never),
            ("2002:a9fe:a9fe::1", never),
            ("::a9fe:a9fe", never),
            ("::ffff:0:a9fe:a9fe", never),
            ("64:ff9b:1::a9fe:a9fe", never),
            ("64:ff9b:1:2:3:4:a9fe:a9fe", never),
            ("2001:0:4136:e378:8000:63bf:5601:5601", never),
            ("2001:0:4136:e378:8000:63bf:80ff:fffe", private),
            ("fe80::1", never),
            ("fd00:ec2::254", never),
            ("100.100.100.200", never),
            ("168.63.129.16", never),
            ("224.0.0.1", never),
            ("255.255.255.255", never),
            ("ff02::1", never),
            ("127.0.0.1", private),
            ("127.9.9.9", private),
            ("::ffff:127.0.0.1", private),
            ("::1", private),
            ("::", private),
            ("0.0.0.0", private),
            ("10.1.2.3", private),
            ("172.31.0.1", private),
            ("192.168.0.1", private),
            ("100.64.0.1", private),
            ("fc00::1", private),
            ("fec0::1", private),
            ("93.184.216.34", Ok(())),
            ("172.32.0.1", Ok(())),
            ("2606:4700::1", Ok(())),
        ] {
            let address = text.parse().expect("an address");
            assert_eq!(check(address, false), verdict, "{text}");
            let allowed = if verdict == private { Ok(()) } else { verdict };
            assert_eq!(check(address, true), allowed, "{text}");
        }
    }
}
