import { homedir } from "node:os";
import { relative, sep } from "node:path";
import type { ToolCallInput, ToolCallOutcome } from "@scorel/agent/contract";
import { codeOf, messageOf, type PluginContext } from "@scorel/kernel";
import type { ReadyTool } from "@scorel/tools/contract";
import type { Config } from "./config.ts";
import type { CheckpointFile, FileState, NotCovered } from "./contract.ts";
import { isBlocked, Keeper } from "./observe.ts";
import { compare, type Ground, type Seen, type Snapshot, scan, seeNow, update } from "./scan.ts";
import { absent, isInside, KIND } from "./state.ts";

export type Context = PluginContext<Config, "agent" | "tools" | "blobs">;

/** Watches the tools of one session: what files were before them is kept, what they became is noted. */
export class Tracker {
  private readonly ctx: Context;
  private readonly ground: Ground;
  /** What the last scan saw, with what is known since; absent until one was whole. */
  private base: Snapshot | undefined;
  /** Every file that was looked at, also by a scan that was not whole. */
  private seen = new Map<string, Seen>();
  private problem: string | undefined;
  /** Whether a scan has begun in this round. */
  private begun = false;
  private scanning: Promise<void> | undefined;
  private looking = false;
  /** What tools with known paths did while a scan was looking: it may have seen the file before or after. */
  private meanwhile = new Map<string, Seen | undefined>();
  /** Calls that may change anything and whose effects are not noted yet. */
  private pending: string[] = [];
  /** The scan under way is the one after a call. */
  private owing = false;
  /** One of them began without a whole scan before it: what it changes cannot be told from what was so before. */
  private blind = false;
  private readonly open = new Map<string, { path: string; before: FileState }[]>();
  private watched = false;
  private readonly quit = new AbortController();

  constructor(ctx: Context, ground: Omit<Ground, "signal">) {
    this.ctx = ctx;
    this.ground = { ...ground, signal: this.quit.signal };
  }

  /** A model call begins: what the last scan saw is no longer what is there. */
  round(): void {
    this.begun = false;
  }

  /** Looks through the project, once in a round. */
  async look(): Promise<void> {
    if (!this.begun) await this.begin();
  }

  /** A tool is about to run: keeps what it is going to change. */
  async before({ toolCall, args }: ToolCallInput): Promise<void> {
    const tool = this.ctx.tools.get(toolCall.name);
    if (!tool) return;
    const access = await accessOf(tool, args);
    if (access === "read") return;
    this.watchTurn();
    if (access === "exclusive") await this.beforeAnything(toolCall.id);
    else await this.beforeWrites(toolCall.id, access.writes);
  }

  /** A tool has run: notes what became of the paths it declared. */
  async after({ toolCall, args }: ToolCallOutcome): Promise<void> {
    const known = this.open.get(toolCall.id);
    if (!known) return;
    const tool = this.ctx.tools.get(toolCall.name);
    const access = tool && (await accessOf(tool, args));
    const paths = known.map(({ path }) => path);
    const written = typeof access === "object" ? access.writes.filter((path) => !isBlocked(path)) : [];
    const missed = written.flatMap((path) => this.inProject(path) ?? []).filter((path) => !paths.includes(path));
    // Where a command of the same round has put a link, say; then the look after the command finds it.
    await this.close(toolCall.id, this.pending.length > 0 && !this.blind ? [] : missed);
  }

  /** Ends the watch: what is known is noted, a scan that nobody needs is given up. */
  async stop(): Promise<void> {
    if (this.pending.length === 0 && this.open.size === 0 && !this.owing) this.quit.abort();
    await this.settle();
  }

  /** Resolves when all that tools have changed is noted. */
  async settle(): Promise<void> {
    for (const id of [...this.open.keys()]) await this.close(id);
    await this.scanning;
    if (this.pending.length > 0) await this.begin();
  }

  /** The turn's end settles it, also when the turn was cancelled. */
  private watchTurn(): void {
    if (this.watched) return;
    this.watched = true;
    void this.settleTurns()
      .catch((thrown) => this.ctx.report("checkpoints", thrown))
      .finally(() => {
        this.watched = false;
      });
  }

  private async settleTurns(): Promise<void> {
    do {
      await this.ctx.agent.waitForIdle();
      await this.settle();
      this.ground.keeper.newTurn();
    } while (this.ctx.agent.running);
  }

  private async beforeAnything(id: string): Promise<void> {
    const ready = await this.scanned();
    this.pending.push(id);
    if (ready && this.base) return;
    this.blind = true;
    const { maxScanMs } = this.ctx.config;
    const reason = ready
      ? (this.problem ?? "it could not be looked through")
      : `looking took more than ${maxScanMs} ms`;
    await this.note({ calls: [id], files: [], notCovered: [{ path: ".", reason }] });
  }

