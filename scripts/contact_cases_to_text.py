#!/usr/bin/env python3
"""Turn reference/multibody/cases_contact.json into tests/data/contact_cases.txt.

Per case: the number of contacts, then mu, A (row after row), b, F and v. The rows of the JSON file are ordered
(f, o, n) within a contact; here they are (n, f, o), the order of ts_friction.

usage: contact_cases_to_text.py cases_contact.json > contact_cases.txt
"""
import json
import sys


def normal_first(contacts):
    return [3 * i + k for i in range(contacts) for k in (2, 0, 1)]


def line(numbers):
    return " ".join(repr(float(x)) for x in numbers)


def main():
    with open(sys.argv[1]) as file:
        cases = json.load(file)["cases"]
    print("# 30 frictional contact problems v = A F + b with exact cones and their unique solutions: REFERENCE II.0,")
    print("# reference/multibody/cases_contact.json, rows reordered to (n, f, o) by scripts/contact_cases_to_text.py.")
    print("# Lines of a case: contacts; mu; A, one line a row; b; F; v.")
    for case in cases:
        order = normal_first(case["nu"])
        print(case["nu"])
        print(line(case["mu"]))
        for i in order:
            print(line(case["A"][i][j] for j in order))
        for name in ("b", "F", "v"):
            print(line(case[name][i] for i in order))


main()
