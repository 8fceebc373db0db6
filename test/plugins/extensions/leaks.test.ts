import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished, vi } from "vitest";
import { createExtensionLoader } from "../../../plugins/extensions/load/loader.ts";
import { contained, testKernel } from "../../harness.ts";
import { notes } from "../../kernel/notes.ts";

const source = `
import { z } from "zod";
const kept = new Array(10_000).fill("state of one instance");
export default {
  id: "own", name: "Own", version: "1.0.0", needs: [],
  events: { own_note: { schema: z.object({ n: z.number() }), leaf: (_event, current) => current } },
  projections: { own_count: { over: "log", init: () => 0, update: (count) => count + 1 } },
  activate(ctx) {
    const timer = setInterval(() => kept.length, 1_000);
    ctx.subscribe(() => kept.length);
    return () => clearInterval(timer);
  },
  promptParts: () => [],
  onEvent(event) { return event.type === "note" ? kept.length : undefined; },
};`;

/** Runs the garbage collector. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

it("loading and unloading an extension a hundred times leaves no registration, handle or memory", async () => {
  const home = mkdtempSync(join(tmpdir(), "scorel-leaks-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const file = join(home, "own.ts");
  writeFileSync(file, source);
  await using t = await testKernel([notes]);
  mkdirSync(join(home, "jiti"));
  const load = createExtensionLoader({ folder: join(home, "jiti"), keyFile: join(home, "cache.key") });
  const collect = collector();
  const again = async () => {
    const plugin = await load({ id: "own", path: file, file, of: "user" });
    await t.kernel.load(contained(plugin, file, { file }));
    await t.session.append("note", { text: "x" });
    await t.kernel.drained();
    t.kernel.collect("promptParts" as never);
    await t.kernel.unload("own");
  };
  const hundred = async () => {
    for (let n = 0; n < 100; n++) await again();
    collect();
    const { heapUsed } = process.memoryUsage();
    return { heapUsed, census: t.kernel.census(), handles: process.getActiveResourcesInfo().sort() };
  };
  const first = await hundred();
  const second = await hundred();
  const third = await hundred();
  expect([second.census, second.handles]).toEqual([first.census, first.handles]);
  const perLoad = (third.heapUsed - first.heapUsed) / 200;
  // One instance's state is 80 KB, so a leak would have 200 of them.
  expect(perLoad).toBeLessThan(16_000);
  expect(t.kernel.failures).toEqual([]);
});
