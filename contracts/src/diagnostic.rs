//! What is wrong with a skill, and where: the diagnostics of `check`, `index` and `packet`.
//!
//! Codes are stable: scripts match on them. A code of severity [`Severity::Error`] means that the skill was
//! rejected (it is not in the index); [`Severity::Warning`] means that it is in the index, degraded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a diagnostic means for the skill it stands at.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The skill was rejected: it is not in the index.
    Error,
    /// The skill is in the index, but something of it was repaired, ignored or is likely to surprise.
    Warning,
}

macro_rules! codes {
    ($($(#[$doc:meta])+ $variant:ident = $text:literal, $severity:ident, $help:literal;)+) => {
        /// The stable name of a kind of diagnostic.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Code {
            $($(#[$doc])+ #[serde(rename = $text)] $variant,)+
        }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)+];

            /// The text that stands in reports, for example `fm-recovered`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $text,)+ }
            }

            /// Whether the skill was rejected or only degraded.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)+ }
            }

            /// What the author of the skill can do about it.
            #[must_use]
            pub fn help(self) -> &'static str {
                match self { $(Code::$variant => $help,)+ }
            }
        }
    };
}

codes! {
    /// The file is not valid UTF-8.
    NotUtf8 = "not-utf8", Error, "save the file as UTF-8";
    /// The file holds a NUL byte.
    NulByte = "nul-byte", Error, "remove the NUL byte, or save the file as UTF-8 text";
    /// The file is larger than the limit for one skill.
    TooLarge = "too-large", Error, "move reference material into files beside SKILL.md";
    /// The file could not be read.
    Unreadable = "unreadable", Error, "make the file readable for the user that runs the index";
    /// A link that points to nothing.
    DanglingLink = "dangling-link", Error, "restore the target of the link, or remove the link";
    /// A FIFO, socket, device or folder where a regular file belongs.
    NotRegular = "not-regular", Error, "replace it by a regular file";
    /// A link whose target lies outside the root.
    LinkOutsideRoot = "link-outside-root", Error, "copy the target into the root, or name its folder with `--skills` too";
    /// A context marker excludes the folder.
    ExcludedByMarker = "excluded-by-marker", Error, "remove the marker if agents may read this folder";
    /// A folder could not be listed; skills below it are not known.
    FolderUnreadable = "folder-unreadable", Error, "make the folder readable for the user that runs the index";
    /// A name that is not valid UTF-8 or holds control characters.
    PathNotText = "path-not-text", Error, "rename the file or folder";
    /// A heading named in `mandatory_sections` does not exist.
    MandatoryMissing = "mandatory-missing", Error, "name a heading of this file in `mandatory_sections`, or add the section";
    /// `retrieval_version` is not one that this compiler speaks.
    RetrievalVersion = "retrieval-version", Error, "use `retrieval_version: 1`, or a newer compiler";

    /// There is no frontmatter.
    FmMissing = "fm-missing", Warning, "start the file with `---`, `name: …`, `description: …`, `---`";
    /// The frontmatter is not closed.
    FmUnterminated = "fm-unterminated", Warning, "close the frontmatter with a line `---`";
    /// Blank lines, comments or a code fence stand before the frontmatter.
    FmLeading = "fm-leading", Warning, "let the file start with `---` in its first line";
    /// A line of the frontmatter is not valid YAML and was read as plain text.
    FmRecovered = "fm-recovered", Warning, "put the value in double quotes";
    /// A key stands twice; the first one counts.
    FmDuplicateKey = "fm-duplicate-key", Warning, "remove one of the two";
    /// A value that should be text is a number, a boolean, a date or null.
    FmNotString = "fm-not-string", Warning, "put the value in double quotes";
    /// A value that should be text is a list or a mapping.
    FmNotScalar = "fm-not-scalar", Warning, "write the value as one text";
    /// A value that should be a list of texts is something else.
    FmNotList = "fm-not-list", Warning, "write the value as a list of texts";
    /// A tab where YAML wants spaces.
    FmTab = "fm-tab", Warning, "use spaces instead of the tab";
    /// Anchors, aliases, tags or merge keys, which are refused.
    FmRefused = "fm-refused", Warning, "write the value out; anchors, aliases and tags are not read";
    /// The frontmatter is larger than the limit.
    FmTooLarge = "fm-too-large", Warning, "shorten the frontmatter";
    /// No `name`; the folder's name stands in.
    NameMissing = "name-missing", Warning, "add `name:` with the name of the folder";
    /// `name` is not lowercase letters, digits and single hyphens.
    NameInvalid = "name-invalid", Warning, "use lowercase letters, digits and single hyphens";
    /// `name` is longer than 64 characters.
    NameTooLong = "name-too-long", Warning, "shorten the name to 64 characters";
    /// `name` differs from the name of the folder.
    NameDiffers = "name-differs", Warning, "give the folder the name of the skill";
    /// No `description`.
    DescriptionMissing = "description-missing", Warning, "add `description:`: what the skill does and when to use it";
    /// `description` is longer than 1,024 characters.
    DescriptionTooLong = "description-too-long", Warning, "shorten the description to 1,024 characters";
    /// Every word of the description is one of the name or fits any skill.
    DescriptionGeneric = "description-generic", Warning, "say what the skill does and when to use it, in the words of such a task";
    /// `compatibility` is longer than 500 characters.
    CompatibilityTooLong = "compatibility-too-long", Warning, "shorten it to 500 characters";
    /// `allowed-tools` could not be read; it does not mean that all tools are allowed.
    ToolsUnknown = "tools-unknown", Warning, "write `allowed-tools` as one line of tool names";
    /// The file's name is not exactly `SKILL.md`.
    FileNameCase = "file-name-case", Warning, "rename the file to `SKILL.md`";
    /// Another skill of the same plugin has the same name.
    DuplicateName = "duplicate-name", Warning, "rename one of the two; until then only its path tells them apart";
    /// A byte-identical copy of another skill, which stands for both.
    DuplicateContent = "duplicate-content", Warning, "remove the copy";
    /// Another skill, not a copy, has the same description.
    DuplicateDescription = "duplicate-description", Warning, "say in each description what tells it from the other";
    /// A code fence is not closed.
    FenceUnclosed = "fence-unclosed", Warning, "close the code fence";
    /// Control, bidi or invisible characters, which a packet shows as `<U+XXXX>`.
    HiddenCharacters = "hidden-characters", Warning, "remove the invisible characters";
    /// There is no text below the frontmatter.
    BodyEmpty = "body-empty", Warning, "write what the agent should know";
    /// A relative link in the skill has no file at its target.
    LinkMissing = "link-missing", Warning, "correct the link, or add the file";
    /// A relative link differs from its file in upper and lower case.
    LinkCase = "link-case", Warning, "write the link as the file is written";
    /// A relative link leaves the root.
    LinkOutside = "link-outside", Warning, "keep linked files inside the skill";
    /// `plugin.json` or `marketplace.json` could not be understood.
    PluginManifest = "plugin-manifest", Warning, "correct the JSON file";
    /// Discovery stopped at a limit; what lies beyond is not known.
    WalkTruncated = "walk-truncated", Warning, "name smaller roots with `--skills`";
}

