import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel, definePlugin, type EventId, type Kernel, type StoredEvent } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createJsonlStore } from "../../../plugins/logs/jsonl-store.ts";
import { scanLog } from "../../../plugins/logs/scan.ts";
import { testHeader } from "../../harness.ts";
import { notes } from "../../kernel/notes.ts";
import { fc, seed } from "../../property.ts";

declare module "@scorel/kernel" {
  interface Projections {
    asides: readonly string[];
    noted: readonly string[];
    marked: readonly string[];
  }
}

const text = (event: StoredEvent) => (event as StoredEvent & { text: string }).text;
/** How often each projection received an event. */
let shown: Record<string, number> = {};
const texts = (name: string) => (state: string[], event: StoredEvent) => {
  shown[name] = (shown[name] ?? 0) + 1;
  return event.type === "jump" ? state : [...state, text(event)];
};
const probe = (version: string, side = false) =>
  definePlugin({
    id: "probe",
    name: "Probe",
    version,
    events: side ? { later: { schema: notes.events?.note?.schema as never, leaf: (_e, current) => current } } : {},
    projections: {
      asides: { over: "log", reads: ["aside"], init: () => [], update: texts("asides") },
      noted: { over: "path", reads: ["note"], init: () => [], update: texts("noted") },
      marked: {
        over: "log",
        reads: [{ type: "note", containing: "*" }],
        init: () => [],
        update: (state: string[], event: StoredEvent) =>
          event.type === "note" && text(event).includes("*") ? texts("marked")(state, event) : state,
      },
    },
  });

let folder: string;
let path: string;
let index: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "scorel-index-"));
  path = join(folder, "s.jsonl");
  index = join(folder, "s.index");
  shown = {};
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Options = Parameters<typeof createJsonlStore>[1] & { version?: string };
const open = ({ version = "1.0.0", ...options }: Options = {}): Promise<Kernel> =>
  createKernel({
    entries: [notes, probe(version)].map((plugin) => ({ plugin, origin: "test" })),
    store: createJsonlStore(path, { index, indexFrom: 1, ...options }),
  });
/** A kernel with the same events in memory. */
const reference = (): Promise<Kernel> =>
  createKernel({
    entries: [notes, probe("1.0.0")].map((plugin) => ({ plugin, origin: "test" })),
    store: createMemoryStore(testHeader, scanLog(path).events),
  });
async function written(...all: string[]): Promise<void> {
  const kernel = await open({ create: testHeader });
  for (const one of all) await kernel.session.append("note", { text: one });
  await kernel.stop();
}
function stateOf({ session }: Kernel) {
  const { tree } = session;
  const ids = [...tree].map(({ id }) => id);
  return {
    events: [...tree],
    leaf: session.activeLeaf,
    seq: session.seq,
    epoch: session.epoch,
    root: tree.root?.id,
    leaves: tree.leaves(),
    branchPoints: tree.branchPoints(),
    children: ids.map((id) => tree.children(id).map((child) => child.id)),
    parents: ids.map((id) => [tree.parent(id)?.id, tree.isPath(id), tree.isBridged(id)]),
    contexts: tree.leaves().map(({ id }) => session.buildContext(id)),
    tail: tree.tail(3),
    way: ids.map((id) => [...tree.way(id, 2)].map((event) => event.id)),
    ways: ids.every((id) => JSON.stringify([...tree.way(id)]) === JSON.stringify(tree.path(id))),
    projections: (["asides", "noted", "marked"] as const).map((name) => session.projection(name)),
  };
}
/** The state of a log, and the number of records that were read to compute it. */
async function looked(options: Options = {}) {
  const kernel = await open({ readOnly: true, ...options });
  const state = stateOf(kernel);
  await kernel.stop();
  return state;
}
async function expected() {
  const kernel = await reference();
  const state = stateOf(kernel);
  await kernel.stop();
  return state;
}

