import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { holderOf, isHeld, type Lock, takeLock, tryLock } from "../../../../plugins/kit/files/lock.ts";
import { ownIdentity } from "../../../../plugins/kit/process/identity.ts";

const MINUTE = { abandonedAfter: 60_000 };

describe("a lock", () => {
  it("is a file that only this user can read, and names its holder", () => {
    using place = folder();
    const lock = taken(place.lock);
    expect(statSync(place.lock).mode & 0o777).toBe(0o600);
    expect(holderOf(place.lock)).toMatchObject(ownIdentity());
    expect([lock.holds(), place.names()]).toEqual([true, ["file.lock"]]);
    lock.release();
    expect([lock.holds(), place.names()]).toEqual([false, []]);
  });

  it("is waited for as long as requested", async () => {
    using place = folder();
    const first = taken(place.lock);
    expect(await takeLock(place.lock, 50)).toBeUndefined();
    const second = takeLock(place.lock, 10_000);
    first.release();
    (await second)?.release();
    expect(place.names()).toEqual([]);
  });

  it("that another process took over is neither held nor removed by the first holder", () => {
    using place = folder();
    const first = taken(place.lock);
    writeFileSync(place.lock, holder({ nonce: "nonce000000000002" }));
    expect(first.holds()).toBe(false);
    first.release();
    expect(existsSync(place.lock)).toBe(true);
  });
});

describe("a lock that its holder left", () => {
  it.each([
    ["its process has ended", { pid: 2 ** 30 }],
    ["another process has its number by now", { start: "1" }],
    ["the machine was started again since", { boot: "00000000-0000-0000-0000-000000000000" }],
  ])("is taken over at once if %s", (_, change) => {
    using place = folder();
    writeFileSync(place.lock, holder(change));
    taken(place.lock).release();
    expect(place.names()).toEqual([]);
  });

  it.each([
    ["on another machine", { boot: "00000000-0000-0000-0000-000000000000", machine: "elsewhere" }],
    ["in another container", { space: "pid:[1]", pid: 2 ** 30 }],
    ["by a program that did not say when it started", { start: "", boot: "", space: "" }],
  ])("%s is kept forever, or until it counts as abandoned", (_, change) => {
    using place = folder();
    writeFileSync(place.lock, holder(change));
    expect(isFree(place.lock, MINUTE)).toBe(false);
    place.age(120);
    expect(isFree(place.lock)).toBe(false);
    expect(isFree(place.lock, MINUTE)).toBe(true);
  });

  it("is never taken from a process that certainly runs, however old it is", () => {
    using place = folder();
    taken(place.lock);
    place.age(3600);
    expect(isFree(place.lock, MINUTE)).toBe(false);
  });

  it.each(["", "{", "null", "[]", '"text"'])("with content %j is respected until it is certainly abandoned", (text) => {
    using place = folder();
    writeFileSync(place.lock, text);
    expect(isFree(place.lock)).toBe(false);
    place.age(10);
    expect([isFree(place.lock, MINUTE), isFree(place.lock)]).toEqual([false, true]);
    expect(readFileSync(place.lock, "utf8")).toBe(text);
    taken(place.lock).release();
    expect(place.names()).toEqual([]);
  });
});

/** Whether the lock is free, without taking it. */
function isFree(path: string, options = {}): boolean {
  const found = holderOf(path);
  return !found || !isHeld(path, found, options);
}

function taken(path: string): Lock {
  const lock = tryLock(path);
  if (!lock || !("release" in lock)) throw new Error("somebody else has the lock");
  return lock;
}

function holder(change: object): string {
  return JSON.stringify({ ...ownIdentity(), since: "2026-01-01T00:00:00.000Z", nonce: "nonce000000000001", ...change });
}

function folder() {
  const path = mkdtempSync(join(tmpdir(), "scorel-kit-"));
  const lock = join(path, "file.lock");
  return {
    lock,
    /** Sets the time of the lock file to this many seconds ago. */
    age: (seconds: number) => utimesSync(lock, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds),
    names: () => readdirSync(path),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
