#!/usr/bin/env python3
"""Writes tests/data/tree_cases.txt from the shared reference cases_tree.json. Usage: tree_cases_to_text.py IN OUT"""
import json
import sys

HEAD = """\
# 8 articulated trees with their forward dynamics: REFERENCE II.0, reference/multibody/cases_tree.json, by
# scripts/tree_cases_to_text.py. Frames at hinges, along the parent's axes at coordinate 0; gravity (0, 0, -9.81).
# Lines of a case: bodies, coordinates, rates; a line a body: parent (-1: the world), joint (0 revolute, 1 prismatic,
# 2 spherical, 3 free), offset in the parent, axis, mass, centre of mass, inertia about it (9); q; v; tau; qdd; energy;
# hinges in the world; body and offset in it of three nodes; Lambda of the nodes, angular before linear, 18 x 18.
"""
JOINTS = {"rev": 0, "pris": 1, "sph": 2, "free": 3}


def line(*parts):
    numbers = []
    for part in parts:
        numbers.extend(flat(part))
    return " ".join(repr(x) for x in numbers) + "\n"


def flat(x):
    return [y for part in x for y in flat(part)] if isinstance(x, list) else [x]


def main(source, target):
    with open(source, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    with open(target, "w", encoding="utf-8") as out:
        out.write(HEAD)
        for case in cases:
            assert case["gravity"] == [0.0, 0.0, -9.81] and len(case["nodes"]) == 3
            out.write(line(len(case["bodies"]), len(case["q"]), len(case["v"])))
            for body in case["bodies"]:
                out.write(line(body["parent"], JOINTS[body["joint"]], body["offset_in_parent"], body["axis"],
                               body["mass"], body["com"], body["J_com"]))
            for key in ("q", "v", "tau", "qdd", "energy", "hinge_world"):
                out.write(line(case[key]))
            out.write(line([[node["body"], node["offset_body"]] for node in case["nodes"]]))
            for row in case["Lambda"]:
                out.write(line(row))


if __name__ == "__main__":
    main(*sys.argv[1:])
