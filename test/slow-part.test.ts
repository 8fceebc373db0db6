import { describe, expect, it } from "vitest";

/** The module is JavaScript, since it runs before packages are installed. */
type PartOf = (
  files: readonly string[],
  limits: { seconds: number; seed: string; changed: ReadonlySet<string>; known: ReadonlyMap<string, number> },
) => string[];
const { partOf } = (await import(new URL("./slow-part.mjs", import.meta.url).href)) as { partOf: PartOf };

const files = Array.from({ length: 40 }, (_, index) => `test/e2e/${index}.test.ts`);
const known = new Map(files.map((file) => [file, 10]));
const changed = new Set<string>();

describe("the part of the slow test files that a gate runs", () => {
  it("takes about the given time, and is another one for another seed", () => {
    const parts = ["1", "2"].map((seed) => partOf(files, { seconds: 100, seed, changed, known }));
    expect(parts.map((part) => part.length)).toEqual([10, 10]);
    expect(parts[0]).not.toEqual(parts[1]);
    expect(partOf(files, { seconds: 100, seed: "1", changed, known })).toEqual(parts[0]);
  });

  it("comes to all files in time", () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 40; seed++)
      for (const file of partOf(files, { seconds: 100, seed: String(seed), changed, known })) seen.add(file);
    expect(seen.size).toBe(files.length);
  });

  it("begins with changed and new files, whatever time they take", () => {
    const limits = { seconds: 20, seed: "1", changed: new Set(files.slice(0, 3)), known };
    expect(partOf([...files, "test/e2e/new.test.ts"], limits)).toEqual([...files.slice(0, 3), "test/e2e/new.test.ts"]);
  });

  it("uses the rest of the time for files that fit", () => {
    const long = new Map([...known, ["test/e2e/0.test.ts", 95]]);
    const part = partOf(files, { seconds: 100, seed: "1", changed: new Set(["test/e2e/0.test.ts"]), known: long });
    expect(part).toEqual(["test/e2e/0.test.ts"]);
  });
});
