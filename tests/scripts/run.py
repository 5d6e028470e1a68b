#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tests/scripts/run.py [PATTERN]: unit tests of the scripts in Python, which need no VM. Prints TAP."""

import pathlib
import sys
import unittest


def tests_of(suite):
    for test in suite:
        yield from tests_of(test) if isinstance(test, unittest.TestSuite) else [test]


def main():
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in sys.argv[1:]] or None
    tests = list(tests_of(loader.discover(str(pathlib.Path(__file__).parent))))
    failed = False
    for number, test in enumerate(tests, 1):
        result = test.run()
        for _, text in result.failures + result.errors:
            print("# " + text.replace("\n", "\n# "))
        print(f"{'ok' if result.wasSuccessful() else 'not ok'} {number} - {test.id()}")
        failed = failed or not result.wasSuccessful()
    print(f"1..{len(tests)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
