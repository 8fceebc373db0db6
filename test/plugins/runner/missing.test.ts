import { describe, expect, it } from "vitest";
import { type FailedProgram, missingPackage } from "../../../plugins/runner/run/missing.ts";
import { confines, describeWith } from "../../optional.ts";
import { shop } from "./setup.ts";

describeWith("python", "a program that lacks a package", () => {
  const python = (module: string) => `python3 -c 'import ${module}'`;
  it.each<[string, string, object, string | undefined]>([
    [
      "that is not installed",
      python("no_such"),
      {},
      'the Python module "no_such" is missing, and this program has no network: a person has to add the package no_such to this machine (python3-no_such on Debian), or add "math" to "network" of [runner]; then: python3 -m venv .venv && .venv/bin/pip install no_such',
    ],
    [
      "that is its own",
      "mkdir -p work/x; cd work/x; python3 -c 'import fib'",
      {},
      `the Python module "fib" is the skill's own (scripts/fib.py): run the program with python3 -m, or set PYTHONPATH to the folder around it`,
    ],
    ["and fails for another reason", "python3 -c 'raise SystemExit(3)'", {}, undefined],
    ["and does without it", `${python("none_such")} || true`, {}, undefined],
  ])("%s is told which", async (_, command, table, expected) => {
    await using t = await shop(table);
    const { warnings } = await t.run({ command });
    const sandboxed = expected?.replace(
      /, and this program has no network.*; then: /,
      ": add the package no_such and run again: ",
    );
    expect(warnings?.[0]).toBe(confines ? expected : sandboxed);
  });
});

describe("a message about a missing package", () => {
  it.each<[string, Partial<FailedProgram>, string | undefined]>([
    [
      "ModuleNotFoundError: No module named 'PIL.Image'",
      { network: true },
      'the Python module "PIL" is missing: add the package Pillow and run again: python3 -m venv .venv && .venv/bin/pip install Pillow',
    ],
    [
      "ModuleNotFoundError: No module named 'docx'",
      { executor: "docker" },
      'the Python module "docx" is missing, and this program has no network: a person has to add the package python-docx to the image that "image" of [sandbox] names, or add "s" to "network" of [runner]; then: python3 -m venv .venv && .venv/bin/pip install python-docx',
    ],
    [
      "Error: Cannot find module 'docx/lib'\nRequire stack:",
      { network: true },
      'the Node.js package "docx" is missing: add the package docx and run again: npm install --prefix "$WORK_DIR" docx, then with NODE_PATH="$WORK_DIR/node_modules"',
    ],
    [
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@a/b' imported from /x",
      { executor: "local" },
      'the Node.js package "@a/b" is missing: add the package @a/b and run again: npm install --prefix "$WORK_DIR" @a/b, then with NODE_PATH="$WORK_DIR/node_modules"',
    ],
    ["Error: Cannot find module './own.js'", {}, undefined],
    ["Error: Cannot find module '/skills/own.js'", {}, undefined],
    ["ModuleNotFoundError: No module named 'x; rm -rf /'", {}, undefined],
  ])("%s", (stderr, more, expected) => {
    const failed: FailedProgram = { skill: "s", stderr, files: [], network: false, executor: "bubblewrap", ...more };
    expect(missingPackage(failed)).toBe(expected);
  });
});
