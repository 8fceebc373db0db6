/** The first picture of pi, another agent in a terminal, where it is installed. Nothing is downloaded for it. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The line that one types in: between two rules. */
export const PI_INPUT_LINE = /─{10}[\s\S]*?\n[\s\S]*?─{10}/;
/** The command is run without asking the network for newer versions. */
export const PI_OFFLINE = { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" };

/** The program that SCOREL_BENCH_PI names, else `pi` on the PATH. */
export function findPi({ SCOREL_BENCH_PI: named, PATH = "" }: NodeJS.ProcessEnv): string | undefined {
  const places = named ? [named] : PATH.split(delimiter).map((folder) => join(folder, "pi"));
  return places.find(isProgram);
}

/** The row about pi: our milliseconds against its, or that there is none. */
export function piRow(pi: string | undefined, ours: number, theirs: readonly number[]): object {
  const work = "terminal: first picture, against that of pi";
  if (pi === undefined) return { work, missing: "pi is not installed" };
  const { stdout = "" } = spawnSync(pi, ["--version"], { encoding: "utf8", env: { ...process.env, ...PI_OFFLINE } });
  const [version = "of unknown version"] = /\d+\.\d+\.\d+\S*/.exec(stdout ?? "") ?? [];
  return { work: `${work} ${version}`, value: ours, baseline: Math.min(...theirs) };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
