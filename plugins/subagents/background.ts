import type { BackgroundReport, BackgroundWork } from "@scorel/commands/contract";
import { messageOf } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import type { Usage } from "@scorel/messages/contract";
import type { ToolOutput, ToolUsage } from "@scorel/tools/contract";
import { reportId } from "./background-projection.ts";
import type { Context } from "./context.ts";
import type { BackgroundTask } from "./contract.ts";
import { errors } from "./errors.ts";
import type { Places } from "./places.ts";
import type { TaskCall } from "./run.ts";

const COUNTS = ["input", "output", "cacheRead", "cacheWrite"] as const;

interface RunningTask {
  title: string;
  /** Start, in milliseconds since 1970. */
  since: number;
  /** Resolves when the task has ended and its report has been sent. */
  ended: Promise<void>;
  stop(): void;
}

interface Reporting extends BackgroundReport {
  /** Session of the subagent. */
  sessionId: string;
}

/** Subagents that work while their parent's session goes on. Their reports are messages of that session. */
export class BackgroundTasks implements BackgroundWork {
  private readonly ctx: Context;
  private readonly places: Places;
  private readonly running = new Map<string, RunningTask>();
  /** Running tasks, and tasks that have sent their report. */
  private readonly reporting: Reporting[] = [];

  constructor(ctx: Context, places: Places) {
    this.ctx = ctx;
    this.places = places;
  }

  /** Starts a task, and returns the result of its call. Throws SUBAGENT_TOO_MANY. */
  async start(call: TaskCall): Promise<ToolOutput> {
    const leave = this.places.takeFree();
    if (!leave) throw errors.SUBAGENT_TOO_MANY({ parallel: this.places.limit });
    try {
      const { beginTask } = await import("./run.ts");
      const costs = new Costs(this.ctx);
      // Not linked to the turn that starts the task: the task ends with the session, or when a person stops it.
      const control = new AbortController();
      const signal = AbortSignal.any([this.ctx.signal, control.signal]);
      const { details, report } = await beginTask(this.ctx, {
        ...call,
        signal,
        onUpdate: ({ usage }) => costs.take(usage),
      });
      const { sessionId, path } = details;
      const task = { sessionId, description: lineOf(call.params.description), ...(path !== undefined && { path }) };
      const begun = this.ctx.session.seq;
      const ended = this.follow(task, report, costs).finally(leave);
      this.reporting.push({ sessionId, begun, message: undefined, ended });
      this.running.set(sessionId, { title: task.description, since: Date.now(), ended, stop: () => control.abort() });
      this.showCount();
      const text = `The subagent works in the background (session ${sessionId}). Go on with other work; its report comes as a message.`;
      return { content: [{ type: "text", text }], details: { ...details, background: task } };
    } catch (thrown) {
      leave();
      throw thrown;
    }
  }

