import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { removeOldOutputsLater } from "../../../plugins/host/storage/old-outputs.ts";
import { outputName, temporaryFolders } from "../../../plugins/kit/files/kept-outputs.ts";
import { type Lock, tryLock } from "../../../plugins/kit/files/lock.ts";
import { newId } from "../../../plugins/kit/values/id.ts";
import { eventually } from "../../eventually.ts";
import { testHome } from "./home.ts";

afterEach(() => void vi.unstubAllEnvs());

const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1_000);

/** Creates a file with a time of this many days ago. */
function written(path: string, days: number): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, "output");
  utimesSync(path, daysAgo(days), daysAgo(days));
  return path;
}

it("old outputs of commands are removed a while after the start, but not those of a session that is or was in use", async () => {
  using home = testHome();
  vi.stubEnv("TMPDIR", home.home);
  const logFile = (sessionId: string) => join(home.home, "sessions", `${sessionId}.jsonl`);
  const session = (days: number) => {
    const id = newId();
    written(logFile(id), days);
    return { id, output: written(join(temporaryFolders(), id, outputName()), 8) };
  };
  const [idle, recent, locked] = [session(8), session(6), session(8)];
  const unknown = written(join(temporaryFolders(), newId(), outputName()), 8);
  const lock = tryLock(logFile(locked.id).replace(/jsonl$/, "lock")) as Lock;
  const failures: unknown[] = [];
  const end = removeOldOutputsLater(logFile, (thrown) => failures.push(thrown), 1);
  await eventually(() => expect([idle.output, unknown].map((path) => existsSync(path))).toEqual([false, false]));
  end();
  lock.release();
  expect([recent.output, locked.output].map((path) => existsSync(path))).toEqual([true, true]);
  expect(failures).toEqual([]);
});

it("a failure is reported", async () => {
  using home = testHome();
  vi.stubEnv("TMPDIR", home.home);
  written(join(temporaryFolders(), newId(), outputName()), 8);
  const broken = () => {
    throw new Error("no log");
  };
  const failures: unknown[] = [];
  const end = removeOldOutputsLater(broken, (thrown) => failures.push(thrown), 1);
  await eventually(() => expect(failures).toEqual([new Error("no log")]));
  end();
});
