import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Shop } from "../plugins/packages/shop.ts";

export const bin = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
const killer = fileURLToPath(new URL("../fixtures/kill-at.cjs", import.meta.url));

/** The folders below the home in which commands that install change files. */
const PLACES = ".scorel/presets:cache/presets:.scorel/packages:cache/packages";

/**
 * Runs the built command in a shop. With `at`, it gets the signal right before its at-th change of a file in these
 * folders.
 */
export function commandIn(shop: Shop, args: readonly string[], at?: number, signal = "SIGKILL") {
  return run(shop, args, at === undefined ? {} : watched({ KILL_AT: String(at), KILL_WITH: signal }));
}

/**
 * Runs the built command, and calls `look` with the shop's home as the command leaves it (`change` is undefined), and as
 * a kill right before each change of a file would leave it. These states are copied during one run; for the middle one,
 * a second run is really killed.
 */
export async function atEachKill(
  shop: Shop,
  args: readonly string[],
  look: (change: number | undefined) => Promise<void>,
): Promise<void> {
  const { home } = shop;
  const [before, kept] = [join(home, "../before"), join(home, "../kept")];
  cpSync(home, before, { recursive: true, preserveTimestamps: true });
  mkdirSync(kept);
  expect(await run(shop, args, watched({ KEEP_FROM: home, KEEP_IN: kept }))).toMatchObject({ code: 0 });
  await look(undefined);
  const changes = readdirSync(kept).length;
  expect(changes).toBeGreaterThan(5);
  for (let change = 1; change <= changes; change++) {
    replace(home, join(kept, String(change)));
    await look(change);
  }
  replace(home, before);
  const middle = Math.ceil(changes / 2);
  expect(await commandIn(shop, args, middle)).toMatchObject({ signal: "SIGKILL" });
  await look(middle);
}

function replace(folder: string, by: string): void {
  rmSync(folder, { recursive: true });
  renameSync(by, folder);
}

const watched = (what: Record<string, string>) => ({
  NODE_OPTIONS: `--require=${killer}`,
  KILL_IN: PLACES,
  ...what,
});

async function run({ cwd, home }: Shop, args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (words: string) => {
    stderr += words;
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { code, signal, stderr };
}
