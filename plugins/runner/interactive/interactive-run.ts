import { newId } from "@scorel/kernel";
import type { SandboxRun } from "@scorel/sandbox/contract";
import type { RunnerContext } from "../config.ts";
import type { Interaction, RunRequest, RunResult } from "../contract.ts";
import { errors } from "../errors.ts";
import type { OnText, Source } from "../run/outcome.ts";
import { type StartedSkill, startSkill } from "../run/run.ts";
import { type Page, Transcript } from "../run/transcript.ts";
import { interactionIn, patienceFor, type Tails } from "./prompts.ts";

const KEPT_BYTES = 512 * 1024;
const MOST_WRITTEN = 1024 * 1024;
/** How many characters at the end of each output stream are searched for a question. */
const LOOKED_AT = 2_048;
const ID_LENGTH = 6;
/** Without a terminal, Python buffers its output even when it waits for an answer. */
const unbuffered = { PYTHONUNBUFFERED: "1" };

/** How a program ended: with a result or an error. */
export type RunEnd = { result: RunResult } | { thrown: unknown };

/** A skill's program that the model talks to while it runs. */
export class InteractiveRun {
  readonly id = newId().slice(0, ID_LENGTH);
  readonly skill: string;
  readonly command: string;
  /** Settles when the program has ended and its files are collected. Never rejects. */
  readonly over: Promise<void>;
  /** Undefined while the program runs, and after `abandon`. */
  end: RunEnd | undefined;
  /** When the program ended, in `performance.now()` milliseconds. */
  endedAt = 0;
  /** The offset up to which output was returned. */
  returned = 0;
  /** Whether the program closed its input before reading everything that was written. */
  hasClosedInput = false;
  private readonly transcript = new Transcript(KEPT_BYTES);
  private readonly watchers = new Set<() => void>();
  private tails: Tails = { stdout: "", stderr: "", last: "stdout" };
  private readonly program: Promise<SandboxRun>;
  private input: "open" | "busy" | "closed" = "open";
  /** All text that was written to the program, for the record of its run. */
  private readonly written: string[] = [];
  private abandoned = false;

  /** Starts the program; `started` rejects if that fails. */
  constructor(ctx: RunnerContext, request: RunRequest, toolCallId?: string) {
    const { skill, command } = request;
    this.skill = skill.trim();
    this.command = command;
    const onText: OnText = (text, from) => this.receive(text, from);
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

  /** Resolves when the program runs; rejects as `runSkill` does. */
  get started(): Promise<void> {
    return this.program.then(() => {});
  }

  /** The offset of the next output. */
  get length(): number {
    return this.transcript.end;
  }

  /** Whether the program has not read everything that was written. */
  get isInputPending(): boolean {
    return this.input === "busy" && !this.end;
  }

  /** Writes text, without waiting until it is read. Throws RUN_SESSION_INPUT. */
  async write(text: string): Promise<void> {
    const refuse = (reason: string) => errors.RUN_SESSION_INPUT({ id: this.id, reason });
    if (this.input === "closed") throw refuse("its input is closed");
    if (this.input === "busy") throw refuse("it has not read all of the earlier input");
    if (Buffer.byteLength(text) > MOST_WRITTEN)
      throw refuse(`the text is longer than ${MOST_WRITTEN} bytes; pass it as a file with inputs`);
    this.input = "busy";
    this.written.push(text);
    // The text answers any earlier question.
    this.tails = { stdout: "", stderr: "", last: "stdout" };
    const program = await this.program;
    void program.write(text).then(
      () => this.settle("open"),
      () => {
        this.hasClosedInput = !this.end;
        this.settle("closed");
      },
    );
  }

  /** Closes the program's input after it has read what was written. */
  async closeInput(): Promise<void> {
    this.input = "closed";
    (await this.program).closeStdin();
  }

  /** Kills the program and everything it started. */
  async kill(): Promise<void> {
    const program = await this.program.catch(() => undefined);
    await program?.kill();
  }

  /** Kills the program and discards its result. */
  async abandon(): Promise<void> {
    this.abandoned = true;
    await this.kill();
    await this.over;
  }

  /** Returns output from an offset on. Without an offset, returns the end of the output that was not returned yet. */
  read(offset: number | undefined, limit: number): Page & { skipped: number } {
    const from = offset ?? this.returned;
    const page = offset === undefined ? this.transcript.last(from, limit) : this.transcript.from(from, limit);
    this.returned = Math.max(this.returned, page.next);
    return { ...page, skipped: Math.max(0, page.offset - from) };
  }

  /** The end of the output that was not returned yet, without marking it as returned. */
  peek(limit: number): string {
    return this.transcript.last(this.returned, limit).text;
  }

  /** Calls `onChange` on each output and at the end of the program, until the returned function is called. */
  watch(onChange: () => void): () => void {
    this.watchers.add(onChange);
    return () => void this.watchers.delete(onChange);
  }

  /** What the program seems to wait for. */
  get interaction(): Interaction | undefined {
    return this.end || this.input === "closed" ? undefined : interactionIn(this.tails);
  }

  /**
   * Resolves when the program has ended, seems to wait for an answer to output after `since`, the signal aborts, or `ms`
   * milliseconds have passed.
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

  private receive(text: string, from: Source): void {
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
