#!/usr/bin/env python3
"""Grows a corpus of skills: N copies of every plugin and skill, each with names and words of its own.

Usage: tests/scale/grow.py CORPUS TARGET TIMES

The first copy is the corpus as it is. In every other one plugins, folders and names end with the copy's number, and about
one word in twelve of the longer ones is replaced: half of those by another word of the corpus, so that documents differ
while the vocabulary stays, and half by a word that no other copy has, so that it grows. The same arguments give the same
bytes; nothing else is asked for a word's fate than its digest, the copy and the file.
"""

import json
import re
import shutil
import sys
import zlib
from pathlib import Path

# Of this many longer words one is another one in a copy.
ONE_IN = 12
# Words below this length carry the language and stay.
LONGER = 6
# What invented words are made of: sixteen, so that four bits choose one.
SYLLABLES = ["ka", "lo", "mi", "ru", "te", "sa", "vo", "ne", "di", "pu", "ga", "zo", "fe", "hi", "bu", "ly"]

WORD = re.compile(r"[A-Za-z]{%d,}" % LONGER)
NAME = re.compile(r"^(name:\s*)(\"?)([^\"\n]+?)(\"?)\s*$", re.MULTILINE)


def number(*parts):
    """A number that follows from the parts alone."""
    return zlib.crc32("\0".join(map(str, parts)).encode())


def invented(seed):
    """A word of four syllables."""
    return "".join(SYLLABLES[(seed >> shift) & 15] for shift in (0, 4, 8, 12))


def vary(text, copy, path, words):
    """The text with some of its longer words replaced."""

    def other(match):
        word = match.group()
        fate = number(word.lower(), copy, path)
        if fate % ONE_IN:
            return word
        if fate // ONE_IN % 2:
            return words[fate // 64 % len(words)]
        return invented(fate >> 8) + invented(copy * 40503)[:4]

    return WORD.sub(other, text)


def renamed(path, copy):
    """The path of a file in a copy: the plugin and every folder of a skill carry the copy's number."""
    parts = list(path.parts)
    for at in range(len(parts) - 1):
        above = parts[at - 1] if at else ""
        if above in ("plugins", "skills"):
            parts[at] = f"{parts[at]}-{copy}"
    if not any(part in ("plugins", "skills") for part in parts):
        parts.insert(0, f"copy-{copy}")
    return Path(*parts)


def marketplace(text, times):
    """The marketplace with the entries of all copies."""
    value = json.loads(text)
    entries = value.get("plugins", [])
    for copy in range(1, times):
        for entry in entries[: len(entries)]:
            if not isinstance(entry.get("source"), str) or "number" in entry:
                continue
            more = dict(entry)
            more["name"] = f"{entry['name']}-{copy}"
            source = Path(entry["source"])
            more["source"] = "./" + str(renamed(source / "x", copy).parent)
            more["number"] = copy
            value.setdefault("more", []).append(more)
    value["plugins"] = entries + [
        {key: part for key, part in entry.items() if key != "number"} for entry in value.pop("more", [])
    ]
    return json.dumps(value, indent=1) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    corpus, target, times = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    files = sorted(path.relative_to(corpus) for path in corpus.rglob("*") if path.is_file())
    texts = {
        path: (corpus / path).read_bytes().decode("utf-8", "replace")
        for path in files
        if path.name in ("SKILL.md", "plugin.json", "marketplace.json")
    }
    words = sorted({word.lower() for text in texts.values() for word in WORD.findall(text)})
    target.mkdir(parents=True)
    for copy in range(times):
        for path, text in texts.items():
            if path.name == "marketplace.json":
                if copy == 0:
                    place = target / path
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_text(marketplace(text, times))
                continue
            place = target / (path if copy == 0 else renamed(path, copy))
            place.parent.mkdir(parents=True, exist_ok=True)
            if copy == 0:
                shutil.copyfile(corpus / path, place)
                continue
            if path.name == "SKILL.md":
                head, fence, body = text.partition("\n---")
                head = NAME.sub(lambda match: f"{match[1]}{match[2]}{match[3]}-{copy}{match[4]}", head)
                text = head + fence + vary(body, copy, path, words)
            place.write_text(text)


main()
