import { createHash } from "node:crypto";
import defaultFs, * as fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import blobs from "@scorel/blobs";
import type { BlobStore } from "@scorel/blobs/contract";
import { describe, expect, it, vi } from "vitest";
import { createBlobs } from "../../plugins/blobs/store.ts";
import { ownIdentity } from "../../plugins/kit/process/identity.ts";
import { testHome, testHost } from "./host/home.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const HOUR = 60 * 60 * 1000;

/** A home with the blob store of a session's plugins. */
async function open() {
  const home = testHome();
  const host = await testHost([], [], [blobs]);
  const store = host.kernel.find("blobs") as BlobStore;
  const folder = join(home.home, ".scorel/blobs");
  const path = (text: string) => join(folder, hash(text).slice(0, 2), hash(text));
  const file = (name: string, text: string) => {
    const at = join(home.home, ".scorel", name);
    fs.mkdirSync(dirname(at), { recursive: true });
    fs.writeFileSync(at, text);
    return at;
  };
  const old = (at: string, hours = 2) => fs.utimesSync(at, new Date(), new Date(Date.now() - hours * HOUR));
  return {
    store,
    path,
    file,
    old,
    /** Stores a text, with an old file time. */
    keep: (text: string) => {
      store.put(Buffer.from(text));
      old(path(text), 5);
    },
    purge: () => host.client.request("purge_blobs", {}),
    kept: (...texts: string[]) => texts.filter((text) => store.has(hash(text))),
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** The contents of the files that are synced during `work`. */
function syncedDuring(work: () => void): string[] {
  const found: string[] = [];
  const { fsyncSync } = defaultFs;
  const spy = vi.spyOn(defaultFs, "fsyncSync").mockImplementation((fd) => {
    const bytes = Buffer.alloc(fs.fstatSync(fd).size);
    // A blob that is being written can only be written.
    found.push(attempt(() => bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, 0)).toString()) ?? "new");
    fsyncSync(fd);
  });
  syncBuiltinESMExports();
  work();
  spy.mockRestore();
  syncBuiltinESMExports();
  return found;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

describe("a blob", () => {
  it("stores a content exactly, even keys, readable only by its user", async () => {
    await using t = await open();
    t.keep("KEY=sk-0123456789");
    const modes = [dirname(t.path("KEY=sk-0123456789")), t.path("KEY=sk-0123456789")].map(
      (path) => fs.statSync(path).mode,
    );
    expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(["700", "600"]);
    expect(fs.readFileSync(t.path("KEY=sk-0123456789"), "utf8")).toBe("KEY=sk-0123456789");
  });

  it("is synced when it must be durable, once, also if it exists already", async () => {
    await using t = await open();
    const durable = { durable: true };
    const put = (text: string, options = {}) => syncedDuring(() => t.store.put(Buffer.from(text), options));
    t.store.put(Buffer.from("old"));
    expect([put("old"), put("old", durable), put("old", durable)]).toEqual([[], ["old"], []]);
    expect([put("fresh", durable), put("fresh", durable)]).toEqual([["new"], []]);
    fs.rmSync(t.path("fresh"));
    expect([put("fresh"), put("fresh", durable)]).toEqual([[], ["fresh"]]);
  });

  it("is identified by the hash of its content", async () => {
    await using t = await open();
    expect(t.store.put(Buffer.from("one"))).toBe(hash("one"));
    expect(t.store.read(hash("one"))).toEqual(Buffer.from("one"));
    expect(t.store.read(hash("two"))).toBeUndefined();
    expect([t.store.has("../../etc"), t.store.read("../../etc")]).toEqual([false, undefined]);
  });

  it("is written once, and its time is renewed when it is stored again", async () => {
    await using t = await open();
    t.keep("one");
    const { ino } = fs.statSync(t.path("one"));
    t.store.put(Buffer.from("one"));
    const now = fs.statSync(t.path("one"));
    expect([now.ino, Date.now() - now.mtimeMs < HOUR]).toEqual([ino, true]);
  });

  it("that was damaged is not returned, and one that was truncated is written again", async () => {
    await using t = await open();
    t.keep("one");
    fs.writeFileSync(t.path("one"), "two");
    expect(() => t.store.read(hash("one"))).toThrow(expect.objectContaining({ code: "BLOB_DAMAGED" }));
    fs.writeFileSync(t.path("one"), "");
    t.store.put(Buffer.from("one"));
    expect(t.store.read(hash("one"))).toEqual(Buffer.from("one"));
  });

  it("that was damaged without changing its size is written again when a later process stores its content", async () => {
    await using t = await open();
    const folder = dirname(dirname(t.path("content")));
    fs.mkdirSync(dirname(t.path("content")), { recursive: true });
    fs.writeFileSync(t.path("content"), "c0ntent");
    createBlobs(folder).put(Buffer.from("content"));
    expect(t.store.read(hash("content"))).toEqual(Buffer.from("content"));
  });

  it("that cannot be written throws an error", async () => {
    await using t = await open();
    t.file("blobs", "a file in the folder's place");
    expect(() => t.store.put(Buffer.from("one"))).toThrow(expect.objectContaining({ code: "BLOB_WRITE" }));
  });
});

describe("a purge", () => {
  const event = (text: string) => JSON.stringify({ files: [{ before: { sha256: hash(text) } }] });

  it("removes blobs that no session refers to, including sessions in the trash", async () => {
    await using t = await open();
    for (const text of ["live", "trashed", "torn", "gone", "gone too"]) t.keep(text);
    t.file("sessions/s1.jsonl", `${"x".repeat(1024 * 1024 - 40)}${event("live")}\n`);
    t.file("trash/s2/s2.jsonl", event("trashed"));
    t.file("sessions/s1.torn-1", event("torn"));
    expect(await t.purge()).toEqual({ removed: 2, bytes: 12, kept: 3 });
    expect(t.kept("live", "trashed", "torn", "gone", "gone too")).toEqual(["live", "trashed", "torn"]);
  });

  it("keeps the blobs of a session whose log is a link to a file", async () => {
    await using t = await open();
    for (const text of ["live", "gone"]) t.keep(text);
    const log = t.file("sessions/s1.jsonl", "");
    fs.rmSync(log);
    fs.symlinkSync(t.file("elsewhere/s1.jsonl", event("live")), log);
    for (const [name, target] of [
      ["loop.jsonl", "loop.jsonl"],
      ["s2.jsonl", "missing"],
    ] as const)
      fs.symlinkSync(target, join(dirname(log), name));
    expect(await t.purge()).toEqual({ removed: 1, bytes: 4, kept: 1 });
    expect(t.kept("live", "gone")).toEqual(["live"]);
  });

  it("keeps the blobs of a session that another process moves into the trash or out of it meanwhile", async () => {
    await using t = await open();
    const places = ["sessions/s1.jsonl", "sessions/s2.jsonl", "trash/s3.jsonl"];
    const logs = places.map((place) => t.file(place, event(place)));
    for (const place of places) t.keep(place);
    const elsewhere = (log: string) =>
      log.replace(/(sessions|trash)(?=.{9}$)/, (from) => (from === "trash" ? "sessions" : "trash"));
    const { openSync } = defaultFs;
    const spy = vi.spyOn(defaultFs, "openSync").mockImplementation((path, ...more) => {
      spy.mockRestore();
      syncBuiltinESMExports();
      for (const log of logs) if (log !== path) fs.renameSync(log, elsewhere(log));
      return openSync(path, ...more);
    });
    syncBuiltinESMExports();
    await t.purge();
    expect(t.kept(...places)).toEqual(places);
  });

  it("keeps blobs of a list while something refers to the list", async () => {
    await using t = await open();
    for (const text of ["in", "deep", "no list"]) t.keep(text);
    const inner = t.store.putList({ files: [{ sha256: hash("deep") }] });
    const outer = t.store.putList({ files: [{ sha256: hash("in") }, { sha256: inner }] });
    t.keep(JSON.stringify({ "other-list": { sha256: hash("no list") } }));
    expect([t.store.readList(outer), t.store.readList(hash("in"))]).toEqual([
      { files: [{ sha256: hash("in") }, { sha256: inner }] },
      undefined,
    ]);
    t.file("sessions/s1.jsonl", JSON.stringify({ sha256: outer }));
    expect(await t.purge()).toMatchObject({ removed: 2, kept: 4 });
    expect(t.kept("in", "deep", "no list")).toEqual(["in", "deep"]);
    t.file("sessions/s1.jsonl", "");
    for (const list of [inner, outer]) t.old(t.path("").replace(/..\/[0-9a-f]{64}$/, `${list.slice(0, 2)}/${list}`), 5);
    expect(await t.purge()).toMatchObject({ removed: 4, kept: 0 });
  });

  it("keeps a blob whose hash is the value of any field, and not one that a text only mentions", async () => {
    await using t = await open();
    for (const text of ["named", "listed", "mentioned"]) t.keep(text);
    const list = t.store.putList({ files: hash("listed") });
    t.file("sessions/s1.jsonl", JSON.stringify({ content: hash("named"), list, text: `It is ${hash("mentioned")}.` }));
    await t.purge();
    expect(t.kept("named", "listed", "mentioned")).toEqual(["named", "listed"]);
  });

  it("lets other work go on", async () => {
    await using t = await open();
    for (let at = 0; at < 20; at++) t.file(`sessions/s${at}.jsonl`, `"${hash(String(at))}"`.repeat(20_000));
    let turns = 0;
    const counting = setInterval(() => turns++);
    await t.purge();
    clearInterval(counting);
    expect(turns).toBeGreaterThan(3);
  });

  it("never removes recent blobs, whose event may be about to be written", async () => {
    await using t = await open();
    t.store.put(Buffer.from("new"));
    t.keep("again");
    t.store.put(Buffer.from("again"));
    expect(await t.purge()).toMatchObject({ removed: 0, kept: 2 });
  });

  it("never removes blobs that an open session may have stored and not yet referred to", async () => {
    await using t = await open();
    const lock = t.file("sessions/s1.lock", JSON.stringify({ pid: process.pid }));
    t.old(lock, 10);
    t.keep("held");
    expect(await t.purge()).toMatchObject({ removed: 0 });
    // A process that cannot be seen from here, since it runs in another container.
    fs.writeFileSync(lock, JSON.stringify({ ...ownIdentity(), pid: 2 ** 22 - 1, space: "pid:[1]" }));
    t.old(lock, 10);
    expect(await t.purge()).toMatchObject({ removed: 0 });
    fs.writeFileSync(lock, JSON.stringify({ ...ownIdentity(), pid: 2 ** 22 - 1 }));
    t.old(lock, 10);
    expect(await t.purge()).toMatchObject({ removed: 1 });
  });

  it("removes unfinished blobs that a killed process left", async () => {
    await using t = await open();
    const left = t.file(`blobs/ab/${hash("x")}.id.tmp`, "half");
    t.old(left);
    expect(await t.purge()).toEqual({ removed: 1, bytes: 4, kept: 0 });
  });

  it("removes nothing if it cannot read what sessions refer to", async () => {
    await using t = await open();
    t.keep("gone");
    t.file("trash", "a file in the folder's place");
    await expect(t.purge()).rejects.toMatchObject({ code: "BLOBS_UNREADABLE" });
    expect(t.kept("gone")).toEqual(["gone"]);
  });
});
