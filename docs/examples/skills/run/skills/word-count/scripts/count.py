"""Prints each word of a text with its count, the most frequent first: python3 count.py FILE"""

import collections
import re
import sys


def main(arguments):
    if len(arguments) != 1:
        print("usage: count.py FILE", file=sys.stderr)
        return 2
    with open(arguments[0], encoding="utf-8") as text:
        counts = collections.Counter(re.findall(r"\w+", text.read().lower()))
    for word, count in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        print(f"{word},{count}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
