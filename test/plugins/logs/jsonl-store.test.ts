import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { createKernel, type Kernel } from "@scorel/kernel";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scanHeader } from "../../../plugins/logs/header.ts";
import { createJsonlStore } from "../../../plugins/logs/jsonl-store.ts";
import { scanLog } from "../../../plugins/logs/scan.ts";
import { breakDevice, brokenDevices } from "../../broken-device.ts";
import { testHeader } from "../../harness.ts";
import { notes } from "../../kernel/notes.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "scorel-log-"));
  path = join(folder, "s.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (options: Parameters<typeof createJsonlStore>[1] = {}): Promise<Kernel> =>
  createKernel({ entries: [{ plugin: notes, origin: "test" }], store: createJsonlStore(path, options) });
/** A log with one note for each text. */
async function written(...texts: string[]): Promise<void> {
  const kernel = await open({ create: testHeader });
  for (const text of texts) await kernel.session.append("note", { text });
  await kernel.stop();
}
const texts = (kernel: Kernel) => kernel.session.buildContext();
const lines = () => readFileSync(path, "utf8").split("\n");
/** Replaces a line of the log, counted from 1, by other bytes. */
function damage(line: number, change: (text: string) => string): void {
  const all = readFileSync(path, "latin1").split("\n");
  all[line - 1] = change(all[line - 1] as string);
  writeFileSync(path, all.join("\n"), "latin1");
}
async function reopened() {
  const kernel = await open();
  const result = {
    context: texts(kernel),
    problems: kernel.problems.map(({ line, lost }) => ({ line, lost })),
    epoch: kernel.session.epoch,
  };
  await kernel.stop();
  return result;
}

describe("a JSONL log", () => {
  it("is created with its first event, readable only by its owner, and every line ends in the crc of its bytes", async () => {
    const kernel = await open({ create: testHeader });
    expect(existsSync(path)).toBe(false);
    await kernel.session.append("note", { text: "grüße 👋 \ud800" });
    await kernel.stop();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const [header, event, rest] = lines();
    for (const line of [header, event] as string[]) {
      const [, json, crc] = /^(.*),"crc":"([0-9a-f]{8})"\}$/.exec(line) as unknown as [string, string, string];
      expect(crc).toBe(crc32(`${json}}`).toString(16).padStart(8, "0"));
    }
    expect([JSON.parse(header as string), rest]).toEqual([
      { ...testHeader, checksum: "crc32", crc: expect.any(String) },
      "",
    ]);
  });

  it("gives the same context and continues counting when it is opened again", async () => {
    await written("a", "b");
    const kernel = await open();
    expect(texts(kernel)).toEqual(["a", "b"]);
    const { seq, parentId } = await kernel.session.append("note", { text: "c" });
    expect([seq, parentId]).toEqual([3, (JSON.parse(lines()[2] as string) as { id: string }).id]);
    await kernel.stop();
  });

  it("moves an incomplete last record away, never appends to it, and marks the loss with a new epoch", async () => {
    await written("a", "b");
    const whole = readFileSync(path);
    truncateSync(path, whole.length - 9);
    const torn = readFileSync(path).subarray(whole.lastIndexOf("\n", whole.length - 2) + 1);
    const first = await reopened();
    expect(first).toEqual({
      context: ["a"],
      problems: [{ line: 3, lost: true }],
      epoch: expect.not.stringMatching(testHeader.epoch),
    });
    expect(readFileSync(join(folder, "s.torn-1"))).toEqual(torn);
    expect(await reopened()).toEqual({ context: ["a"], problems: [], epoch: first.epoch });
  });

  it("keeps a last record that lacks only its newline", async () => {
    await written("a", "b");
    truncateSync(path, statSync(path).size - 1);
    const kernel = await open();
    await kernel.session.append("note", { text: "c" });
    expect([texts(kernel), kernel.problems]).toEqual([["a", "b", "c"], []]);
    await kernel.stop();
    expect(scanLog(path).problems).toEqual([]);
  });

  it.each<[string, (line: string) => string, { context: string[]; lost: boolean }]>([
    ["a flipped bit", (line) => line.replace('"text":"b"', '"text":"c"'), { context: ["a", "d"], lost: true }],
    ["a zeroed block", (line) => "\0".repeat(line.length), { context: ["a", "d"], lost: true }],
    ["an empty line before it", (line) => `\n${line}`, { context: ["a", "b", "d"], lost: false }],
    ["a carriage return after it", (line) => `${line}\r`, { context: ["a", "b", "d"], lost: false }],
    ["zeroed bytes before it", (line) => `\0\0\0${line}`, { context: ["a", "b", "d"], lost: false }],
    ["half a record before it", (line) => line.slice(0, 40) + line, { context: ["a", "b", "d"], lost: true }],
  ])(
    "locates %s in the middle, attaches later events to earlier ones, and keeps the rest",
    async (_what, change, { context, lost }) => {
      await written("a", "b", "d");
      damage(3, change);
      const before = readFileSync(path, "latin1");
      const result = await reopened();
      expect(result).toMatchObject({ context, problems: [{ line: 3, lost }] });
      expect(readFileSync(path, "latin1").startsWith(before)).toBe(true);
      const again = await reopened();
      expect([again.context, again.epoch]).toEqual([result.context, result.epoch]);
    },
  );

  it("attaches them to the path of the conversation at that time, not to abandoned branches", async () => {
    const kernel = await open({ create: testHeader });
    const { id: to } = await kernel.session.append("note", { text: "a" });
    await kernel.session.append("note", { text: "abandoned" });
    await kernel.session.append("jump", { to: to as string });
    await kernel.session.append("note", { text: "lost" });
    await kernel.session.append("note", { text: "b" });
    await kernel.stop();
    damage(5, (line) => line.replace("lost", "l\0st"));
    expect(await reopened()).toMatchObject({ context: ["a", "b"], problems: [{ line: 5, lost: true }] });
  });

  it("loses nothing if an editor changed all line ends to CRLF", async () => {
    await written("a", "b");
    writeFileSync(path, readFileSync(path, "latin1").replaceAll("\n", "\r\n"), "latin1");
    expect(await reopened()).toMatchObject({
      context: ["a", "b"],
      problems: [1, 2, 3].map((line) => ({ line, lost: false })),
      epoch: testHeader.epoch,
    });
  });

  it("reports how many bytes are lost", async () => {
    await written("a", "b");
    damage(2, (line) => `${line.slice(0, 30)}${line}`);
    const { problems } = await open({ readOnly: true });
    expect(problems).toEqual([
      { line: 2, offset: (lines()[0]?.length as number) + 1, reason: expect.stringContaining("30 bytes"), lost: true },
    ]);
  });

  it("reads two records on one line", async () => {
    await written("a", "b", "c");
    const all = lines();
    writeFileSync(path, [all[0], `${all[1]}${all[2]}`, all[3], ""].join("\n"));
    expect(await reopened()).toMatchObject({ context: ["a", "b", "c"], problems: [{ line: 2, lost: false }] });
  });

  it("accepts a log without checksums and reports it", async () => {
    const { checksum: _none, ...header } = testHeader;
    const event = {
      type: "note",
      id: "plain0001",
      parentId: null,
      seq: 1,
      sessionId: header.sessionId,
      clientId: "x",
      ts: 1,
      text: "a",
    };
    writeFileSync(path, `${JSON.stringify(header)}\n${JSON.stringify(event)}\n`);
    expect(await reopened()).toMatchObject({ context: ["a"], problems: [{ line: 1, lost: false }] });
  });

  it.each<[string, (line: string) => string]>([
    ["is another", (line) => line.replace('"createdAt":0', '"createdAt":1')],
    ["is not JSON any more", (line) => line.replace('"version":1', '"version:1')],
  ])("whose header %s is opened for reading only, with the session that can be recognized", async (_what, change) => {
    await written("a", "b");
    damage(1, change);
    const before = readFileSync(path);
    const kernel = await open();
    expect(kernel.session.header).toMatchObject({ version: 1, sessionId: testHeader.sessionId });
    expect([texts(kernel), kernel.problems]).toEqual([
      ["a", "b"],
      [{ line: 1, offset: 0, reason: expect.stringContaining("checksum"), lost: true }],
    ]);
    await expect(kernel.session.append("note", { text: "c" })).rejects.toMatchObject({
      code: "STORE_READ_ONLY",
      message: expect.stringContaining("header fails its checksum"),
    });
    await kernel.stop();
    expect(readFileSync(path)).toEqual(before);
  });

  it("damaged twice at its end loses only the damaged bytes", async () => {
    await written("a", "b", "c");
    const whole = readFileSync(path);
    // The newline between the last two records, and bytes at the end.
    const newline = whole.lastIndexOf(10, whole.length - 2);
    whole[newline] = 11;
    writeFileSync(path, whole.subarray(0, -5));
    expect(await reopened()).toMatchObject({ context: ["a", "b"], problems: [{ line: 3, lost: true }] });
    expect(readFileSync(join(folder, "s.torn-1"))).toEqual(whole.subarray(newline, -5));
    const kernel = await open();
    await kernel.session.append("note", { text: "d" });
    expect([texts(kernel), kernel.problems]).toEqual([["a", "b", "d"], []]);
    await kernel.stop();
    expect(scanLog(path).problems).toEqual([]);
  });

  it("keeps a complete last record without newline that follows damage on its line", async () => {
    await written("a", "b", "c");
    damage(3, (line) => line.replace('"text":"b"', '"text":"x"'));
    const bytes = readFileSync(path);
    bytes[bytes.lastIndexOf(10, bytes.length - 2)] = 11;
    writeFileSync(path, bytes.subarray(0, -1));
    expect(await reopened()).toMatchObject({ context: ["a", "c"], problems: [{ line: 3, lost: true }] });
    expect(readdirSync(folder)).toEqual(["s.jsonl"]);
  });

  it("of a newer format is opened for reading only", async () => {
    writeFileSync(path, `${JSON.stringify({ ...testHeader, version: 99 })}\n`);
    const kernel = await open();
    expect(kernel.readOnly).toMatch(/newer/);
    await expect(kernel.session.append("note", { text: "a" })).rejects.toMatchObject({ code: "STORE_READ_ONLY" });
    await kernel.stop();
  });

  it.each([
    ["empty", ""],
    ["no log", "hello\nworld\n"],
  ])("is refused if the file is %s, and the file is unchanged", async (_what, content) => {
    writeFileSync(path, content);
    await expect(open()).rejects.toMatchObject({ code: "STORE_HEADER" });
    expect(readFileSync(path, "utf8")).toBe(content);
    expect(readdirSync(folder)).toEqual(["s.jsonl"]);
  });

  it("reports why it cannot be read, and is unchanged", async () => {
    await expect(open()).rejects.toMatchObject({ code: "STORE_READ", data: { path, reason: "ENOENT" } });
    mkdirSync(path);
    await expect(open()).rejects.toMatchObject({ code: "STORE_READ", data: { path, reason: "EISDIR" } });
    rmdirSync(path);
    execFileSync("mkfifo", [path]);
    await expect(open()).rejects.toMatchObject({ code: "STORE_READ", data: { path, reason: "it is not a file" } });
    expect(() => scanHeader(path)).toThrow(/it is not a file/);
  });

  it("opened for reading changes nothing, not even an incomplete last record", async () => {
    await written("a");
    appendFileSync(path, '{"type":"no');
    const before = readFileSync(path);
    const kernel = await open({ readOnly: true });
    expect(texts(kernel)).toEqual(["a"]);
    await kernel.stop();
    expect([readFileSync(path), readdirSync(folder)]).toEqual([before, ["s.jsonl"]]);
  });
});