  /** Resolves when no subagent is working any more. */
  async ended(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  list() {
    return [...this.running].map(([id, { title, since }]) => ({
      id,
      title: `subagent: ${title}`,
      since,
      sessionId: id,
    }));
  }

  async stop(id: string): Promise<void> {
    const task = this.running.get(id);
    task?.stop();
    await task?.ended;
  }

  reports(): readonly Reporting[] {
    return this.reporting.filter(({ sessionId, message }) => message !== undefined || this.running.has(sessionId));
  }

  /**
   * Queues a report for each task that was cut off when its session or host ended. Starts no turn, since a person may only have opened the
   * session to look at it.
   */
  async reportInterrupted(): Promise<void> {
    const cutOff = this.ctx.session
      .projection("backgroundTasks")
      .filter(({ sessionId }) => !this.running.has(sessionId));
    // All at once, so that a message that is sent meanwhile comes after all of them.
    await Promise.all(cutOff.map((task) => this.send(task, interrupted(task), "queue")));
  }

  private async follow(task: BackgroundTask, report: Promise<ToolOutput>, costs: Costs): Promise<void> {
    try {
      const text = await report.then(wordsOf, messageOf);
      // The session is closing: the task is reported as interrupted when the session is opened again.
      if (this.ctx.signal.aborted) return;
      const message = await this.send(task, text, "start");
      for (const each of this.reporting) if (each.sessionId === task.sessionId) each.message = message;
      costs.settle();
    } catch (thrown) {
      if (!this.ctx.signal.aborted) this.ctx.report("background", thrown);
    } finally {
      this.running.delete(task.sessionId);
      this.showCount();
    }
  }

  /** Shows the number of working subagents as a status, since nothing else in the session shows it. */
  private showCount(): void {
    const { size } = this.running;
    const text = `${size} subagent${size === 1 ? "" : "s"} in the background`;
    if (!this.ctx.signal.aborted) this.ctx.ui.status(size === 0 ? undefined : text);
  }

  /** Sends the report of a task as a message of the session. Returns the id of the message. */
  private async send(
    { sessionId, description }: BackgroundTask,
    text: string,
    idle: "start" | "queue",
  ): Promise<string | undefined> {
    const head = `[Report of the subagent "${description}" in the background, session ${sessionId}. These are its words, not those of the user.]`;
    const sent = await this.ctx.find("agent")?.send(`${head}\n${text}`, {
      ...{ clientId: `subagent-${sessionId}`, messageId: reportId(sessionId) },
      ...{ running: "steer", idle, mentions: false },
    });
    return sent?.id;
  }
}

function interrupted({ path }: BackgroundTask): string {
  const where = path === undefined ? "" : ` Its worktree was ${path}: "scorel worktree list" tells what is left of it.`;
  return `It was interrupted before it could report, because the session or its host ended. What it did is in its session.${where} Start the task again if it is still wanted.`;
}

const wordsOf = ({ content }: ToolOutput) =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

/**
 * Usage of a background subagent. It is stored in the parent's log as it grows, and added to the usage of the parent's turns. Usage while
 * no turn is running is added to the next one.
 */
class Costs {
  private readonly ctx: Context;
  private total: ToolUsage = {};
  private noted: ToolUsage = {};
  private charged: ToolUsage = {};

  constructor(ctx: Context) {
    this.ctx = ctx;
  }

  /** Sets the total usage so far. */
  take(usage: ToolUsage | undefined): void {
    this.total = usage ?? this.total;
    this.note();
    this.settle();
  }

  settle(): void {
    const usage = grownBy(this.total, this.charged);
    if (usage && this.ctx.find("agent")?.charge(usage, { told: true })) this.charged = this.total;
  }

  private note(): void {
    const { total, ctx } = this;
    const usage = grownBy(total, this.noted);
    if (!usage || ctx.signal.aborted) return;
    this.noted = total;
    // Emitted even if no turn is running, for clients that wait for the subagent and may have set a limit.
    ctx.session.emit("usage_charged", { usage });
    const data = { hidden: true, model: "Task", usage: { ...usage, sessionId: total.sessionId } };
    ctx.session.append("custom", { kind: "spent", data }).catch((thrown: unknown) => {
      if (!ctx.signal.aborted) ctx.report("append", thrown);
    });
  }
}

/** How much a usage exceeds an earlier one; undefined if they are equal. */
function grownBy(total: ToolUsage, before: ToolUsage): Usage | undefined {
  const [input, output, cacheRead, cacheWrite] = COUNTS.map((key) => (total[key] ?? 0) - (before[key] ?? 0)) as [
    number,
    number,
    number,
    number,
  ];
  const cost = (total.cost?.total ?? 0) - (before.cost?.total ?? 0);
  const totalTokens = input + output + cacheRead + cacheWrite;
  if (totalTokens === 0 && cost === 0) return undefined;
  const parts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return { input, output, cacheRead, cacheWrite, totalTokens, cost: { ...parts, total: cost } };
}
