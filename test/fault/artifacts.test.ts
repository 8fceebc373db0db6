import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { secondProcess } from "../second-process.ts";

const ROUNDS = 4;

it("two processes that save artifacts of the user and are killed lose no acknowledged version", async () => {
  const home = mkdtempSync(join(tmpdir(), "scorel-artifacts-"));
  vi.stubEnv("HOME", home);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true, force: true });
  });
  const safe = new Map<number, string>();
  for (let round = 0; round < ROUNDS; round++) {
    const saved = await Promise.all([0, 1].map((which) => saver(home, `${round}${which}`, 3 + round)));
    for (const line of saved.flat()) {
      const [version = "", sha256 = ""] = line.split(" ");
      expect(safe.has(Number(version))).toBe(false);
      safe.set(Number(version), sha256);
    }
  }
  const { entries } = JSON.parse(readFileSync(join(home, ".scorel/artifacts/user.json"), "utf8"));
  expect(entries.map(({ version }: { version: number }) => version)).toEqual(
    Array.from({ length: entries.length }, (_, at) => at),
  );
  for (const [version, sha256] of safe) expect(entries[version]).toMatchObject({ version, sha256 });
  for (const { sha256 } of entries) {
    const bytes = readFileSync(join(home, ".scorel/blobs", sha256.slice(0, 2), sha256));
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
  }
  expect(readdirSync(join(home, ".scorel/artifacts")).filter((name) => name.endsWith(".json"))).toEqual(["user.json"]);
});

/** Starts a process that saves artifacts, and kills it at an arbitrary moment after this number of saves. */
async function saver(home: string, name: string, saves: number): Promise<string[]> {
  const id = `session0000000${name}`;
  await using running = await secondProcess(new URL("artifact-saver.ts", import.meta.url), home, [id, name]);
  const lines: string[] = [];
  while (lines.length < saves) lines.push(await running.line());
  await running.kill();
  return lines;
}
