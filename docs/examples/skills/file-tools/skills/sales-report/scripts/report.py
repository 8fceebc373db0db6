"""Prints a report of a table with the columns region, month and units: python3 report.py FILE.csv"""

import csv
import sys


def sections(rows):
    for region in sorted({row["region"] for row in rows}):
        own = [row for row in rows if row["region"] == region]
        total = sum(int(row["units"]) for row in own)
        yield region, [f"## {region}", *[f"- {row['month']}: {row['units']}" for row in own], f"Total: {total}", ""]


def main(arguments):
    if len(arguments) != 1:
        print("usage: report.py FILE.csv", file=sys.stderr)
        return 2
    with open(arguments[0], encoding="utf-8", newline="") as table:
        parts = list(sections(list(csv.DictReader(table))))
    line = len(parts) + 3
    print("# Sales\n")
    for region, lines in parts:
        print(f"- {region}: line {line + 1}")
        line += len(lines)
    print()
    for _region, lines in parts:
        print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
