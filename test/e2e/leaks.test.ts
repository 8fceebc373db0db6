import { describe, expect, it } from "vitest";
import { startModelServer } from "../model-server.ts";
import { type Scratch, scratch } from "./scorel.ts";

const LOADS = 100;
/** The size of an extension's module, large enough that a retained one shows. */
const BALLAST_BYTES = 800_000;

interface Measure {
  heapUsed: number;
  resources: string[];
}

/** An extension that registers everything possible, has a timer, and uses much memory; `more` runs when it is loaded. */
const heavy = (id: string, more = "") => `import { definePlugin } from "@scorel/kernel";
import { z } from "zod";
${more}
const ballast = Array.from({ length: ${BALLAST_BYTES / 8} }, (_, index) => index + Math.random());

export default definePlugin({
  id: "${id}",
  name: "Heavy",
  version: "1.0.0",
  provides: ["${id}"],
  events: { ${id}_noted: { schema: z.object({ text: z.string() }) } },
  projections: { ${id}Count: { over: "log", init: () => 0, update: (count) => count + 1 } },
  activate(ctx) {
    ctx.provide("${id}", { ballast });
    const timer = setInterval(() => ballast.length, 60_000);
    ctx.onDispose(() => clearInterval(timer));
    ctx.signal.addEventListener("abort", () => ballast.length);
    ctx.subscribe(() => void ballast.length);
    ctx.agent.subscribe(() => void ballast.length);
    ctx.ui.status("${id}", "on");
  },
  tools: () => [{ name: "${id}", description: "None.", parameters: z.object({}), execute: async () => String(ballast.length) }],
  commands: () => ({ ${id}: { run: () => String(ballast.length) } }),
  hooks: () => ({ transformContext: (messages) => (ballast.length > 0 ? messages : []), beforeToolCall: () => undefined }),
  onEvent: () => void ballast.length,
});
`;
/** An extension with a command that measures memory and active resources after garbage collections. */
const meter = `import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
export default {
  id: "meter",
  name: "Meter",
  version: "1.0.0",
  commands: () => ({
    measure: {
      async run() {
        for (let time = 0; time < 3; time++) {
          collect();
          await new Promise((done) => setImmediate(done));
        }
        return JSON.stringify({ heapUsed: process.memoryUsage().heapUsed, resources: process.getActiveResourcesInfo().sort() });
      },
    },
  }),
};
`;

/** Memory after a tenth of the loads, after half of them, and after all. */
async function measured(s: Scratch): Promise<Measure[]> {
  await using server = await startModelServer([]);
  s.useModel(server.baseUrl);
  s.file("~/.scorel/extensions/meter.mjs", meter);
  const loads = (count: number) => "/reload\n".repeat(count);
  const input = `${loads(LOADS / 10)}/measure\n${loads((LOADS * 4) / 10)}/measure\n${loads(LOADS / 2)}/measure\n`;
  const { stdout, stderr, code } = await s.run(["chat"], { input });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.match(/^ {2}Reloaded$/gm)).toHaveLength(LOADS);
  return stdout.split("\n").flatMap((line) => (line.startsWith("  {") ? [JSON.parse(line) as Measure] : []));
}

/** Bytes that remain for each load in the second half. */
function slope(measures: readonly Measure[]): number {
  const [, half, all] = measures as [Measure, Measure, Measure];
  return (all.heapUsed - half.heapUsed) / (LOADS / 2);
}

describe("an extension that is loaded and unloaded a hundred times", () => {
  it("leaves no handle, timer or memory behind, whether run directly or by the compiler's loader", async () => {
    using s = scratch();
    s.file("~/.scorel/extensions/plain.ts", heavy("plain"));
    s.file("~/.scorel/extensions/folder/index.ts", heavy("folder", 'import { word } from "./helper.ts";\nvoid word;'));
    s.file("~/.scorel/extensions/folder/helper.ts", `${heavy("helper")}export const word: string = "x";\n`);
    const measures = await measured(s);
    expect(measures.map(({ resources }) => resources)).toEqual(Array(3).fill(measures[0]?.resources));
    expect(slope(measures)).toBeLessThan(BALLAST_BYTES / 10);
  });

  it("would be detected if it left its module behind", async () => {
    using s = scratch();
    s.file("~/.scorel/extensions/plain.ts", heavy("plain", "(globalThis.kept ??= []).push(() => ballast);"));
    expect(slope(await measured(s))).toBeGreaterThan(BALLAST_BYTES * 0.8);
  });
});
