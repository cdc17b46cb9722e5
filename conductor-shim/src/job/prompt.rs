//! Which bytes does the engine get?

/// Between a prompt and its packet: a blank line, as Markdown separates blocks.
const BETWEEN: &[u8] = b"\n\n";

/// The prompt with its packet, where there is one; else the prompt, byte for byte.
#[must_use]
pub fn augmented(mut prompt: Vec<u8>, packet: Option<&str>) -> Vec<u8> {
    if let Some(packet) = packet {
        prompt.extend_from_slice(BETWEEN);
        prompt.extend_from_slice(packet.as_bytes());
    }
    prompt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_any_bytes() {
        assert_eq!(augmented(b"\xff\n".to_vec(), None), b"\xff\n");
        assert_eq!(
            augmented(b"\xff\n".to_vec(), Some("# P\n")),
            b"\xff\n\n\n# P\n"
        );
    }
}
