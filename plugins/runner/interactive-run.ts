import { newId } from "@scorel/kernel";
import type { SandboxRun } from "@scorel/sandbox/contract";
import { interactionIn, patienceFor, type Tails } from "./asking.ts";
import type { RunnerContext } from "./config.ts";
import type { Interaction, RunRequest, RunResult } from "./contract.ts";
import { errors } from "./errors.ts";
import type { OnText, Source } from "./outcome.ts";
import { type StartedSkill, startSkill } from "./run.ts";
import { type Page, Transcript } from "./transcript.ts";

const KEPT_BYTES = 512 * 1024;
const MOST_WRITTEN = 1024 * 1024;
/** Characters at the end of each output, where a question would be. */
const LOOKED_AT = 2_048;
const ID_LENGTH = 6;
/** Without a terminal Python keeps what it says to itself, also when it waits for an answer. */
const unbuffered = { PYTHONUNBUFFERED: "1" };

/** How a program ended: with its result, or why there is none. */
export type RunEnd = { result: RunResult } | { thrown: unknown };

/** A program of a skill that is spoken with while it runs. */
export class InteractiveRun {
  readonly id = newId().slice(0, ID_LENGTH);
  readonly skill: string;
  readonly command: string;
  /** Settles when it has ended and its files are collected; never rejects. */
  readonly over: Promise<void>;
  /** Absent while it runs, and for ever where nobody is to hear of it. */
  end: RunEnd | undefined;
  /** By `performance.now()`. */
  endedAt = 0;
  /** How far it was told: an offset. */
  told = 0;
  /** It closed its input before it had read all that was written. */
  isDeaf = false;
  private readonly transcript = new Transcript(KEPT_BYTES);
  private readonly watchers = new Set<() => void>();
  private tails: Tails = { stdout: "", stderr: "", last: "stdout" };
  private readonly program: Promise<SandboxRun>;
  private input: "open" | "busy" | "closed" = "open";
  /** All that was written to it, for the record of its run. */
  private readonly written: string[] = [];
  private abandoned = false;

  /** Starts it; `started` rejects when that fails. */
  constructor(ctx: RunnerContext, request: RunRequest, toolCallId?: string) {
    const { skill, command } = request;
    this.skill = skill.trim();
    this.command = command;
    const onText: OnText = (text, from) => this.hear(text, from);
    const started = startSkill(ctx, request, { interactive: true, onText }, { toolCallId, env: unbuffered });
    this.program = started.then(({ program }) => program);
    this.over = started
      .then((begun) => this.collect(begun))
      .catch((thrown: unknown) => ({ thrown }))
      .then((end) => {
        this.end = end;
        this.endedAt = performance.now();
        this.wake();
      });
  }

  /** Resolves when it runs; rejects as `runSkill` does. */
  get started(): Promise<void> {
    return this.program.then(() => {});
  }

  /** Where the next output begins. */
  get length(): number {
    return this.transcript.end;
  }

  /** Whether it has not taken in all that was written to it. */
  get isBehind(): boolean {
    return this.input === "busy" && !this.end;
  }

  /** Gives it this text, without waiting until it was read. Throws RUN_SESSION_INPUT. */
  async write(text: string): Promise<void> {
    const refuse = (reason: string) => errors.RUN_SESSION_INPUT({ id: this.id, reason });
    if (this.input === "closed") throw refuse("its input is closed");
    if (this.input === "busy") throw refuse("it has not read all that was written before");
    if (Buffer.byteLength(text) > MOST_WRITTEN)
      throw refuse(`the text is longer than ${MOST_WRITTEN} bytes; give it as a file, by inputs`);
    this.input = "busy";
    this.written.push(text);
    // What it asked before is answered with this.
    this.tails = { stdout: "", stderr: "", last: "stdout" };
    const program = await this.program;
    void program.write(text).then(
      () => this.settle("open"),
      () => {
        this.isDeaf = !this.end;
        this.settle("closed");
      },
    );
  }

  /** Its input ends, once it has read what was written. */
  async closeInput(): Promise<void> {
    this.input = "closed";
    (await this.program).closeStdin();
  }

  /** Ends it at once, with all that came from it. */
  async kill(): Promise<void> {
    const program = await this.program.catch(() => undefined);
    await program?.kill();
  }

  /** Ends it for nobody to hear of: nothing of it is collected. */
  async abandon(): Promise<void> {
    this.abandoned = true;
    await this.kill();
    await this.over;
  }

  /** What it said from there on; without an offset what was not told yet, of much only the end. */
  read(offset: number | undefined, limit: number): Page & { skipped: number } {
    const from = offset ?? this.told;
    const page = offset === undefined ? this.transcript.last(from, limit) : this.transcript.from(from, limit);
    this.told = Math.max(this.told, page.next);
    return { ...page, skipped: Math.max(0, page.offset - from) };
  }

  /** The end of what was not told yet, which stays so. */
  peek(limit: number): string {
    return this.transcript.last(this.told, limit).text;
  }

  /** Hears of each output and of the end, until the answer is called. */
  watch(heard: () => void): () => void {
    this.watchers.add(heard);
    return () => void this.watchers.delete(heard);
  }

  /** What it seems to wait for. */
  get interaction(): Interaction | undefined {
    return this.end || this.input === "closed" ? undefined : interactionIn(this.tails);
  }

  /**
   * Resolves when it has ended, when it seems to wait for an answer after what it said from `since` on, when the signal aborts,
   * or after so many milliseconds.
   */
  quiet(since: number, ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      let pause: NodeJS.Timeout | undefined;
      const look = () => {
        clearTimeout(pause);
        if (this.end || signal?.aborted) return done();
        const patience = this.length > since ? patienceFor(this.tails, ms) : undefined;
        if (patience !== undefined) pause = setTimeout(done, patience);
      };
      const done = () => {
        clearTimeout(pause);
        clearTimeout(latest);
        unwatch();
        signal?.removeEventListener("abort", look);
        resolve();
      };
      const latest = setTimeout(done, ms);
      const unwatch = this.watch(look);
      signal?.addEventListener("abort", look);
      look();
    });
  }

  private async collect({ program, finish }: StartedSkill): Promise<RunEnd | undefined> {
    await program.ended;
    return this.abandoned ? undefined : { result: await finish(() => this.written.join("")) };
  }

  private hear(text: string, from: Source): void {
    this.transcript.write(text);
    this.tails = { ...this.tails, [from]: (this.tails[from] + text).slice(-LOOKED_AT), last: from };
    this.wake();
  }

  private settle(input: "open" | "closed"): void {
    if (this.input !== "closed") this.input = input;
  }

  private wake(): void {
    for (const look of [...this.watchers]) look();
  }
}
