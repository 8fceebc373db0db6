import { homedir } from "node:os";
import { isAbsolute, join, relative, sep } from "node:path";
import type { ToolCallInput, ToolCallOutcome } from "@scorel/agent/contract";
import { codeOf } from "@scorel/kernel";
import { environmentOf } from "@scorel/kit/process/environment";
import { onAbort, untilAborted } from "@scorel/kit/values/abort";
import type {} from "@scorel/local/contract";
import type { Access, ReadyTool } from "@scorel/tools/contract";
import type { Context } from "../context.ts";
import type { FileState } from "../contract.ts";
import type { ScanContext } from "../scan/scanned-file.ts";
import { Scans } from "../scan/scans.ts";
import { Survey } from "../scan/survey.ts";
import { Keeper } from "./keeper.ts";
import { Notes, uncovered } from "./notes.ts";
import { isBlocked } from "./observe.ts";
import { onlyReads } from "./read-only.ts";
import { absent, isInside } from "./state.ts";

/** Milliseconds that a program has to report its unsaved changes. */
const UNSAVED_MS = 6_000;
/** Milliseconds for which a closing session waits for its last scan before the log says that the scan is missing. */
const NOTED_MS = 1_000;

/** Tracks the tools of a session: stores files before tools change them, and records the results. */
export class Tracker {
  private readonly ctx: Context;
  private readonly context: ScanContext;
  private readonly survey: Survey;
  private readonly notes: Notes;
  private readonly scans: Scans;
  /** Running calls that declared which paths they write. */
  private readonly open = new Map<string, { path: string; before: FileState }[]>();
  private watched = false;
  private readonly quit = new AbortController();

  constructor(ctx: Context, context: Omit<ScanContext, "signal">) {
    this.ctx = ctx;
    this.context = { ...context, signal: this.quit.signal };
    this.survey = new Survey(this.context);
    this.notes = new Notes(ctx);
    this.scans = new Scans(this.context, this.survey, this.notes, (thrown) => ctx.report("checkpoints", thrown));
  }

  /** The PATH in which commands look for programs. */
  private searchPath(): string {
    const given = this.ctx.find("workspace")?.environment;
    return (given ? environmentOf(given).PATH : process.env.PATH) ?? "";
  }

  /** A model call begins. */
  round(isFirst: boolean): void {
    this.scans.round(isFirst);
  }

  /** Scans while the model answers, so that no call has to wait for the scan. */
  look(): Promise<void> {
    return this.scans.duringModelCall();
  }

  /** A tool is about to run: stores what it may change. */
  async before({ toolCall, args }: ToolCallInput): Promise<void> {
    const tool = this.ctx.tools.get(toolCall.name);
    if (!tool) return;
    const access = await accessOf(tool, args);
    if (access !== "read") this.watchTurn();
    if (access === "read" || onlyReads(toolCall.name, args, this.context.root, this.searchPath()))
      this.scans.beforeReading();
    else if (access === "exclusive" && this.runsElsewhere(tool))
      // The command runs on another computer, so it cannot be the cause of changes to these files.
      await this.noteElsewhere(toolCall.id, ["."], "commands run on another computer");
    else if (access === "exclusive") await this.scans.beforeUnknownWrites(toolCall.id);
    else if (isHere(this.ctx.find("files"))) await this.beforeWrites(toolCall.id, access.writes);
    else await this.noteElsewhere(toolCall.id, access.writes, "it is not on this computer");
  }

  /** A tool has run: records the new state of the paths it declared. */
  async after({ toolCall, args }: ToolCallOutcome): Promise<void> {
    const known = this.open.get(toolCall.id);
    if (!known) return;
    const tool = this.ctx.tools.get(toolCall.name);
    const access = tool && (await accessOf(tool, args));
    const paths = known.map(({ path }) => path);
    const written = typeof access === "object" ? access.writes.filter((path) => !isBlocked(path)) : [];
    const missed = written.flatMap((path) => this.inProject(path) ?? []).filter((path) => !paths.includes(path));
    // A command in the same round may have put a link there; the scan after the command will find the written file.
    await this.close(toolCall.id, this.scans.willFind ? [] : missed);
  }

  /**
   * Records the changes that are left before the session closes, for up to `limitMs` milliseconds. If this takes long, the log says in the
   * meantime that they are not recorded, since the process may be ended.
   */
  async finish(limitMs: number): Promise<void> {
    const noting = setTimeout(() => {
      const { unrecorded } = this.scans;
      if (unrecorded.length > 0)
        void this.notes.writePending(unrecorded).catch((thrown) => this.ctx.report("checkpoints", thrown));
    }, NOTED_MS);
    const limit = setTimeout(() => this.quit.abort(), limitMs);
    try {
      // A running turn is being cancelled, and its calls end before their effects are scanned.
      await Promise.race([this.ctx.agent.waitForIdle(), aborted(this.quit.signal)]);
      await this.stop();
    } finally {
      clearTimeout(noting);
      clearTimeout(limit);
    }
  }

