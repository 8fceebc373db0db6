import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, it } from "vitest";
import { smallFileSystem } from "./fault/disk.ts";
import { findChromium } from "./programs/chromium.ts";
import { problemWithKits } from "./programs/kits/kits.ts";

const runs = (program: string, args: readonly string[]) => () => {
  const { error, status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (error) return `${program} is not on the PATH`;
  return status === 0 ? undefined : `${program} does not work: ${stderr.trim()}`;
};

/**
 * Programs and rights that a machine may lack. Each function returns why one cannot be used here, or undefined if it
 * can.
 */
const problems = {
  bubblewrap: runs("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]),
  python: runs("python3", ["-c", "0"]),
  script: runs("script", ["-qec", "true", "/dev/null"]),
  tmux: runs("tmux", ["-V"]),
  zsh: runs("zsh", ["-c", "true"]),
  fish: runs("fish", ["-c", "true"]),
  nats: runs("nats-server", ["--version"]),
  chromium: () => (findChromium() === undefined ? "no Chromium is on the PATH" : undefined),
  kits: problemWithKits,
  systemd: runs("systemd-analyze", ["--version"]),
  bash: runs("/bin/bash", ["-c", "true"]),
  pipes: () => (process.platform === "win32" ? "Windows has no FIFOs" : undefined),
  linux: () => (process.platform === "linux" ? undefined : "this is only for Linux"),
  mounts: () => {
    using disk = smallFileSystem(64);
    return disk ? undefined : "this user cannot mount a file system";
  },
  setpriv: () =>
    process.getuid?.() === 0 && existsSync("/usr/bin/setpriv") ? undefined : "only root can run it as another user",
  root: () => (process.getuid?.() === 0 ? undefined : "only root may do this"),
};

type Need = keyof typeof problems;

/** The executor for programs of skills: the machine's own in the fast tier, bubblewrap in the suite `programs`. */
export const executor =
  process.env.SCOREL_TEST_EXECUTOR === "bubblewrap" && problems.bubblewrap() === undefined ? "bubblewrap" : "local";
/** Whether {@link executor} isolates programs from the host. */
export const confines = executor === "bubblewrap";

/** Names separated by blanks; the requirements named here must be available, or the tests fail. */
const required = (process.env.SCOREL_TEST_REQUIRED ?? "").split(" ");

/** Why an optional program cannot be used here; undefined if it can. */
export const problemWith = (need: Need): string | undefined => problems[need]();

/** Describes tests that need an optional program or right; where it is missing, reports them as not run. */
export function describeWith(need: Need, title: string, body: () => void): void {
  describeUnless(need, problems[need](), title, body);
}

/** A test that needs optional programs or rights; reported as not run if one is missing. */
export function itWith(
  needs: Need | readonly Need[],
  title: string,
  body: () => Promise<void> | void,
  timeout?: number,
): void {
  const missing = [needs].flat().find((need) => problems[need]() !== undefined);
  if (missing === undefined) it(title, body, timeout);
  else reportNotRun(missing, problems[missing]() as string, title);
}

/** Describes tests unless there is a problem with what they need; then reports them as not run. */
export function describeUnless(need: string, problem: string | undefined, title: string, body: () => void): void {
  if (problem === undefined) describe(title, body);
  else reportNotRun(need, problem, title);
}

/** The test runner lists skipped tests with such a title, and fails for any other skipped test (run.mjs). */
function reportNotRun(need: string, problem: string, title: string): void {
  if (!required.includes(need)) return void it.skip(`${title}: not run, ${problem}`);
  it(title, () => {
    throw new Error(`SCOREL_TEST_REQUIRED names ${need}, but ${problem}`);
  });
}
