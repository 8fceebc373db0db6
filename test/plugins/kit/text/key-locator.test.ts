import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { createKeyLocator } from "../../../../plugins/kit/text/key-locator.ts";
import { fc, seed } from "../../../property.ts";
import { type Doc, tomlDocument } from "./toml-document.ts";

describe(`the key locator (seed ${seed})`, () => {
  it("finds the line of every key of a random document, as the parser reads it", () => {
    fc.assert(
      fc.property(tomlDocument, ({ text, leaves }: Doc) => {
        const parsed = parse(text);
        const locate = createKeyLocator(text);
        for (const { path, line, value } of leaves) {
          expect(at(parsed, path)).toEqual(value);
          expect([path, locate(path)]).toEqual([path, line]);
        }
        expect(leavesOf(parsed)).toBe(leaves.length);
      }),
      { seed, numRuns: 400 },
    );
  });

  it("finds nothing, or only the header of that name, in a truncated document", () => {
    fc.assert(
      fc.property(tomlDocument, fc.nat(), ({ text, leaves }, cut) => {
        const locate = createKeyLocator(text.slice(0, cut % (text.length + 1)));
        for (const { path, line } of leaves) expect([undefined, line]).toContain(locate(path));
      }),
      { seed, numRuns: 400 },
    );
  });

  it("finds headers, elements of arrays and keys of inline tables", () => {
    const locate = createKeyLocator(
      [
        'use = ["tools", # first',
        '  "coding"]',
        "[[mcp.servers]]",
        'name = "a"',
        "[[mcp.servers]]",
        'env = { A = "1", "b c".d = 2 }',
        "[mcp.servers.deep]",
        "x = 1",
      ].join("\n"),
    );
    const lines = [
      ["use", 1],
      ["mcp", "servers"],
      ["mcp", "servers", 0, "name"],
      ["mcp", "servers", 1],
      ["mcp", "servers", 1, "env", "b c", "d"],
      ["mcp", "servers", 1, "deep", "x"],
      ["mcp", "servers", 2],
    ].map(locate);
    expect(lines).toEqual([2, 3, 4, 5, 6, 8, undefined]);
  });

  it("survives a byte order mark, Windows line ends and escapes in keys", () => {
    const locate = createKeyLocator('\uFEFF# note\r\n"a\\u0062\\"" = 1\r\n\r\n[t]\r\nk = """\r\n"""\r\nl = 2\r\n');
    expect([locate(['ab"']), locate(["t", "k"]), locate(["t", "l"])]).toEqual([2, 5, 7]);
  });
});

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value);
}

/** The number of values that are neither tables nor arrays of tables. */
function leavesOf(value: unknown): number {
  if (Array.isArray(value) && value.some((element) => isObject(element)))
    return value.map(leavesOf).reduce((a, b) => a + b, 0);
  if (!isObject(value)) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + leavesOf(inner), 0);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
