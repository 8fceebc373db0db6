import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Shop } from "../plugins/packages/shop.ts";

export const bin = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
const killer = fileURLToPath(new URL("../fixtures/kill-at.cjs", import.meta.url));

/** Where a command that installs changes files, below the home. */
const PLACES = ".scorel/presets:cache/presets:.scorel/packages:cache/packages";

/** Runs the built command in a shop; with `at`, it gets the signal right before its at-th change of a file where packages are kept. */
export async function commandIn(shop: Shop, args: readonly string[], at?: number, signal = "SIGKILL") {
  const signalled = { NODE_OPTIONS: `--require=${killer}`, KILL_AT: String(at), KILL_WITH: signal, KILL_IN: PLACES };
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: shop.cwd,
    env: { PATH: process.env.PATH, HOME: shop.home, ...(at !== undefined && signalled) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (words: string) => {
    stderr += words;
  });
  const [code, by] = (await once(child, "close")) as [number | null, string | null];
  return { code, signal: by, stderr };
}
