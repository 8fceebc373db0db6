import { homedir } from "node:os";
import { relative, sep } from "node:path";
import type { ToolCallInput, ToolCallOutcome } from "@scorel/agent/contract";
import { codeOf, messageOf, type PluginContext } from "@scorel/kernel";
import type { ReadyTool } from "@scorel/tools/contract";
import { contentsOf, type Difference } from "./compare.ts";
import type { Config } from "./config.ts";
import type { CheckpointFile, FileState, NotCovered } from "./contract.ts";
import { Keeper } from "./keeper.ts";
import { isBlocked } from "./observe.ts";
import { onlyReads } from "./read-only.ts";
import type { Ground } from "./seen.ts";
import { absent, isInside, KIND } from "./state.ts";
import { type Failure, Survey } from "./survey.ts";

export type Context = PluginContext<Config, "agent" | "tools" | "blobs">;

/** Watches the tools of one session: what files were before them is kept, what they became is noted. */
export class Tracker {
  private readonly ctx: Context;
  private readonly ground: Ground;
  private readonly survey: Survey;
  /** The survey knows the files as they were before whatever a command does next. */
  private ready = false;
  /** Why the last look saw nothing. */
  private failure: Failure | undefined;
  /** Whether a look has begun in this round. */
  private begun = false;
  /** No look has begun since the user last spoke. */
  private fresh = true;
  private looking: Promise<void> | undefined;
  /** Calls that may change anything and whose effects are not noted yet. */
  private pending: string[] = [];
  /** The look under way is the one after a call. */
  private owing = false;
  /** One of them began without a whole look before it: what it changes cannot be told from what was so before. */
  private blind = false;
  private readonly open = new Map<string, { path: string; before: FileState }[]>();
  private watched = false;
  private readonly quit = new AbortController();
  /** Reasons that the user was told. */
  private readonly told = new Set<string>();

  constructor(ctx: Context, ground: Omit<Ground, "signal">) {
    this.ctx = ctx;
    this.ground = { ...ground, signal: this.quit.signal };
    this.survey = new Survey(this.ground);
  }

  /** A model call begins: what the last look saw is no longer what is there. */
  round(isFirst: boolean): void {
    this.begun = false;
    if (isFirst) this.fresh = true;
  }

  /**
   * Looks through the project while the model speaks: after a command, to find what it did, and once when the user has spoken.
   * After rounds that only read, the next command that may write asks for the look itself.
   */
  async look(): Promise<void> {
    if (!this.begun && (this.fresh || this.pending.length > 0)) await this.begin();
  }

  /** A tool is about to run: keeps what it is going to change. */
  async before({ toolCall, args }: ToolCallInput): Promise<void> {
    const tool = this.ctx.tools.get(toolCall.name);
    if (!tool) return;
    const access = await accessOf(tool, args);
    if (access !== "read") this.watchTurn();
    if (access === "read" || onlyReads(toolCall.name, args, this.ground.root)) this.beforeReading();
    else if (access === "exclusive") await this.beforeAnything(toolCall.id);
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
    this.survey.close();
  }