describe("a long JSONL log of which only the end is read", () => {
  const many = Array.from({ length: 30 }, (_, n) => `${n} ${"x".repeat(50_000)}`);
  const end = { readOnly: true, tail: 300_000 };
  const first = ({ session }: Kernel) => [...session.tree].map((event) => Number.parseInt((event as any).text, 10))[0];

  it("has its last events, and reads no others", async () => {
    await written(...many);
    const kernel = await open(end);
    const { tree, activeLeaf } = kernel.session;
    expect([...tree.way(activeLeaf as string, 3)]).toEqual(scanLog(path).events.slice(-3));
    expect([tree.size, first(kernel), tree.lostJumps]).toEqual([5, 25, 0]);
    await kernel.stop();
  });

  it("reports that a rewind leads to an event before that part", async () => {
    await written(...many);
    const writer = await open();
    await writer.session.append("jump", { to: writer.session.tree.root?.id as string });
    await writer.stop();
    const kernel = await open(end);
    expect(kernel.session.tree.lostJumps).toBe(1);
    await kernel.stop();
  });

  it("is read completely if it is hardly longer", async () => {
    await written(...many.slice(0, 10));
    const kernel = await open(end);
    expect(texts(kernel)).toHaveLength(10);
    await kernel.stop();
  });
});

