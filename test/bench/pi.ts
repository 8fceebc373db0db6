/** Measures the first screen of pi, another terminal agent, where it is installed. Nothing is downloaded. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The input line of pi, which is between two rules. */
export const PI_INPUT_LINE = /─{10}[\s\S]*?\n[\s\S]*?─{10}/;
/** Variables with which pi does not look for newer versions in the network. */
export const PI_OFFLINE = { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" };

/** The program that SCOREL_BENCH_PI names, else `pi` on the PATH. */
export function findPi({ SCOREL_BENCH_PI: named, PATH = "" }: NodeJS.ProcessEnv): string | undefined {
  const places = named ? [named] : PATH.split(delimiter).map((folder) => join(folder, "pi"));
  return places.find(isProgram);
}

/** The row that compares our milliseconds with those of pi, or says that pi is not installed. */
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
