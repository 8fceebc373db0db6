import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
// @ts-expect-error plain JavaScript, shared with the benchmarks
import { bin, environment } from "../bench/measure.mjs";

/** Samples during the first 30 s are left out, since they do not show how memory grows later. */
const WARM_UP_MS = 30_000;

/** A host in a separate process, whose memory is sampled. */
export class HostProcess {
  readonly socket: string;
  readonly version: string;
  private readonly child: ChildProcess;
  private readonly startedAt = Date.now();
  private readonly samples: { minutes: number; megabytes: number }[] = [];

  static async start(home: string): Promise<HostProcess> {
    const args = [bin, "--preset", "none", "host", "serve", "--foreground"];
    const child = spawn(process.execPath, args, {
      cwd: home,
      env: environment(home),
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const line of createInterface(child.stdout))
      if (line.startsWith("socket: ")) return new HostProcess(child, home);
    throw new Error("the host did not start");
  }

  private constructor(child: ChildProcess, home: string) {
    const state = JSON.parse(readFileSync(join(home, ".scorel/run/host.json"), "utf8"));
    this.child = child;
    this.socket = state.addresses[0].address;
    this.version = state.version;
  }

  sample(): void {
    const pages = /^\d+ (\d+)/.exec(readFileSync(`/proc/${this.child.pid}/statm`, "utf8"))?.[1];
    this.samples.push({ minutes: (Date.now() - this.startedAt) / 60_000, megabytes: (Number(pages) * 4_096) / 1e6 });
  }

  /** Its memory at the end, and its growth per minute: the slope of the best-fitting line. */
  report(): string {
    const warm = this.samples.filter(({ minutes }) => minutes * 60_000 > WARM_UP_MS);
    const last = this.samples.at(-1)?.megabytes ?? 0;
    const mean = (of: (sample: (typeof warm)[number]) => number) =>
      warm.reduce((sum, sample) => sum + of(sample), 0) / warm.length;
    const [x, y] = [mean(({ minutes }) => minutes), mean(({ megabytes }) => megabytes)];
    const slope =
      mean(({ minutes, megabytes }) => (minutes - x) * (megabytes - y)) / mean(({ minutes }) => (minutes - x) ** 2);
    const grew = warm.length > 10 ? `, ${slope.toFixed(2)} MB a minute` : "";
    return `host ${this.child.pid}: ${last.toFixed(1)} MB after ${((Date.now() - this.startedAt) / 60_000).toFixed(1)} min${grew}`;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const over = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill(signal);
    await over;
  }
}
