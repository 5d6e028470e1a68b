#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Checks documents in the OpenMetrics 1.0 text format: the grammar, and the requirements that the specification
marks with MUST.

  tests/openmetrics.py FILE...            checks each file; prints the line of the first error in each
  tests/openmetrics.py --series FILE...   the files are successive scrapes of the same counters: also checks
                                          that no counter decreases unless it has a new time of creation
  tests/openmetrics.py --self-test        checks good and bad documents of its own; prints TAP
"""
import math
import re
import sys

TYPES = {  # the suffixes of the samples of each type
    "counter": ("_total", "_created"), "gauge": ("",), "unknown": ("",), "stateset": ("",), "info": ("_info",),
    "histogram": ("_bucket", "_count", "_sum", "_created"), "gaugehistogram": ("_bucket", "_gcount", "_gsum"),
    "summary": ("", "_count", "_sum", "_created"),
}
METRIC_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\.)*)"')
REAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
NUMBER = re.compile(REAL.pattern + r"|[+-]?inf(?:inity)?|nan", re.I)
METADATA = re.compile(rf"# (TYPE|UNIT|HELP) ({METRIC_NAME}) (.*)", re.S)
INTEGER = re.compile(r"[0-9]+(\.0*)?")
ESCAPED = re.compile(r"(?:[^\"\\\n]|\\.)*", re.S)


class Bad(Exception):
    pass


def need(condition, text):
    if not condition:
        raise Bad(text)


def unescape(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1] if m[1] in '"\\' else m[0]), text)


def parse_number(text):
    need(NUMBER.fullmatch(text), f"not a number: {text!r}")
    return float(text)


def parse_timestamp(text):
    need(REAL.fullmatch(text), f"not a timestamp: {text!r}")
    need(math.isfinite(float(text)), "a timestamp is not finite")
    return float(text)


def parse_labels(text, pos):
    """Parses {...} at text[pos]. Returns the labels, in their order, and the position after them."""
    labels = {}
    pos += 1
    while text[pos:pos + 1] != "}":
        if labels:
            need(text[pos:pos + 1] == ",", "no comma between labels")
            pos += 1
        m = LABEL.match(text, pos)
        need(m, "not a label")
        need(m[1] not in labels, f"label {m[1]} twice")
        need(not m[1].startswith("_"), f"label name {m[1]} is reserved")
        labels[m[1]] = unescape(m[2])
        pos = m.end()
    return labels, pos + 1


class Sample:
    def __init__(self, line):
        m = re.match(METRIC_NAME, line)
        need(m, "not a sample")
        self.name, self.labels, pos = m[0], {}, m.end()
        if line[pos:pos + 1] == "{":
            self.labels, pos = parse_labels(line, pos)
        need(line[pos:pos + 1] == " ", "no space before the value")
        rest, mark, exemplar = line[pos + 1:].partition(" # ")
        fields = rest.split(" ")
        need(len(fields) <= 2, "more than a value and a timestamp")
        self.text = fields[0]
        self.value = parse_number(fields[0])
        self.time = parse_timestamp(fields[1]) if len(fields) == 2 else None
        self.exemplar = self.parse_exemplar(exemplar) if mark else None

    @staticmethod
    def parse_exemplar(text):
        need(text.startswith("{"), "an exemplar without labels")
        labels, pos = parse_labels(text, 0)
        need(sum(len(k) + len(v) for k, v in labels.items()) <= 128, "the labels of an exemplar are too long")
        need(text[pos:pos + 1] == " ", "no space before the value of an exemplar")
        fields = text[pos + 1:].split(" ")
        need(len(fields) <= 2, "an exemplar with more than a value and a timestamp")
        if len(fields) == 2:
            parse_timestamp(fields[1])
        return parse_number(fields[0])


class Family:
    def __init__(self, name):
        self.name, self.metadata, self.samples = name, {}, []

    @property
    def type(self):
        return self.metadata.get("TYPE", "unknown")

    def suffix_of(self, sample_name):
        """Returns the suffix of a sample's name, such as "_total", or None if the sample is not of this family."""
        for suffix in TYPES[self.type]:
            if sample_name == self.name + suffix:
                return suffix
        return None

    def add_metadata(self, kind, value):
        need(not self.samples, f"{kind} of {self.name} after its samples")
        need(kind not in self.metadata, f"{kind} of {self.name} twice")
        if kind == "TYPE":
            need(value in TYPES, f"unknown type {value!r}")
        elif kind == "UNIT":
            need(re.fullmatch(r"[a-zA-Z0-9_:]*", value), "a unit with other characters than a name")
            need(not value or self.name.endswith("_" + value), f"the unit {value} is no suffix of {self.name}")
        else:
            need(ESCAPED.fullmatch(value), "an unescaped character in a HELP line")
        self.metadata[kind] = value

    def check(self):
        need(not (self.metadata.get("UNIT") and self.type in ("info", "stateset")), f"{self.type} with a unit")
        points, last = {}, None
        for s in self.samples:
            suffix = self.suffix_of(s.name)
            extra = {"histogram": "le", "gaugehistogram": "le", "summary": "quantile", "stateset": self.name}.get(self.type)
            if suffix not in ("_bucket", "") and extra in s.labels:
                raise Bad(f"the label {extra} in {s.name}")
            key = frozenset((k, v) for k, v in s.labels.items() if k != extra)
            need(key == last or key not in points, f"the samples of a metric of {self.name} are interleaved")
            groups = points.setdefault(key, [])
            if not groups or s.time != groups[-1][0]:
                need(not groups or None not in (s.time, groups[-1][0]), "only a part of a metric has timestamps")
                need(not groups or s.time > groups[-1][0], "timestamps that do not increase, or an interleaved point")
                groups.append((s.time, []))
            groups[-1][1].append((suffix, s))
            last = key
            need(s.exemplar is None or suffix in ("_bucket", "_total"), "an exemplar where there can be none")
        for groups in points.values():
            for _, group in groups:
                getattr(self, "check_" + self.type)(group)
        self.points = points

    @staticmethod
    def one(group, suffix, wanted=True):
        found = [s for x, s in group if x == suffix]
        need(len(found) <= 1, f"two samples {suffix or 'with the same labels'} of one metric")
        need(found or not wanted, f"a metric without {suffix}")
        return found[0] if found else None

    def check_counter(self, group):
        total = self.one(group, "_total")
        need(total.value >= 0, "a counter is negative or NaN")
        self.check_created(group)

    def check_created(self, group):
        created = self.one(group, "_created", False)
        need(not created or math.isfinite(created.value), "_created is not a time")

    def check_gauge(self, group):
        self.one(group, "")

    check_unknown = check_gauge

    def check_info(self, group):
        need(self.one(group, "_info").value == 1, "the value of an info is not 1")

    def check_stateset(self, group):
        states = [s.labels.get(self.name) for _, s in group]
        need(None not in states, "a state without its label")
        need(len(set(states)) == len(states), "a state twice")
        need(all(s.value in (0, 1) for _, s in group), "a state is not 0 or 1")

    def check_buckets(self, group, count, total):
        buckets = [s for x, s in group if x == "_bucket"]
        need(buckets, "a histogram without buckets")
        need(all("le" in s.labels for s in buckets), "a bucket without le")
        bounds = [parse_number(s.labels["le"]) for s in buckets]
        need(not any(map(math.isnan, bounds)), "le is NaN")
        need(all(a < b for a, b in zip(bounds, bounds[1:])), "the bounds do not ascend")
        need(bounds[-1] == math.inf, "no bucket +Inf")
        need(all(INTEGER.fullmatch(s.text) for s in buckets), "a bucket is not a whole number")
        need(all(a.value <= b.value for a, b in zip(buckets, buckets[1:])), "the buckets are not cumulative")
        for low, high, s in zip([-math.inf] + bounds, bounds, buckets):
            need(s.exemplar is None or low < s.exemplar <= high, "an exemplar outside of its bucket")
        need(bool(count) == bool(total), "only one of count and sum")
        need(not count or count.value == buckets[-1].value, "count differs from the bucket +Inf")
        need(not total or not math.isnan(total.value), "the sum is NaN")
        return bounds[0] < 0

    def check_histogram(self, group):
        total = self.one(group, "_sum", False)
        negative = self.check_buckets(group, self.one(group, "_count", False), total)
        need(not total or (not negative and total.value >= 0), "a negative sum, or one with negative bounds")
        self.check_created(group)

    def check_gaugehistogram(self, group):
        total = self.one(group, "_gsum", False)
        negative = self.check_buckets(group, self.one(group, "_gcount", False), total)
        need(not total or negative or total.value >= 0, "a negative sum without negative bounds")

    def check_summary(self, group):
        count, total = self.one(group, "_count", False), self.one(group, "_sum", False)
        need(not count or INTEGER.fullmatch(count.text), "count is not a whole number")
        need(not total or total.value >= 0, "the sum is negative or NaN")
        quantiles = [s for x, s in group if x == ""]
        need(all("quantile" in s.labels for s in quantiles), "a sample without quantile")
        names = [parse_number(s.labels["quantile"]) for s in quantiles]
        need(all(0 <= q <= 1 for q in names), "a quantile outside of 0 to 1")
        need(len(set(names)) == len(names), "a quantile twice")
        need(not any(s.value < 0 for s in quantiles), "a quantile is negative")
        self.check_created(group)


