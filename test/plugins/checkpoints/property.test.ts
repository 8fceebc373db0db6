import { describe, expect, it } from "vitest";
import { fc } from "../../property.ts";
import { type Call, type Project, project } from "./project.ts";

/** A command, or a path with its new content. */
type Op = { bash: string } | { put: string; content?: string };

const names = ["a", "b", "d", "d/x", "d/y", "e/f/g"];
const name = fc.constantFrom(...names);
const content = fc.constantFrom("", "1", "2", "3\n", "\\0binary");
const bash = (command: string): Op => ({ bash: `{ ${command}; } 2>/dev/null; true` });
const callOf = (t: Project, op: Op): Call =>
  "bash" in op ? ["Bash", { command: op.bash }] : ["Put", { ...op, path: t.path(op.put) }];

const op: fc.Arbitrary<Op> = fc.oneof(
  fc.tuple(name, content).map(([put, text]): Op => ({ put, content: text })),
  name.map((put): Op => ({ put })),
  fc.tuple(name, content).map(([path, text]) => bash(`mkdir -p $(dirname ${path}); printf '${text}' > ${path}`)),
  name.map((path) => bash(`rm -rf ${path}`)),
  fc.tuple(name, name).map(([from, to]) => bash(`mkdir -p $(dirname ${to}); mv ${from} ${to}`)),
  fc.tuple(name, name).map(([from, to]) => bash(`cp -r ${from} ${to}`)),
  fc
    .tuple(name, fc.constantFrom("600", "644", "755", "444"))
    .map(([path, mode]) => bash(`chmod ${mode} ${path}; chmod u+x d e e/f`)),
  fc.tuple(name, name).map(([path, target]) => bash(`rm -rf ${path}; ln -s ${target} ${path}`)),
);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.array(op, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }) },
  { weight: 2, arbitrary: fc.nat() },
);

describe("any sequence of edits and restores", () => {
  it.each([
    ["a repository", {}],
    ["a plain folder", { plain: true }],
  ])(
    "leaves %s as it was at the event that was asked for",
    async (_name, options) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), async (steps) => {
          await using t = await project({ ...options, files: { a: "1", "d/x": "1", "e/f/g": "1" } });
          const known: { id: string; tree: Record<string, string> }[] = [];
          for (const next of steps) {
            if (typeof next === "number") await goTo(t, known[next % Math.max(1, known.length)]);
            else {
              const before = t.tree();
              const { user, end } = await t.turn(...next.map((round) => round.map((made) => callOf(t, made))));
              known.push({ id: user, tree: before }, { id: end, tree: t.tree() });
            }
          }
          for (const at of known) await goTo(t, at);
        }),
        { numRuns: 12, interruptAfterTimeLimit: 60_000 },
      );
    },
    120_000,
  );
});

async function goTo(t: Project, at: { id: string; tree: Record<string, string> } | undefined): Promise<void> {
  if (!at) return;
  const { skipped } = await t.restore(at.id);
  expect({ skipped, tree: t.tree() }).toEqual({ skipped: [], tree: at.tree });
}
