//! What is a command, and what is its output?

/// A part of a page.
pub(super) enum Piece<'a> {
    /// A line as it stands, its line break included.
    Text(&'a str),
    /// A command of a `console` block, without the output that stands below it.
    Command {
        /// Its lines, as they stand.
        typed: String,
        /// What a shell gets.
        words: String,
    },
}

/// The parts of a page. A command begins with `$ ` and goes on in lines that begin with `> `; what follows up to the next
/// one, or to the end of the block, is output.
pub(super) fn pieces(page: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut inside = false;
    for line in page.split_inclusive('\n') {
        let fence = line.trim_end();
        if inside && fence != "```" {
            match (
                line.strip_prefix("$ "),
                line.strip_prefix("> "),
                pieces.last_mut(),
            ) {
                (Some(words), _, _) => pieces.push(Piece::Command {
                    typed: line.to_owned(),
                    words: words.to_owned(),
                }),
                (None, Some(more), Some(Piece::Command { typed, words })) => {
                    typed.push_str(line);
                    words.push_str(more);
                }
                _ => {}
            }
            continue;
        }
        inside = fence == "```console";
        pieces.push(Piece::Text(line));
    }
    assert!(!inside, "a console block is open");
    pieces
}

/// The cells of the table whose first column is headed `head`.
pub(super) fn rows(page: &str, head: &str) -> Vec<Vec<String>> {
    let start = format!("| {head} |");
    let rows: Vec<Vec<String>> = page
        .lines()
        .skip_while(|line| !line.starts_with(&start))
        .skip(2)
        .take_while(|line| line.starts_with("| "))
        .map(|line| {
            let inner = line.trim_start_matches("| ").trim_end_matches(" |");
            inner.split(" | ").map(str::to_owned).collect()
        })
        .collect();
    assert!(!rows.is_empty(), "no table is headed `{head}`");
    rows
}
