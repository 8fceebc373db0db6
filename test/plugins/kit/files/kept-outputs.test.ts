import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  outputName,
  removeOldOutputs,
  removeOutputs,
  temporaryFolders,
} from "../../../../plugins/kit/files/kept-outputs.ts";
import { newId } from "../../../../plugins/kit/values/id.ts";
import { itWith } from "../../../optional.ts";

const NOW = Date.UTC(2030, 0, 31);
const daysAgo = (days: number) => new Date(NOW - days * 24 * 60 * 60 * 1_000);

let base = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "scorel-outputs-")));
  vi.stubEnv("TMPDIR", base);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true });
});

/** Creates a file in a session's folder with these ages in days of its last write and read. */
function file(sessionId: string, more: { name?: string; written?: number; read?: number } = {}): string {
  const { name = outputName(), written = 30 } = more;
  const path = join(temporaryFolders(), sessionId, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, "output");
  utimesSync(path, daysAgo(more.read ?? written), daysAgo(written));
  return path;
}

const left = (paths: Record<string, string>) => Object.keys(paths).filter((name) => existsSync(paths[name] as string));

it("files that nobody has read or written for seven days are removed, and nothing else", async () => {
  const [session, used] = [newId(), newId()];
  const paths = {
    old: file(session),
    sevenDays: file(session, { written: 7 }),
    fresh: file(session, { written: 6.9 }),
    read: file(session, { read: 6.9 }),
    notes: file(session, { name: "notes.txt" }),
    own: file(session, { name: "output-final.txt" }),
    used: file(used),
    elsewhere: file("no session!"),
  };
  await removeOldOutputs((id, since) => id === used && since === daysAgo(7).getTime(), NOW);
  expect(left(paths)).toEqual(["fresh", "read", "notes", "own", "used", "elsewhere"]);
});

itWith("linux", "a file that a process has open stays", async () => {
  const path = file(newId());
  const open = openSync(path, "r");
  utimesSync(path, daysAgo(30), daysAgo(30));
  await removeOldOutputs(() => false, NOW);
  expect(existsSync(path)).toBe(true);
  closeSync(open);
  await removeOldOutputs(() => false, NOW);
  expect(existsSync(path)).toBe(false);
});

it("links are not followed, and without a folder there is nothing to do", async () => {
  await removeOldOutputs(() => false, NOW);
  vi.stubEnv("TMPDIR", join(base, "nowhere"));
  await removeOldOutputs(() => false, NOW);
  removeOutputs(newId());
  vi.stubEnv("TMPDIR", base);
  const outside = join(base, "outside");
  mkdirSync(outside);
  const path = join(outside, outputName());
  writeFileSync(path, "theirs");
  utimesSync(path, daysAgo(30), daysAgo(30));
  mkdirSync(temporaryFolders());
  symlinkSync(outside, join(temporaryFolders(), newId()));
  await removeOldOutputs(() => false, NOW);
  expect(existsSync(path)).toBe(true);
});

it("the files of a session that is deleted for good are removed, with its folder if nothing else is in it", () => {
  const [bare, more] = [newId(), newId()];
  const [output, other, notes] = [file(bare), file(more), file(more, { name: "notes.txt" })];
  for (const sessionId of [bare, more, newId()]) removeOutputs(sessionId);
  expect([output, dirname(output), other, notes].map((path) => existsSync(path))).toEqual([false, false, false, true]);
});
