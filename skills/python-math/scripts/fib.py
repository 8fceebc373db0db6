"""Prints the first N Fibonacci numbers, one a line: python3 fib.py N"""

import sys


def main(arguments):
    if len(arguments) != 1 or not arguments[0].isdecimal():
        print("usage: fib.py N, where N is a number of 0 or more", file=sys.stderr)
        return 2
    # By default, Python prints no number of more than 4300 digits.
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    current, following = 0, 1
    for _ in range(int(arguments[0])):
        print(current)
        current, following = following, current + following
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
