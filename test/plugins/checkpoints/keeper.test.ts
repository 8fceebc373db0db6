import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBlobs } from "../../../plugins/blobs/store.ts";
import { Keeper } from "../../../plugins/checkpoints/record/keeper.ts";
import { fc } from "../../property.ts";
import { filesBelow } from "./project.ts";

const { TMPDIR } = process.env;
let base: string;
beforeEach(() => {
  base = fs.mkdtempSync(join(tmpdir(), "scorel-keeper-"));
});
afterEach(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  fs.rmSync(base, { recursive: true, force: true });
});

function keeper(maxTurnBytes = 1e9) {
  const blobs = createBlobs(join(base, "blobs"));
  const made = new Keeper(blobs, { maxFileBytes: 1e9, maxTurnBytes });
  const stored = () => filesBelow(join(base, "blobs")).length;
  const contentOf = (state: ReturnType<Keeper["hold"]>) => {
    const kept = made.store(state);
    return kept.kind === "file" ? blobs.read(kept.sha256) : kept;
  };
  return { keeper: made, stored, contentOf, [Symbol.dispose]: () => made.close() };
}

describe("temporarily stored content", () => {
  it("is restored byte for byte in any order, without named files", () => {
    fs.mkdirSync(join(base, "tmp"));
    process.env.TMPDIR = join(base, "tmp");
    const content = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.constantFrom(1, 1_000, 100_000));
    fc.assert(
      fc.property(fc.array(content, { minLength: 1, maxLength: 12 }), (contents) => {
        using t = keeper();
        const all = contents.map(([bytes, times]) => Buffer.concat(Array(times).fill(Buffer.from(bytes))));
        const states = all.map((bytes) => t.keeper.hold(bytes, 0o644));
        for (const [at, state] of [...states.entries()].reverse())
          expect((t.contentOf(state) as Buffer).equals(all[at] as Buffer)).toBe(true);
        expect(filesBelow(join(base, "tmp"))).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it("is stored as a blob if there is no folder for temporary files", () => {
    process.env.TMPDIR = join(base, "missing");
    using t = keeper();
    const small = t.keeper.hold(Buffer.from("small"), 0o644);
    const large = t.keeper.hold(Buffer.alloc(1_000_000, 1), 0o644);
    const more = t.keeper.hold(Buffer.from("more"), 0o644);
    expect(t.contentOf(small)).toEqual(Buffer.from("small"));
    expect((t.contentOf(large) as Buffer).equals(Buffer.alloc(1_000_000, 1))).toBe(true);
    expect(t.contentOf(more)).toEqual(Buffer.from("more"));
  });

  it("is limited for each turn, and the rest is reported until the next turn", () => {
    using t = keeper(1_000);
    const hold = (letter: string) => t.keeper.hold(Buffer.alloc(600, letter), 0o644);
    expect([hold("a").kind, hold("b"), hold("a").kind]).toEqual([
      "file",
      { kind: "uncovered", mode: 0o644, size: 600, reason: "over 1000 bytes in one turn" },
      "file",
    ]);
    expect(t.stored()).toBe(0);
    t.keeper.newTurn();
    expect([hold("b").kind, t.stored()]).toEqual(["file", 1]);
  });
});