  private async beforeWrites(id: string, writes: readonly string[]): Promise<void> {
    if (this.pending.length > 0 || this.owing) await this.scanned();
    const outside = writes.filter((path) => this.inProject(path) === undefined);
    const paths = writes.flatMap((path) => this.inProject(path) ?? []);
    const known = paths.map((path) => ({ path, before: this.see(path) }));
    this.open.set(id, known);
    const notCovered = [
      ...outside.map((path) => ({ path, reason: "it lies outside the project, or steers git or the agent" })),
      ...uncovered(known.map(({ path, before }) => [path, before])),
    ];
    await this.note({ calls: [id], files: known, notCovered });
  }

  private async close(id: string, missed: readonly string[] = []): Promise<void> {
    const known = this.open.get(id) ?? [];
    this.open.delete(id);
    const files = known.map(({ path }) => ({ path, after: this.see(path) }));
    const reason = "the call wrote elsewhere than it had said";
    await this.note({ calls: [id], files, notCovered: missed.map((path) => ({ path, reason })) });
  }

  /** Reads a path now, and lets a scan that runs or ran know of it. */
  private see(path: string): FileState {
    const seen = seeNow(this.ground, path);
    // What a scan under way is to be compared with stays as it was.
    if (this.looking) this.meanwhile.set(path, seen);
    else if (this.base) update(this.base, path, seen);
    return seen ? (seen.content as FileState) : absent;
  }

  /** Waits for this round's scan, as long as a call may be kept waiting; answers whether it is there. */
  private async scanned(): Promise<boolean> {
    const scanning = this.begun ? this.scanning : this.begin();
    if (!scanning) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.ctx.config.maxScanMs);
    });
    const done = await Promise.race([scanning.then(() => true), late]);
    clearTimeout(timer);
    return done;
  }

  /** Starts this round's scan, once. */
  private begin(): Promise<void> {
    this.begun = true;
    const before = this.scanning ?? Promise.resolve();
    const scanning: Promise<void> = before
      .then(() => this.scan())
      .catch((thrown) => this.ctx.report("checkpoints", thrown))
      .finally(() => {
        this.owing = false;
        if (this.scanning === scanning) this.scanning = undefined;
      });
    this.scanning = scanning;
    return scanning;
  }

  private async scan(): Promise<void> {
    const calls = this.pending.splice(0);
    const { base, blind } = this;
    this.owing = calls.length > 0;
    this.blind = false;
    const seen = await this.lookNow();
    this.problem = typeof seen === "string" ? seen : undefined;
    this.base = typeof seen === "string" ? undefined : seen;
    // A call that began meanwhile has changed what this scan saw.
    if (this.blind) this.base = undefined;
    if (calls.length === 0 || blind || !base) return;
    await this.note({ calls, ...(await this.difference(base, seen)) });
  }

  private async lookNow(): Promise<Snapshot | string> {
    this.looking = true;
    this.meanwhile.clear();
    const seen = await scan(this.ground, this.seen);
    this.looking = false;
    if (typeof seen === "string") return seen;
    this.seen = new Map(seen.files);
    for (const [path, now] of this.meanwhile) update(seen, path, now);
    return seen;
  }

  private async difference(base: Snapshot, seen: Snapshot | string) {
    const unknown = (reason: string) => ({ files: [], notCovered: [{ path: ".", reason }] });
    if (typeof seen === "string") return unknown(seen);
    try {
      const { files, notCovered } = await compare(this.ground, base, seen);
      return { files, notCovered: [...notCovered, ...uncovered(files.flatMap(statesOf))] };
    } catch (thrown) {
      return unknown(messageOf(thrown));
    }
  }

  private async note(of: { calls: string[]; files: CheckpointFile[]; notCovered: NotCovered[] }): Promise<void> {
    if (of.files.length === 0 && of.notCovered.length === 0) return;
    await this.ctx.session.append("custom", { kind: KIND, data: { v: 1, hidden: true, ...of } });
  }

  /** A real path as checkpoints name it; undefined for one that they do not cover. */
  private inProject(path: string): string | undefined {
    const inside = relative(this.ground.root, path).split(sep).join("/");
    return isInside(inside) ? inside : undefined;
  }
}

/** A tracker over the session's project; outside a host that is the process's directory. */
export function createTracker(ctx: Context): Tracker {
  const { root, home } = ctx.find("workspace") ?? { root: process.cwd(), home: homedir() };
  const { maxFiles, maxScanMs } = ctx.config;
  return new Tracker(ctx, { root, home, keeper: new Keeper(ctx.blobs, ctx.config), maxFiles, maxScanMs });
}

/** What a call with these arguments touches; nothing, when it is not going to run because they are wrong. */
async function accessOf(tool: ReadyTool, args: unknown) {
  try {
    return await tool.access(tool.validate(args));
  } catch (thrown) {
    if (codeOf(thrown) === "TOOL_ARGUMENTS") return "read";
    throw thrown;
  }
}

function statesOf({ path, before, after }: CheckpointFile): [string, FileState][] {
  return [before, after].flatMap((state): [string, FileState][] => (state ? [[path, state]] : []));
}

function uncovered(states: readonly (readonly [path: string, state: FileState])[]): NotCovered[] {
  return states.flatMap(([path, state]) => (state.kind === "uncovered" ? [{ path, reason: state.reason }] : []));
}