type Step = { do: "note" | "aside" | "marked" } | { do: "jump" | "under"; at: number } | { do: "reopen" | "kill" };
const at = fc.nat(40);
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("note", "aside", "marked") }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("jump", "under"), at }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("reopen", "kill") }) },
  ) as fc.Arbitrary<Step>,
  { minLength: 1, maxLength: 40 },
);

/** Applies the steps to a log with an index. A killed process does not close the log. */
async function play(taken: readonly Step[]): Promise<void> {
  let kernel = await open({ create: testHeader });
  const left: Kernel[] = [];
  const ids: EventId[] = [];
  const add = async (adding: Promise<{ id?: EventId }>) => void ids.push((await adding).id as EventId);
  await add(kernel.session.append("note", { text: "first" }));
  for (const [n, step] of taken.entries()) {
    const { session } = kernel;
    const target = "at" in step ? (ids[step.at % ids.length] as EventId) : "";
    if (step.do === "note") await add(session.append("note", { text: `${n}` }));
    else if (step.do === "marked") await add(session.append("note", { text: `${n} *` }));
    else if (step.do === "aside") await add(session.append("aside", { text: `${n}` }));
    else if (step.do === "under") await add(session.append("note", { text: `${n}` }, { parentId: target }));
    else if (step.do === "jump")
      await session.append("jump", { to: target }).then(
        () => {},
        () => {},
      );
    else {
      if (step.do === "reopen") await kernel.stop();
      else left.push(kernel);
      kernel = await open();
    }
  }
  await kernel.stop();
  // Each opening finds what the later steps wrote.
  for (const killed of left) await killed.stop().catch(() => {});
}

