import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acquireLock, isLocked } from "../../../plugins/host/storage/lock.ts";
import { ownIdentity } from "../../../plugins/kit/process/identity.ts";
import { type SecondProcess, secondProcess } from "../../second-process.ts";

const session = "session000000001";

describe("the lock of a session", () => {
  it("can be taken once, and again after its release", () => {
    using place = folder();
    const first = acquireLock(place.lock, session);
    expect(() => acquireLock(place.lock, session)).toThrow(`in use by process ${process.pid}, started 20`);
    first.release();
    acquireLock(place.lock, session).release();
    expect(place.files()).toEqual([]);
  });

  it("of another process is refused with its pid and start time", async () => {
    using place = folder();
    await using other = await holder(place);
    expect(await take(other)).toBe("held");
    const { since } = JSON.parse(readFileSync(place.lock, "utf8"));
    expect(() => acquireLock(place.lock, session)).toThrow(
      expect.objectContaining({
        code: "HOST_SESSION_LOCKED",
        data: { sessionId: session, pid: other.pid, since, path: place.lock },
      }),
    );
    expect(Math.abs(Date.parse(since) - Date.now())).toBeLessThan(60_000);
  });

  it("of a killed process is taken over", async () => {
    using place = folder();
    await using other = await holder(place);
    await take(other);
    await other.kill();
    expect(isLocked(place.lock)).toBe(false);
    const mine = acquireLock(place.lock, session);
    expect(JSON.parse(readFileSync(place.lock, "utf8"))).toMatchObject({ pid: process.pid });
    mine.release();
    expect(place.files()).toEqual([]);
  });

  it("of a dead process is won by exactly one of several takers", async () => {
    using place = folder();
    writeLock(place.lock, { pid: 2 ** 30 });
    const wanting = await Promise.all(Array.from({ length: 6 }, () => holder(place)));
    const answers = await Promise.all(wanting.map(take));
    await Promise.all(wanting.map((process) => process.kill()));
    expect(answers.toSorted()).toEqual([...Array(5).fill("HOST_SESSION_LOCKED"), "held"]);
  });

  it.each([
    ["a live process with that number started at another time", { start: "1" }],
    ["the machine was started again since", { boot: "00000000-0000-0000-0000-000000000000" }],
    ["its number can be no process", { pid: -1 }],
  ])("is stale when %s", (_, change) => {
    using place = folder();
    writeLock(place.lock, change);
    acquireLock(place.lock, session).release();
  });

  it.each([
    ["another machine", { boot: "00000000-0000-0000-0000-000000000000", machine: "elsewhere" }],
    ["another container", { space: "pid:[1]", pid: 2 ** 30 }],
  ])("of %s is kept, because its holder may still be running", (_, change) => {
    using place = folder();
    writeLock(place.lock, change);
    expect(() => acquireLock(place.lock, session)).toThrow(`delete ${place.lock}`);
  });

  it("that is unreadable is respected while young and replaced later", () => {
    using place = folder();
    for (const text of ["", "{", "null", "[]", '"text"']) {
      writeFileSync(place.lock, text);
      expect(() => acquireLock(place.lock, session)).toThrow("in use by process 0");
      place.age();
      acquireLock(place.lock, session).release();
    }
  });

  it("that was taken over is not removed by a late release", () => {
    using place = folder();
    const late = acquireLock(place.lock, session);
    writeLock(place.lock, {});
    late.release();
    expect(isLocked(place.lock)).toBe(true);
  });
});

interface Place extends Disposable {
  directory: string;
  lock: string;
  files(): string[];
  /** Makes the lock file look ten seconds old. */
  age(): void;
}

function folder(): Place {
  const directory = mkdtempSync(join(tmpdir(), "scorel-lock-"));
  const lock = join(directory, `${session}.lock`);
  return {
    directory,
    lock,
    files: () => readdirSync(directory).filter((name) => !name.endsWith(".mjs")),
    age: () => utimesSync(lock, Date.now() / 1000 - 10, Date.now() / 1000 - 10),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function writeLock(path: string, change: object): void {
  const holder = { ...ownIdentity(), since: "2026-01-01T00:00:00.000Z", nonce: "nonce000000000001" };
  writeFileSync(path, JSON.stringify({ ...holder, ...change }));
}

async function holder({ directory, lock }: Place): Promise<SecondProcess> {
  const process = await secondProcess(new URL("lock-holder.ts", import.meta.url), directory, [lock, session]);
  await process.line();
  return process;
}

function take(process: SecondProcess): Promise<string> {
  process.child.stdin?.write("go\n");
  return process.line();
}
