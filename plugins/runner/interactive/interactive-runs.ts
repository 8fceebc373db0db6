import type { RunnerContext } from "../config.ts";
import type { RunRequest, SessionAnswer, SessionRequest } from "../contract.ts";
import { errors } from "../errors.ts";
import { InteractiveRun, type RunEnd } from "./interactive-run.ts";

const MOST_RUNS = 8;
/** The most output in one answer, in bytes. */
const PAGE_BYTES = 16_384;
const WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Milliseconds that an ended program is remembered; earlier ones are forgotten when there are more than MOST_ENDED. */
const KEPT_MS = 30 * 60 * 1000;
const MOST_ENDED = 16;

/** How a caller waits for an answer. */
export interface Waiting {
  signal?: AbortSignal | undefined;
  /** Receives the output so far; each call replaces the previous one. */
  onText?(text: string): void;
}

/** The interactive programs of a session. */
export class InteractiveRuns {
  private readonly ctx: RunnerContext;
  private readonly runs = new Map<string, InteractiveRun>();

  constructor(ctx: RunnerContext) {
    this.ctx = ctx;
  }

  /**
   * Starts a program and returns when it asks for something, has ended, or a second has passed. If cancelled, the
   * program is killed, since the caller would never learn its id. Throws RUN errors.
   */
  async start(request: RunRequest, waiting: Waiting = {}, toolCallId?: string): Promise<SessionAnswer> {
    const { signal } = waiting;
    signal?.throwIfAborted();
    this.makeRoom();
    const run = new InteractiveRun(this.ctx, request, toolCallId);
    this.runs.set(run.id, run);
    try {
      await run.started;
      if (request.stdin !== undefined) await run.write(request.stdin);
      await quiet(run, 0, WAIT_MS, waiting);
      signal?.throwIfAborted();
      return answerOf(run);
    } catch (thrown) {
      this.runs.delete(run.id);
      await run.abandon();
      throw thrown;
    }
  }

  /**
   * Writes to a program, kills it, or only waits; then returns its output. Cancelling ends only the waiting. Throws RUN_SESSION
   * errors.
   */
  async go(request: SessionRequest, waiting: Waiting = {}): Promise<SessionAnswer> {
    const { session_id, write, close, kill, offset, yield_ms = WAIT_MS } = request;
    const run = this.find(session_id);
    if (kill && (write !== undefined || close)) throw errors.RUN_SESSION_ARGUMENTS();
    const late = run.end !== undefined && (write !== undefined || close || kill);
    if (late) return answerOf(run, offset, ["it had ended before, so nothing was done to it"]);
    const since = write === undefined ? run.returned : run.length;
    if (write !== undefined) await run.write(lineOf(request));
    if (close) await run.closeInput();
    if (kill) await run.kill().then(() => run.over);
    else if (write !== undefined || close || (offset ?? run.length) >= run.length)
      await quiet(run, since, Math.min(yield_ms, LONGEST_WAIT_MS), waiting);
    // Output that nobody receives must not be marked as returned.
    waiting.signal?.throwIfAborted();
    return answerOf(run, offset);
  }

  /** The state of a program; undefined for an unknown id. */
  endOf(id: string): RunEnd | "running" | undefined {
    const run = this.runs.get(id);
    return run && (run.end ?? "running");
  }

  /** Kills all programs. */
  async close(): Promise<void> {
    await Promise.all([...this.runs.values()].map((run) => run.abandon()));
    this.runs.clear();
  }

  /** Throws RUN_SESSION_UNKNOWN. */
  find(id: string): InteractiveRun {
    const found = this.runs.get(id.trim());
    if (found) return found;
    const ids = [...this.runs.values()].map(({ id, skill }) => `${id} (${skill})`);
    throw errors.RUN_SESSION_UNKNOWN({ id, ids });
  }

  private makeRoom(): void {
    const now = performance.now();
    const all = [...this.runs.values()];
    const running = all.filter(({ end }) => !end);
    if (running.length >= MOST_RUNS)
      throw errors.RUN_SESSIONS_FULL({ limit: MOST_RUNS, ids: running.map(({ id }) => id) });
    const ended = all.filter(({ end }) => end).sort((a, b) => b.endedAt - a.endedAt);
    for (const [at, { id, endedAt }] of ended.entries())
      if (at >= MOST_ENDED || now - endedAt > KEPT_MS) this.runs.delete(id);
  }
}

/** Waits, and passes on output meanwhile. */
async function quiet(run: InteractiveRun, since: number, ms: number, { signal, onText }: Waiting): Promise<void> {
  const unwatch = onText && run.watch(() => onText(run.peek(PAGE_BYTES)));
  await run.quiet(since, ms, signal);
  unwatch?.();
}

function lineOf({ write = "", close }: SessionRequest): string {
  return close || write.endsWith("\n") ? write : `${write}\n`;
}

function answerOf(run: InteractiveRun, offset?: number, told: readonly string[] = []): SessionAnswer {
  const { end, interaction, isInputPending, hasClosedInput } = run;
  if (end && "thrown" in end) throw end.thrown;
  const page = run.read(offset, PAGE_BYTES);
  const behind = isInputPending ? ["it has not read all that was written to it yet"] : [];
  const deaf = hasClosedInput ? ["it closed its input before it had read all that was written to it"] : [];
  const warnings = [...told, ...leftOut(page, offset), ...behind, ...deaf];
  return {
    status: end ? "exited" : "running",
    session_id: run.id,
    output: page.text,
    offset: page.offset,
    next_offset: page.next,
    ...(end && { exit_code: end.result.exit_code }),
    ...(interaction && { interaction }),
    ...(end && { result: end.result }),
    ...(warnings.length > 0 && { warnings }),
  };
}

function leftOut({ skipped, offset: at }: ReturnType<InteractiveRun["read"]>, asked: number | undefined): string[] {
  if (skipped === 0) return [];
  return [
    asked === undefined
      ? `${skipped} bytes before this were left out: offset ${at - skipped} begins with them`
      : `${skipped} bytes before this are no longer kept`,
  ];
}