describe("a JSONL log whose file is deleted or moved while it is open", () => {
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  it.each([
    ["deleted", () => rmSync(path)],
    [
      "replaced by a copy",
      () => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
  ])("accepts no event when it was %s, and tells where its bytes still are", async (_how, takeAway) => {
    const kernel = await open({ create: testHeader });
    await kernel.session.append("note", { text: "a" });
    const whole = readFileSync(path);
    takeAway();
    await nextTurn();
    const copy = process.platform === "linux" ? { copy: expect.stringMatching(/^\/proc\/\d+\/fd\/\d+$/) } : {};
    const refused = await kernel.session.append("note", { text: "b" }).catch((thrown) => thrown);
    expect(refused).toMatchObject({ code: "STORE_GONE", data: { path, ...copy } });
    if (refused.data.copy) expect(readFileSync(refused.data.copy)).toEqual(whole);
    expect([texts(kernel), kernel.session.seq]).toEqual([["a"], 2]);
    await kernel.stop();
  });

  it("reports no event as safe if the file was deleted in the turn of the event loop that wrote it", async () => {
    const kernel = await open({ create: testHeader });
    await kernel.session.append("note", { text: "a" });
    await kernel.session.synced();
    await nextTurn();
    void kernel.session.append("note", { text: "b" });
    rmSync(path);
    await kernel.session.append("note", { text: "c" });
    await expect(kernel.session.synced()).rejects.toMatchObject({ code: "STORE_GONE", data: { path } });
    await expect(kernel.session.append("note", { text: "d" })).rejects.toMatchObject({ code: "STORE_GONE" });
    await expect(kernel.stop()).rejects.toMatchObject({ code: "STORE_GONE" });
  });

  it("accepts no event while it is moved away, tells where to, and continues when it is back", async () => {
    const kernel = await open({ create: testHeader });
    await kernel.session.append("note", { text: "a" });
    renameSync(path, `${path}.away`);
    await nextTurn();
    const to = process.platform === "linux" ? { to: `${path}.away` } : {};
    await expect(kernel.session.append("note", { text: "b" })).rejects.toMatchObject({
      code: "STORE_MOVED",
      data: { path, ...to },
    });
    renameSync(`${path}.away`, path);
    await kernel.session.append("note", { text: "c" });
    await kernel.stop();
    expect(await reopened()).toMatchObject({ context: ["a", "c"], problems: [] });
  });

  it("accepts no event if another file took its place while its own was only moved", async () => {
    const kernel = await open({ create: testHeader });
    await kernel.session.append("note", { text: "a" });
    renameSync(path, `${path}.away`);
    copyFileSync(`${path}.away`, path);
    await nextTurn();
    await expect(kernel.session.append("note", { text: "b" })).rejects.toMatchObject({ code: "STORE_MOVED" });
    await kernel.stop();
    expect(readFileSync(path)).toEqual(readFileSync(`${path}.away`));
  });

  it.each([
    ["cut to nothing", () => 0],
    ["cut within its last record", (size: number) => size - 5],
    ["cut behind its header", () => readFileSync(path).indexOf(10) + 1],
  ])("accepts no event when it was %s, and does not make it longer", async (_how, cut) => {
    const kernel = await open({ create: testHeader });
    for (const text of ["a", "b"]) await kernel.session.append("note", { text });
    const { size } = statSync(path);
    truncateSync(path, cut(size));
    await nextTurn();
    const changed = { code: "STORE_CHANGED", data: { path, bytes: cut(size) - size } };
    await expect(kernel.session.append("note", { text: "c" })).rejects.toMatchObject(changed);
    expect(texts(kernel)).toEqual(["a", "b"]);
    // It cannot claim that its earlier writes are on disk.
    await expect(kernel.stop()).rejects.toMatchObject(changed);
    expect(statSync(path).size).toBe(cut(size));
  });

  it("reports no event as safe if the log was truncated in the turn of the event loop that wrote it", async () => {
    const kernel = await open({ create: testHeader });
    await kernel.session.append("note", { text: "a" });
    await kernel.session.synced();
    await nextTurn();
    void kernel.session.append("note", { text: "b" });
    truncateSync(path, 20);
    await kernel.session.append("note", { text: "c" });
    await expect(kernel.session.synced()).rejects.toMatchObject({ code: "STORE_CHANGED" });
    await expect(kernel.stop()).rejects.toMatchObject({ code: "STORE_CHANGED" });
  });

  it("accepts no event after another program has written to it", async () => {
    const kernel = await open({ create: testHeader });
    await kernel.session.append("note", { text: "a" });
    appendFileSync(path, "x\n");
    await nextTurn();
    await expect(kernel.session.append("note", { text: "b" })).rejects.toMatchObject({
      code: "STORE_CHANGED",
      message: expect.stringContaining("wrote 2 bytes"),
    });
    await expect(kernel.stop()).rejects.toMatchObject({ code: "STORE_CHANGED" });
  });

  it("tells all listeners that it cannot be written", async () => {
    const kernel = await open({ create: testHeader });
    const heard: unknown[] = [];
    kernel.subscribe((event) => void heard.push(event));
    await kernel.session.append("note", { text: "a" });
    truncateSync(path, 20);
    await nextTurn();
    await kernel.session.append("note", { text: "b" }).catch(() => {});
    await kernel.drained();
    expect(heard.at(-1)).toMatchObject({ type: "storage_status", error: expect.stringContaining("lost its last") });
    await expect(kernel.stop()).rejects.toMatchObject({ code: "STORE_CHANGED" });
  });
});

describe("a JSONL log on a failing disk", () => {
  it.each(Object.entries(brokenDevices))(
    "reports the disk's error %s, and continues when the disk works again",
    async (reason, device) => {
      const kernel = await open({ create: testHeader });
      await kernel.session.append("note", { text: "a" });
      const heard: unknown[] = [];
      kernel.subscribe((event) => void heard.push(event));
      const repair = breakDevice(path, device);
      for (const text of ["b", "c"])
        await expect(kernel.session.append("note", { text })).rejects.toMatchObject({
          code: "STORE_WRITE",
          data: { path },
        });
      repair();
      const { seq } = await kernel.session.append("note", { text: "d" });
      expect(seq).toBe(4);
      await kernel.drained();
      expect(heard).toEqual([
        expect.objectContaining({ type: "storage_status", error: expect.stringContaining(reason) }),
        expect.objectContaining({ type: "storage_status", error: expect.stringContaining(path) }),
        expect.objectContaining({ type: "note", text: "d" }),
        expect.not.objectContaining({ error: expect.anything() }),
      ]);
      await kernel.stop();
      expect(await reopened()).toMatchObject({ context: ["a", "d"], problems: [] });
    },
  );

  it.each(Object.values(brokenDevices))("distinguishes written from safe on %s, and tries again", async (device) => {
    const kernel = await open({ create: testHeader });
    await kernel.session.append("note", { text: "a" });
    const repair = breakDevice(path, device);
    await expect(kernel.session.synced()).rejects.toMatchObject({
      code: "STORE_SYNC",
      data: { path, reason: "EINVAL" },
    });
    expect(texts(kernel)).toEqual(["a"]);
    repair();
    await kernel.session.synced();
    await kernel.stop();
  });

  it("does not overwrite an existing file, and continues when the name is free", async () => {
    const kernel = await open({ create: testHeader });
    mkdirSync(path);
    await expect(kernel.session.append("note", { text: "a" })).rejects.toMatchObject({ code: "STORE_WRITE" });
    rmdirSync(path);
    await kernel.session.append("note", { text: "b" });
    await kernel.stop();
    expect(await reopened()).toMatchObject({ context: ["b"], problems: [] });
  });
});
