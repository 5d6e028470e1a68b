#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tests/packages/sbom.py FILE.cdx.json...: checks the lists of linked libraries that scripts/sbom writes. A list must
have the libraries that the Makefile names for a static program, each with a licence and with the installed version.
It must not have a path."""

import json
import pathlib
import re
import subprocess
import sys

MAKEFILE = pathlib.Path(__file__).resolve().parent.parent.parent / "Makefile"
# Debian's package of each library in LDLIBS. LDLIBS also has the libraries that these libraries need.
PACKAGES = {"libbpf": "libbpf-dev", "jansson": "libjansson-dev", "libcap": "libcap-dev", "libprotobuf-c": "libprotobuf-c-dev",
            "ncursesw": "libncurses-dev", "microhttpd": "libmicrohttpd-dev", "pcap": "libpcap0.8-dev", "elf": "libelf-dev",
            "z": "zlib1g-dev", "c": "libc6-dev"}


def libraries():
    """Returns the libraries in LDLIBS, except m (libm), which is part of libc's package."""
    line = re.search(r"^LDLIBS := .*--libs ([^)]*)\)(.*)", MAKEFILE.read_text(), re.MULTILINE)
    return [*line[1].split(), *re.findall(r"-l(\w+)", line[2]), "c"]


def wrong_of(path):
    text = path.read_text()
    bom = json.loads(text)
    found = {c["name"]: c for c in bom["components"]}
    for library in libraries():
        if library != "m" and not any(name.startswith(PACKAGES[library]) for name in found):
            yield f"{PACKAGES[library]} is missing"
    for name, c in found.items():
        arch = c["purl"].rpartition("=")[2]
        package = name if arch == "all" else f"{name}:{arch}"
        version = subprocess.check_output(["dpkg-query", "-W", "-f", "${Version}", package], text=True)
        if c["version"] != version or not c["licenses"][0]["expression"]:
            yield f"{name}: {c['version']}, {version} is installed"
    refs = [c["bom-ref"] for c in bom["components"]]
    if bom["dependencies"] != [{"ref": bom["metadata"]["component"]["bom-ref"], "dependsOn": refs}] or len(set(refs)) != len(refs):
        yield "the dependencies are not the components"
    if re.search(r'"/|/tmp', text):
        yield "has a path"


def main():
    wrong = [f"{name}: {text}" for name in sys.argv[1:] for text in wrong_of(pathlib.Path(name))]
    print("\n".join(wrong))
    return bool(wrong or len(sys.argv) < 2)


if __name__ == "__main__":
    sys.exit(main())