  /** Stops tracking: known changes are recorded, and scans that nobody needs are aborted. */
  async stop(): Promise<void> {
    if (this.open.size === 0 && !this.scans.hasUnrecorded) this.quit.abort();
    await this.settleAll();
    this.quit.abort();
    await this.scans.ended();
    this.survey.close();
  }

  /** Resolves when the changes that tools have made so far are recorded. A call that still waits or runs stays tracked. */
  async settle(): Promise<void> {
    if (this.ctx.agent.running) await this.scans.settle();
    else await this.settleAll();
  }

  /** Records what is left when no call runs any more. Nothing tells the end of a refused call. */
  private async settleAll(): Promise<void> {
    this.scans.callsEnded();
    for (const id of [...this.open.keys()]) await this.close(id);
    await this.scans.settle();
  }

  /** Settles at the end of the turn, even if the turn was cancelled. */
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
      await this.settleAll();
      this.context.keeper.newTurn();
    } while (this.ctx.agent.running);
  }

  /** Whether a tool starts its commands with the service `processes`, on another computer. */
  private runsElsewhere({ name, plugin }: ReadyTool): boolean {
    return name === "Bash" && plugin === "coding" && !isHere(this.ctx.find("processes"));
  }

  private async noteElsewhere(id: string, paths: readonly string[], reason: string): Promise<void> {
    await this.notes.write({ calls: [id], files: [], notCovered: paths.map((path) => ({ path, reason })) });
  }

  private async beforeWrites(id: string, writes: readonly string[]): Promise<void> {
    if (this.scans.hasUnrecorded) await this.scans.completed();
    const outside = writes.filter((path) => this.inProject(path) === undefined);
    const paths = writes.flatMap((path) => this.inProject(path) ?? []);
    const known = await Promise.all(paths.map(async (path) => ({ path, before: await this.seeWithUnsaved(path) })));
    this.open.set(id, known);
    const notCovered = [
      ...outside.map((path) => ({ path, reason: "it is outside of the project, or controls git or the agent" })),
      ...uncovered(known.map(({ path, before }) => [path, before])),
    ];
    await this.notes.write({ calls: [id], files: known, notCovered });
  }

  private async close(id: string, missed: readonly string[] = []): Promise<void> {
    const known = this.open.get(id) ?? [];
    this.open.delete(id);
    const files = known.map(({ path }) => ({ path, after: this.see(path) }));
    const reason = "the call wrote to other files than it declared";
    await this.notes.write({ calls: [id], files, notCovered: missed.map((path) => ({ path, reason })) });
  }

  /** Reads a path now. */
  private see(path: string): FileState {
    const seen = this.survey.see(path);
    return seen ? (seen.content as FileState) : absent;
  }

  /**
   * Reads a path now, including the unsaved changes of a program that has the file open: a tool that writes the file
   * replaces these, too.
   */
  private async seeWithUnsaved(path: string): Promise<FileState> {
    const saved = this.see(path);
    const files = this.ctx.find("files");
    if (saved.kind !== "file" || !files?.unsaved) return saved;
    const signal = AbortSignal.any([this.quit.signal, AbortSignal.timeout(UNSAVED_MS)]);
    try {
      const bytes = await untilAborted(files.unsaved(join(this.context.root, path), { signal }), signal);
      return bytes ? this.context.keeper.keepUnsaved(Buffer.from(bytes), saved.mode) : saved;
    } catch (thrown) {
      this.ctx.report("unsaved files", thrown, this.ctx.providerOf("files", "unsaved"));
      return saved;
    }
  }

  /** The relative path of a file that checkpoints cover; undefined for any other. */
  private inProject(path: string): string | undefined {
    const inside = relative(this.context.root, path).split(sep).join("/");
    return isInside(inside) ? inside : undefined;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}

/** Whether an executor works on this computer. */
function isHere(executor: { readonly local?: boolean } | undefined): boolean {
  return !executor || executor.local === true;
}

/** Up to this many files, examining them is faster than starting git. */
const FEW_FILES = 1_000;

/** Creates a tracker for the session's project, or for the process's directory without a workspace. */
export function createTracker(ctx: Context): Tracker {
  const { root, home } = ctx.find("workspace") ?? { root: process.cwd(), home: homedir() };
  const { maxFiles, maxScanMs } = ctx.config;
  const keeper = new Keeper(ctx.blobs, ctx.config);
  return new Tracker(ctx, { root, home, keeper, maxFiles, maxScanMs, fewFiles: FEW_FILES });
}

/**
 * Returns the files that a call may change; "read" if its arguments are invalid, since it will not run. Only absolute paths count: a tool may
 * declare other names, such as "todos", so that its calls run one after another, and they would be resolved in this process's folder.
 */
async function accessOf(tool: ReadyTool, args: unknown): Promise<Access> {
  try {
    const access = await tool.access(tool.validate(args));
    if (typeof access !== "object") return access;
    const writes = access.writes.filter((path) => isAbsolute(path));
    return writes.length === 0 ? "read" : { writes };
  } catch (thrown) {
    if (codeOf(thrown) === "TOOL_ARGUMENTS") return "read";
    throw thrown;
  }
}