def parse(data):
    """Returns the families of a document by their names. Raises Bad."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        raise Bad("not UTF-8") from e
    need(not text.startswith("\ufeff"), "a byte order mark")
    text = text[:-1] if text.endswith("\n") else text
    lines = text.split("\n")
    need(lines[-1] == "# EOF", "does not end with # EOF")
    families, current = {}, None
    for n, line in enumerate(lines[:-1], 1):
        try:
            current = parse_line(line, families, current)
        except Bad as e:
            raise Bad(f"line {n}: {e}") from None
    samples = {}
    for f in families.values():
        f.check()
        for suffix in TYPES[f.type]:
            name = f.name + suffix
            need(name not in samples, f"{f.name} and {samples.get(name)} could both have samples {name}")
            samples[name] = f.name
    return families


def parse_line(line, families, current):
    need(not line.endswith("\r"), "a carriage return")
    if line.startswith("#"):
        m = METADATA.fullmatch(line)
        need(m, "neither TYPE, UNIT nor HELP")
        if not current or current.name != m[2]:
            current = new_family(families, m[2])
        current.add_metadata(m[1], m[3])
        return current
    sample = Sample(line)
    if not current or current.suffix_of(sample.name) is None:
        current = new_family(families, sample.name)
    current.samples.append(sample)
    return current


def new_family(families, name):
    need(name not in families, f"the family {name} is interleaved with others")
    families[name] = Family(name)
    return families[name]


# ---- successive documents ----

def counters(families):
    """Yields each number that must not decrease: its name and labels, its value, and its time of creation."""
    for f in families.values():
        if f.type not in ("counter", "histogram"):
            continue
        for groups in f.points.values():
            group = groups[-1][1]
            created = next((s.value for x, s in group if x == "_created"), None)
            for suffix, s in group:
                if suffix != "_created":
                    yield (s.name, tuple(sorted(s.labels.items()))), s.value, created


def check_series(names, documents):
    last = {}
    for name, families in zip(names, documents):
        for key, value, created in counters(families):
            before = last.get(key, (0, None))
            need(value >= before[0] or created != before[1],
                 f"{name}: {key[0]}{dict(key[1])} went from {before[0]} to {value}")
            last[key] = (value, created)


# ---- tests of this program ----

GOOD = [
    "", "# TYPE a counter\n", "# TYPE a counter\na_total 1\n", "a 1\n", "a{} 1\n", "a 1 2.5\n", "a +Inf\n", "a nan\n",
    "# TYPE a counter\na_total 1\na_created 1.5\n# TYPE b gauge\nb 1\n",
    "# TYPE a_seconds counter\n# UNIT a_seconds seconds\n# HELP a_seconds x \\n \\\" \\\\ y\na_seconds_total 0.5\n",
    "# UNIT a \n# HELP a \na 1\n", 'a{b="\\\\ \\n \\" ü , } {"} 1\n', 'a{b="1"} 1\na{b="2"} 1\n', "a 1 1\na 2 2\n",
    '# TYPE a info\na_info{b="c"} 1\n', '# TYPE a stateset\na{a="x"} 1\na{a="y"} 0\n',
    '# TYPE a histogram\na_bucket{le="1.0"} 1\na_bucket{le="+Inf"} 2\na_count 2\na_sum 3.5\na_created 1\n',
    '# TYPE a histogram\na_bucket{le="+Inf"} 0\n', '# TYPE a histogram\na_bucket{le="-1"} 0\na_bucket{le="+Inf"} 0\n',
    '# TYPE a histogram\na_bucket{le="1"} 1 # {} 0.5\na_bucket{le="+Inf"} 1\n',
    '# TYPE a gaugehistogram\na_bucket{le="+Inf"} 2\na_gcount 2\na_gsum 3\n',
    '# TYPE a summary\na{quantile="0.5"} NaN\na_count 1\na_sum 2\n',
    '# TYPE a counter\na_total 1 # {t="x"} 1 1.5\n', "a 1.\n", "a .5e-3\n", "a 0042\n",
]
BAD = [  # without "# EOF", which is added
    "\n", " a 1\n", "a\n", "a \n", "a  1\n", "a 1 \n", "a 1 2 3\n", "a 1\r\n", "\ufeffa 1\n", "a x\n", "a 0x1\n", "a 1_0\n",
    "a 1 nan\n", "a 1 inf\n", "1a 1\n", "a-b 1\n", 'a{b} 1\n', 'a{b=c} 1\n', 'a{b="c} 1\n', 'a{b="c"}1\n', 'a{b="c",} 1\n',
    'a{,} 1\n', 'a{b="c" ,d="e"} 1\n', 'a{b="c"d="e"} 1\n', 'a{b="c",b="d"} 1\n', 'a{_b="c"} 1\n', 'a{b:c="d"} 1\n',
    'a{b="\n"} 1\n', 'a{b="c""} 1\n', "# a comment\n", "#TYPE a gauge\n", "# TYPE a\n", "# TYPE a Gauge\n",
    "# TYPE a foo\n", "# TYPE a gauge \n", "#  TYPE a gauge\n", "# TYPE a gauge\n# TYPE a gauge\n", "# EOF\n",
    "# HELP a x\n# HELP a y\n", '# HELP a "\n', "# UNIT a seconds\n", "# UNIT aseconds seconds\n",
    "# TYPE a_x info\n# UNIT a_x x\n", "# TYPE a_x stateset\n# UNIT a_x x\n", "a 1\n# TYPE a gauge\n",
    "# TYPE a gauge\na 1\n# HELP a x\n", "a 1\nb 1\na 2\n", "a 1\na 1\n", 'a{b="1"} 1\na{b="2"} 1\na{b="1"} 1 5\n',
    "a 1 2\na 1 1\n", "a 1\na 1 2\n", "# TYPE a gauge\n# TYPE b gauge\n# HELP a x\n", "# TYPE a counter\na 1\n",
    "# TYPE a counter\na_total -1\n", "# TYPE a counter\na_total nan\n", "# TYPE a counter\na_created 1\n",
    "# TYPE a counter\na_total 1\na_created nan\n", "# TYPE a counter\na_total 1\n# TYPE a_total gauge\na_total 1\n",
    "# TYPE a counter\n# TYPE a_created gauge\n", "# TYPE a gauge\na_total 1\na 1\n# TYPE a_total gauge\n",
    "# TYPE a gauge\na 1 # {} 1\n", '# TYPE a counter\na_total 1 # {t="%s"} 1\n' % ("x" * 128),
    "# TYPE a counter\na_total 1 # 1\n", "# TYPE a counter\na_total 1 # {}\n", "# TYPE a counter\na_total 1 # {} 1 2 3\n",
    "# TYPE a info\na_info 2\n", "# TYPE a info\na 1\n", "# TYPE a stateset\na 1\n", '# TYPE a stateset\na{a="x"} 2\n',
    '# TYPE a stateset\na{a="x"} 1\na{a="x"} 0\n', '# TYPE a histogram\na_bucket 1\n', '# TYPE a histogram\na_count 1\na_sum 1\n',
    '# TYPE a histogram\na_bucket{le="1"} 1\n', '# TYPE a histogram\na_bucket{le="x"} 1\na_bucket{le="+Inf"} 1\n',
    '# TYPE a histogram\na_bucket{le="nan"} 1\na_bucket{le="+Inf"} 1\n',
    '# TYPE a histogram\na_bucket{le="2"} 1\na_bucket{le="1"} 1\na_bucket{le="+Inf"} 1\n',
    '# TYPE a histogram\na_bucket{le="1"} 1\na_bucket{le="1.0"} 1\na_bucket{le="+Inf"} 1\n',
    '# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\n', '# TYPE a histogram\na_bucket{le="+Inf"} 1.5\n',
    '# TYPE a histogram\na_bucket{le="+Inf"} -1\n', '# TYPE a histogram\na_bucket{le="+Inf"} nan\n',
    '# TYPE a histogram\na_bucket{le="+Inf"} 1\na_count 2\na_sum 1\n', '# TYPE a histogram\na_bucket{le="+Inf"} 1\na_count 1\n',
    '# TYPE a histogram\na_bucket{le="+Inf"} 1\na_sum 1\n', '# TYPE a histogram\na_bucket{le="+Inf"} 1\na_count 1\na_sum -1\n',
    '# TYPE a histogram\na_bucket{le="+Inf"} 1\na_count 1\na_sum nan\n', '# TYPE a histogram\na_bucket{le="+Inf"} 1\na_count{le="1"} 1\n',
    '# TYPE a histogram\na_bucket{le="-1"} 0\na_bucket{le="+Inf"} 1\na_count 1\na_sum 1\n',
    '# TYPE a histogram\na_bucket{le="1"} 1 # {} 2\na_bucket{le="+Inf"} 1\n',
    '# TYPE a histogram\na_bucket{le="+Inf",b="1"} 1\na_bucket{le="+Inf",b="2"} 1\na_count{b="1"} 1\na_sum{b="1"} 1\n',
    '# TYPE a gaugehistogram\na_bucket{le="+Inf"} 1\na_gsum 1\n', '# TYPE a gaugehistogram\na_bucket{le="+Inf"} 1\na_gcount 1\na_gsum -1\n',
    '# TYPE a summary\na 1\n', '# TYPE a summary\na{quantile="2"} 1\n', '# TYPE a summary\na{quantile="0.5"} -1\n',
    '# TYPE a summary\na_count 1.5\na_sum 1\n', '# TYPE a summary\na_sum -1\n', '# TYPE a summary\na{quantile="0.5"} 1\na{quantile="0.5"} 1\n',
]
WHOLE_BAD = [b"", b"a 1\n", b"# EOF\n\n", b"# EOF\na 1\n", b"# EOF ", b" # EOF", b"a 1\n# EOF\n# EOF\n", b'a{b="\xff"} 1\n# EOF\n',
             b'a{b="\xed\xa0\x80"} 1\n# EOF\n', b"# eof\n", b"a 1# EOF\n"]
CREATED = "# TYPE a counter\na_total %d\na_created %d\n# EOF\n"


def is_good(data):
    try:
        parse(data)
        return True
    except Bad:
        return False


def goes_back(first, second):
    try:
        check_series("12", [parse((CREATED % pair).encode()) for pair in (first, second)])
        return False
    except Bad:
        return True


def self_test():
    cases = [(text.encode() + end, True) for text in GOOD for end in (b"# EOF\n", b"# EOF")]
    cases += [(text.encode() + b"# EOF\n", False) for text in BAD] + [(data, False) for data in WHOLE_BAD]
    wrong = [data for data, good in cases if is_good(data) != good]
    for data in wrong:
        print("# wrong:", data)
    series = not goes_back((1, 5), (1, 5)) and not goes_back((5, 1), (1, 9)) and goes_back((5, 1), (4, 1))
    print(f"{'not ' if wrong else ''}ok 1 - {len(cases)} documents, {sum(not good for _, good in cases)} of them bad")
    print(f"{'' if series else 'not '}ok 2 - counters that decrease")
    return bool(wrong) or not series


def main(args):
    if args == ["--self-test"]:
        return self_test()
    series = args[:1] == ["--series"]
    names, documents, bad = args[series:], [], 0
    for name in names:
        with open(name, "rb") as f:
            data = f.read()
        try:
            documents.append(parse(data))
        except Bad as e:
            print(f"{name}: {e}")
            bad = 1
    if series and not bad:
        try:
            check_series(names, documents)
        except Bad as e:
            print(e)
            bad = 1
    return bad or not names


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