/// One finding in one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Diagnostic {
    /// The file, relative to its root, with `/` between components. Below any root but the first
    /// it starts with the root's ordinal and a colon, for example `1:skills/demo/SKILL.md`.
    pub path: String,
    /// Line in the file, from 1; 0 where the file as a whole is meant.
    pub line: u32,
    /// Column in Unicode scalar values, from 1; 0 where the line or the file as a whole is meant.
    pub column: u32,
    /// What kind of finding it is.
    pub code: Code,
    /// What it means for the skill.
    pub severity: Severity,
    /// What was found, in one sentence without final period.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// A finding inside a file whose path the finder does not know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Line in the file, from 1; 0 for the whole file.
    pub line: u32,
    /// Column in Unicode scalar values, from 1; 0 for the whole line.
    pub column: u32,
    /// What kind of finding it is.
    pub code: Code,
    /// What was found, in one sentence without final period.
    pub message: String,
}

impl Finding {
    /// A finding about a place in a file.
    #[must_use]
    pub fn at(code: Code, line: u32, column: u32, message: impl Into<String>) -> Self {
        Self {
            line,
            column,
            code,
            message: message.into(),
        }
    }

    /// A finding about a file as a whole.
    #[must_use]
    pub fn whole(code: Code, message: impl Into<String>) -> Self {
        Self::at(code, 0, 0, message)
    }

    /// The finding with its file.
    #[must_use]
    pub fn in_file(self, path: &str) -> Diagnostic {
        Diagnostic {
            path: path.to_owned(),
            line: self.line,
            column: self.column,
            code: self.code,
            severity: self.code.severity(),
            message: self.message,
            help: self.code.help().to_owned(),
        }
    }
}
