# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Hostile strings, checks for harmful characters, and readers of bprof's formats that share no code with bprof.
tests/hostile.py uses them."""

import csv
import gzip
import io
import json
import re
import subprocess
import unicodedata
import urllib.parse
import xml.etree.ElementTree as ET

import html5lib

# The name of each string, and its bytes.
STRINGS = {
    "escape sequence": b"\x1b[31mX\x1b]0;t\x07",
    "C0": b"a\x01\x08\x0e\x1fb",
    "DEL": b"a\x7fb",
    "C1 as UTF-8": "a\u009b31m\u0085b".encode(),
    "C1 as bytes": b"a\x9b31m\x85b",
    "newline": b"a\nb\n# c",
    "CR": b"a\rb",
    "tab": b"a\tb",
    "bidi": "a\u202eb\u202c\u2066c\u2069\u200ed\u200f\u061ce".encode(),
    "line separators": "a\u2028b\u2029c".encode(),
    "zero width": "a\u200bb\u200dc\ufeffd\u00ade".encode(),
    "noncharacter": "a\ufffeb\U0010ffff".encode(),
    "overlong": b"a\xc0\xafb",
    "surrogate": b"a\xed\xa0\x80b",
    "truncated": b"a\xe2\x82",
    "0xff": b"a\xffb",
    "quotes": b"a\"b'c\"",
    "backslash": b"a\\b\\x1b\\",
    "element": b"</td><script>alert(1)</script>",
    "references": b"a&b&amp;&#27;",
    "pipes": b"a|b\\|c",
    "backticks": b"`a``b",
    "CDATA end": b"a]]>b",
    "comment": b"--><!--",
    "formula =": b"=cmd|'/C calc'!A0",
    "formula +": b"+1+1",
    "formula -": b"-1+1",
    "formula @": b"@SUM(1)",
    "separators": b"a,b;c d",
    "format": b"%s%n%x",
    "long": b"x" * 5000,
    "combining": ("a" + "\u0301" * 20).encode(),
    "wide": "\u5305\U0001f41d".encode(),
}


class Bad(Exception):
    """Output in which a string is not inert."""


def require(condition, text):
    if not condition:
        raise Bad(text)


def is_harmful(char):
    """Returns true for a control or format character, a line separator, a surrogate or a noncharacter of Unicode."""
    return (unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") or ord(char) & 0xfffe == 0xfffe
            or 0xfdd0 <= ord(char) <= 0xfdef)


def replaced(data, also=""):
    r"""What the documentation says that a string becomes: \xNN for each harmful byte, and for some characters."""
    out = ""
    for char in data.decode("utf-8", "surrogateescape"):
        if 0xdc80 <= ord(char) <= 0xdcff or is_harmful(char) or char in also:
            out += "".join(f"\\x{b:02x}" for b in char.encode("utf-8", "surrogateescape"))
        else:
            out += char
    return out


def check_inert(data, allowed="\n"):
    """Fails if a terminal that shows the output does anything but show characters."""
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        raise Bad(f"not UTF-8: {data[max(e.start - 30, 0):e.end + 10]}") from e
    for char in set(text).difference(allowed):  # the outputs have tens of millions of characters
        i = text.index(char)
        require(not is_harmful(char), f"U+{ord(char):04X} in {text[max(i - 30, 0):i + 10]!r}")
    return text


# ---- readers: each returns the strings of a document ----

def strings_of(value):
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [s for k, v in value.items() for s in [k, *strings_of(v)]]
    return [s for v in value for s in strings_of(v)] if isinstance(value, list) else []


def read_json(text):
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text.rstrip()):
        document, end = decoder.raw_decode(text, at)
        found += strings_of(document)
        at = end + len(text[end:]) - len(text[end:].lstrip())
    return found


def read_csv(text):
    rows = list(csv.reader(io.StringIO(text), strict=True))
    require(len({len(row) for row in rows}) == 1, "lines with different numbers of fields")
    cells = [cell for row in rows for cell in row]
    for cell in cells:
        require(not re.match(r"[=@]|[+-](?![\d.]+%?$).", cell), f"a formula: {cell}")
    return cells


def read_tsv(text):
    rows = [line.split("\t") for line in text.rstrip("\n").split("\n")]
    require(len({len(row) for row in rows}) == 1, "lines with different numbers of fields")
    return [re.sub(r"\\(\\|x5c)", r"\\", cell) for row in rows for cell in row]


def read_xml(text):
    return [v for e in ET.fromstring(text).iter() for v in [*e.attrib.values(), e.text or ""]]


def read_html(text):
    """Parses the page like a browser and with a strict parser. Both must see the same elements and no script."""
    tree = html5lib.parse(text, namespaceHTMLElements=False)
    strict = ET.fromstring(text)
    require([e.tag.split("}")[-1] for e in tree.iter() if isinstance(e.tag, str) and e.tag not in ("head", "body")] ==
            [e.tag.split("}")[-1] for e in strict.iter() if e.tag not in ("head", "body")], "other elements in a browser")
    for e in tree.iter("script"):
        require(e.get("type") == "application/json", "a script")
    return ["".join(e.itertext()) for e in tree.iter() if isinstance(e.tag, str)] + \
           [v for e in tree.iter() for v in e.attrib.values()]


MARKDOWN_ELEMENTS = {"html", "head", "body", "h3", "p", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "code",
                     "details", "summary", "em"}


def read_markdown(text):
    page = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough"],
                          input=text, capture_output=True, text=True, check=True).stdout
    tree = html5lib.parse(page, namespaceHTMLElements=False)
    other = {e.tag for e in tree.iter()} - MARKDOWN_ELEMENTS
    require(not other, f"elements {other}")
    for table in tree.iter("table"):
        require(len({len(row) for row in table.iter("tr")}) == 1, "rows with different numbers of cells")
    return ["".join(e.itertext()) for e in tree.iter("code")]


def read_benchfmt(text):
    for line in text.split("\n"):
        require(not line or re.match(r"[a-z][^ ]*: |Unit |Benchmark[^ ]*\t\d+(\t[^ \t]+ [^ \t]+)+$", line),
                f"line {line!r}")
    return [urllib.parse.unquote_to_bytes(word).decode("utf-8", "surrogateescape")
            for word in re.split(r"[\t\n]|(?<=:) |/op", text)]


def read_folded(text):
    for line in text.splitlines():
        require(re.fullmatch(r"[^ ;]*(;[^ ;]*)* \d+", line), f"stack {line!r}")
    return [frame for line in text.splitlines() for frame in line.rpartition(" ")[0].split(";")]


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift, at = shift + 7, at + 1
        if not data[at - 1] & 0x80:
            return value, at


def read_pprof(data):
    """Returns the string table: field 6 of the message Profile."""
    data, at, found = gzip.decompress(data), 0, []
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            if key >> 3 == 6:
                found.append(check_inert(data[at:at + value], ""))
            at += value
    return found


def read_text(text):
    return [text]


def read_openmetrics(text):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    return [v for family in text_string_to_metric_families(text) for s in family.samples for v in s.labels.values()]


def read_prometheus(text):
    from prometheus_client.parser import text_string_to_metric_families

    return [v for family in text_string_to_metric_families(text) for s in family.samples for v in s.labels.values()]


READERS = {"text": read_text, "json": read_json, "csv": read_csv, "tsv": read_tsv, "junit": read_xml, "html": read_html,
           "markdown": read_markdown, "benchfmt": read_benchfmt, "folded": read_folded, "trace-event": read_json,
           "pprof": read_pprof, "openmetrics": read_openmetrics, "prometheus": read_prometheus}


def read(kind, data):
    """Checks that a document is inert and well-formed; returns its strings."""
    if kind == "pprof":
        return read_pprof(data)
    return READERS[kind](check_inert(data, "\n\t" if kind in ("tsv", "benchfmt") else "\n"))


def find(strings, data):
    r"""How a string comes back: "same", "\xNN", "U+FFFD", "_", or None. Of a long string, the beginning counts."""
    want = data.decode("utf-8", "surrogateescape")
    ways = [(want, "same"), (re.sub("[\udc80-\udcff]", "\ufffd", want), "U+FFFD")]
    ways += [(replaced(data, also), r"\xNN") for also in ("", "|", "\\")]
    ways += [(replaced(data[:1], "=+-@") + replaced(data[1:]), r"\xNN"), (re.sub("[; ]", "_", replaced(data)), "_")]
    return next((how for text, how in ways if any(text[:60] in s for s in strings)), None)