describe("a log with an index", () => {
  it(`has the same state as without, whatever was done in between (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom("whole", "none", "cut", "flipped"), at, async (taken, how, n) => {
        rmSync(path, { force: true });
        rmSync(index, { force: true });
        await play(taken);
        if (how === "none") rmSync(index, { force: true });
        if (how === "cut" && existsSync(index)) truncateSync(index, Math.floor((statSync(index).size * n) / 41));
        if (how === "flipped" && existsSync(index)) flip(index, (statSync(index).size * n) / 41);
        expect(await looked()).toEqual(await expected());
      }),
      { seed, numRuns: 300 },
    );
  }, 60_000);

  it("is opened without reading its records again; only later ones are replayed", async () => {
    await written("a", "b *", "c");
    const before = await looked();
    shown = {};
    const kernel = await open();
    await kernel.session.append("note", { text: "d" });
    expect(kernel.session.projection("noted")).toEqual(["a", "b *", "c", "d"]);
    await kernel.stop();
    expect(shown).toEqual({ noted: 1 });
    shown = {};
    const again = await open();
    expect([again.session.projection("noted"), shown]).toEqual([["a", "b *", "c", "d"], {}]);
    await again.stop();
    expect(before.events).toHaveLength(3);
  });

  it("has one only from a certain size on", async () => {
    const kernel = await open({ create: testHeader, indexFrom: 600 });
    await kernel.session.append("note", { text: "a" });
    await kernel.stop();
    expect(existsSync(index)).toBe(false);
    const more = await open({ indexFrom: 600 });
    await more.session.append("note", { text: "b".repeat(600) });
    await more.stop();
    expect(statSync(index).mode & 0o777).toBe(0o600);
  });

  it("gets one at the next opening if the process that wrote it was killed", async () => {
    const killed = await open({ create: testHeader });
    await killed.session.append("note", { text: "a" });
    expect(existsSync(index)).toBe(false);
    const kernel = await open();
    expect(existsSync(index)).toBe(true);
    await Promise.all([kernel.stop(), killed.stop()]);
  });

  it("replays a projection with a new version, and links again if a type has a new owner", async () => {
    await written("a", "b");
    await (await open()).stop();
    const { projections } = await looked({ version: "2.0.0" });
    expect(projections).toEqual([[], ["a", "b"], []]);
    const later = (plugin: ReturnType<typeof probe>) =>
      createKernel({
        entries: [notes, plugin].map((one) => ({ plugin: one, origin: "test" })),
        store: createJsonlStore(path, { index, indexFrom: 1 }),
      });
    const with_ = await later(probe("1.0.0", true));
    await with_.session.append("later" as never, { text: "c" } as never);
    const leaf = with_.session.activeLeaf;
    await with_.stop();
    const without = await later(probe("1.0.0"));
    expect(without.session.activeLeaf).toBe(without.session.tree.last?.id);
    expect(without.session.tree.parent(without.session.activeLeaf as string)?.id).toBe(leaf);
    await without.stop();
  });

  it("is read without its index if it is another file, was changed, or has another end", async () => {
    await written("a", "b", "c");
    const whole = readFileSync(path, "latin1");
    const changes: [string, () => void][] = [
      ["another file", () => renameSync(copied(whole.replace('"text":"a"', '"text":"x"')), path)],
      ["changed in place", () => writeFileSync(path, whole.replace('"text":"a"', '"text":"x"'), "latin1")],
      ["shorter", () => truncateSync(path, whole.indexOf("\n", whole.indexOf('"text":"b"')) + 1)],
    ];
    for (const [what, change] of changes) {
      change();
      const kernel = await open({ readOnly: true });
      const left = [...kernel.session.tree].map(text);
      expect({ what, left, lost: kernel.problems.length }).toEqual({
        what,
        left: what === "shorter" ? ["a", "b"] : ["b", "c"],
        lost: what === "shorter" ? 0 : 1,
      });
      writeFileSync(path, whole, "latin1");
      await kernel.stop();
    }
  });
});

describe("a record that is damaged after it was indexed", () => {
  it("is the only one lost, is reported with its line when it is read, and is found by the next opening", async () => {
    await written("a", "b", "c");
    const { mtimeMs } = statSync(path);
    const bytes = readFileSync(path);
    const place = scanLog(path).places[1] as { line: number; offset: number };
    bytes[bytes.indexOf('"text":"b"') + 8] = 120;
    writeFileSync(path, bytes);
    utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
    // File times are more precise than a number of seconds, and the index must contain exactly this time.
    const kernel = await open();
    expect(kernel.problems).toHaveLength(statSync(path).mtimeMs === mtimeMs ? 0 : 1);
    expect(kernel.session.buildContext()).toEqual(["a", "c"]);
    await kernel.session.append("note", { text: "d" });
    expect(kernel.session.buildContext()).toEqual(["a", "c", "d"]);
    expect(kernel.session.tree.size).toBeGreaterThanOrEqual(3);
    expect(kernel.problems).toEqual([{ ...place, reason: expect.stringContaining("checksum"), lost: true }]);
    await kernel.stop();
    const next = await open();
    expect(next.problems).toEqual([{ ...place, reason: expect.stringContaining("checksum"), lost: true }]);
    expect(next.session.epoch).not.toBe(testHeader.epoch);
    await next.stop();
  });

  it("while the log is open is reported to listeners, and nothing throws", async () => {
    await written("a", "b", "c");
    const kernel = await open();
    const heard: unknown[] = [];
    kernel.subscribe((event) => void heard.push(event));
    const bytes = readFileSync(path);
    bytes[bytes.indexOf('"text":"c"') + 8] = 120;
    writeFileSync(path, bytes);
    expect(kernel.session.buildContext()).toEqual(["a", "b"]);
    const { parentId } = await kernel.session.append("note", { text: "d" });
    expect(kernel.session.tree.has(parentId as string)).toBe(true);
    expect(kernel.session.buildContext()).toEqual(["a", "b", "d"]);
    await kernel.drained();
    expect(heard[0]).toMatchObject({
      type: "plugin_failure",
      code: "LOG_DAMAGED",
      message: expect.stringContaining("line 4"),
    });
    await kernel.stop();
    expect(existsSync(index)).toBe(false);
  });
});

function copied(content: string): string {
  writeFileSync(`${path}.copy`, content, "latin1");
  return `${path}.copy`;
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  const place = Math.floor(at) % bytes.length;
  bytes[place] = (bytes[place] as number) ^ 1;
  writeFileSync(file, bytes);
}