  /** Resolves when all that tools have changed is noted. */
  async settle(): Promise<void> {
    for (const id of [...this.open.keys()]) await this.close(id);
    await this.looking;
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

  /** Nobody waits, but the look that is due begins: the later it is, the more of a user's work it takes for a command's. */
  private beforeReading(): void {
    if (!this.begun && this.pending.length > 0) void this.begin();
  }

  private async beforeAnything(id: string): Promise<void> {
    const isOver = await this.looked();
    this.pending.push(id);
    if (isOver && this.ready) return;
    this.blind = true;
    const { maxScanMs } = this.ctx.config;
    const reason = isOver
      ? (this.failure?.reason ?? "it could not be looked through")
      : `looking took more than ${maxScanMs} ms`;
    await this.note({ calls: [id], files: [], notCovered: [{ path: ".", reason }] });
  }

  private async beforeWrites(id: string, writes: readonly string[]): Promise<void> {
    if (this.pending.length > 0 || this.owing) await this.looked();
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

  /** Reads a path now. */
  private see(path: string): FileState {
    const seen = this.survey.see(path);
    return seen ? (seen.content as FileState) : absent;
  }

  /** Waits for this round's look, as long as a call may be kept waiting; answers whether it is over. */
  private async looked(): Promise<boolean> {
    const looking = this.begun ? this.looking : this.begin();
    if (!looking) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.ctx.config.maxScanMs);
    });
    const done = await Promise.race([looking.then(() => true), late]);
    clearTimeout(timer);
    return done;
  }

  /** Starts this round's look, once. */
  private begin(): Promise<void> {
    this.begun = true;
    const before = this.looking ?? Promise.resolve();
    const looking: Promise<void> = before
      .then(() => this.lookNow())
      .catch((thrown) => this.ctx.report("checkpoints", thrown))
      .finally(() => {
        this.owing = false;
        if (this.looking === looking) this.looking = undefined;
      });
    this.looking = looking;
    return looking;
  }

  private async lookNow(): Promise<void> {
    const calls = this.pending.splice(0);
    const { ready, blind } = this;
    this.owing = calls.length > 0;
    this.blind = false;
    const seen = await this.lookAgain();
    this.failure = "reason" in seen ? seen : undefined;
    // A call that began meanwhile has changed what this look saw.
    this.ready = !this.failure && !this.blind;
    if (calls.length > 0 && ready && !blind) await this.note({ calls, ...(await this.effects(seen)) });
  }

  /** What was too much once is tried again when the user has spoken, not in every round. */
  private async lookAgain(): Promise<Difference | Failure> {
    if (this.failure?.hopeless && !this.fresh) return this.failure;
    this.fresh = false;
    return this.survey.look();
  }

  private async effects(seen: Difference | Failure) {
    const unknown = (reason: string) => ({ files: [], notCovered: [{ path: ".", reason }] });
    if ("reason" in seen) return unknown(seen.reason);
    try {
      const { files, notCovered } = await contentsOf(this.ground, seen);
      return { files, notCovered: [...notCovered, ...uncovered(files.flatMap(statesOf))] };
    } catch (thrown) {
      return unknown(messageOf(thrown));
    }
  }

  private async note(of: { calls: string[]; files: CheckpointFile[]; notCovered: NotCovered[] }): Promise<void> {
    if (of.files.length === 0 && of.notCovered.length === 0) return;
    for (const { path, reason } of of.notCovered) if (path === ".") this.tell(reason);
    await this.ctx.session.append("custom", { kind: KIND, data: { v: 1, hidden: true, ...of } });
  }

  /** Once for each reason: what a user does not know of cannot be made up for. */
  private tell(reason: string): void {
    if (this.told.has(reason)) return;
    this.told.add(reason);
    this.ctx
      .find("ui")
      ?.notify(`What commands change cannot be undone in full: ${reason.replace(/\.$/, "")}.`, "warning");
  }

  /** A real path as checkpoints name it; undefined for one that they do not cover. */
  private inProject(path: string): string | undefined {
    const inside = relative(this.ground.root, path).split(sep).join("/");
    return isInside(inside) ? inside : undefined;
  }
}

/** To look at more files than this takes longer than to start git. */
const FEW_FILES = 1_000;

/** A tracker over the session's project; outside a host that is the process's directory. */
export function createTracker(ctx: Context): Tracker {
  const { root, home } = ctx.find("workspace") ?? { root: process.cwd(), home: homedir() };
  const { maxFiles, maxScanMs } = ctx.config;
  return new Tracker(ctx, {
    root,
    home,
    keeper: new Keeper(ctx.blobs, ctx.config),
    maxFiles,
    maxScanMs,
    fewFiles: FEW_FILES,
  });
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
