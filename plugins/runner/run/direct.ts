import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, newId } from "@scorel/kernel";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { onAbort } from "@scorel/kit/values/abort";
import { reasonOf } from "@scorel/kit/values/coded-error";
import type { SandboxEnd } from "@scorel/sandbox/contract";
import type { RunnerContext } from "../config.ts";
import type { DirectEnd, DirectOutput, DirectRequest } from "../contract.ts";
import { errors } from "../errors.ts";
import { leftOut, matcher, namesBelow, realFile } from "../workspace/outputs.ts";
import { temporaryFolder } from "../workspace/workspace-folder.ts";
import { REF_HINT } from "./result.ts";
import { type StartedSkill, startSkill } from "./run.ts";

/** A program that a person runs. Its output is passed on byte for byte, as fast as the client reads it. */
class DirectRun {
  private readonly unread: { from: DirectOutput["from"]; bytes: Uint8Array; taken(): void }[] = [];
  private readonly clientLeft: AbortSignal;
  /** Wakes the calls of `next` that wait. */
  private readonly waiting: (() => void)[] = [];
  private end: DirectEnd | Error | undefined;

  constructor(clientLeft: AbortSignal) {
    this.clientLeft = clientLeft;
    clientLeft.addEventListener("abort", () => this.leave(), { once: true });
  }

  /** Queues output for the client. Resolves when the client has read it or has disconnected. */
  receive(bytes: Uint8Array, from: DirectOutput["from"]): Promise<void> | void {
    if (this.clientLeft.aborted) return;
    return new Promise((taken) => {
      this.unread.push({ from, bytes, taken });
      this.wake();
    });
  }

  finish(end: DirectEnd | Error): void {
    this.end = end;
    this.wake();
  }

  /** Returns new output as soon as there is some; after the last output, how the program ended. Throws what `finish` got. */
  async next(): Promise<{ output: DirectOutput[]; ended?: DirectEnd }> {
    // Again after each wake, since another call may have taken the output.
    while (this.unread.length === 0 && !this.end && !this.clientLeft.aborted)
      await new Promise<void>((resolve) => void this.waiting.push(resolve));
    const output = this.take();
    if (output.length > 0 || !this.end) return { output };
    if (this.end instanceof Error) throw this.end;
    return { output, ended: this.end };
  }

  private leave(): void {
    this.take();
    this.wake();
  }

  private wake(): void {
    for (const go of this.waiting.splice(0)) go();
  }

  private take(): DirectOutput[] {
    const chunks = this.unread.splice(0);
    for (const { taken } of chunks) taken();
    return chunks.map(({ from, bytes }) => ({ from, base64: Buffer.from(bytes).toString("base64") }));
  }
}

interface Running {
  run: DirectRun;
  started: StartedSkill;
  stop: AbortController;
  /** Settles when the program and its files are gone. */
  ending: Promise<void>;
  forget(): void;
}

/** The programs that people run in one session. */
export class DirectRuns {
  private readonly ctx: RunnerContext;
  private readonly runs = new Map<string, Running>();
  private readonly closing = new AbortController();

  constructor(ctx: RunnerContext) {
    this.ctx = ctx;
  }

  /** Returns the id of the started run. Throws RUN and SANDBOX errors. */
  async start({ request, stdin = false, host = [], out, keep = false }: DirectRequest, left: AbortSignal) {
    if (out !== undefined) assertEmpty(out);
    const folder = temporaryFolder();
    const stop = new AbortController();
    const signal = AbortSignal.any([left, stop.signal]);
    const run = new DirectRun(AbortSignal.any([left, this.closing.signal]));
    const options = { signal, interactive: stdin, onBytes: run.receive.bind(run) };
    const place = { base: folder.path, host };
    try {
      const started = await startSkill(this.ctx, { ...request, outputs: OUTPUTS }, options, place);
      const id = newId();
      const ending = this.end(started, folder, { out, keep }).then(
        (end) => run.finish(end),
        (thrown: Error) => run.finish(thrown),
      );
      // Nobody asks for the end of a run whose client has left.
      const ignore = onAbort(left, () => void ending.then(() => this.runs.delete(id)));
      const forget = () => {
        ignore();
        this.runs.delete(id);
      };
      this.runs.set(id, { run, started, stop, ending, forget });
      return { run: id };
    } catch (thrown) {
      folder.remove();
      throw thrown;
    }
  }

  async follow(id: string): Promise<{ output: DirectOutput[]; ended?: DirectEnd }> {
    const { run, forget } = this.of(id);
    const told = await run.next().catch((thrown: unknown) => {
      forget();
      throw thrown;
    });
    if (told.ended) forget();
    return told;
  }

  /** Returns whether the program still reads its input. */
  async feed(id: string, base64: string, end: boolean): Promise<{ open: boolean }> {
    const { program } = this.of(id).started;
    const open = await program.write(Buffer.from(base64, "base64")).then(
      () => !end,
      () => false,
    );
    if (end) program.closeStdin();
    return { open };
  }

  stop(id: string): void {
    this.runs.get(id)?.stop.abort();
  }

  /** Kills all programs; their workspaces are removed unless `keep` was set. */
  async close(): Promise<void> {
    // No client reads the output after this.
    this.closing.abort();
    const ending = [...this.runs.values()].map(({ stop, ending: ended }) => {
      stop.abort();
      return ended;
    });
    await Promise.all(ending);
  }

  private of(id: string) {
    const found = this.runs.get(id);
    if (!found) throw errors.RUN_UNKNOWN({ run: id });
    return found;
  }

  private async end(
    { program, ready, finish }: StartedSkill,
    folder: ReturnType<typeof temporaryFolder>,
    { out, keep }: { out: string | undefined; keep: boolean },
  ): Promise<DirectEnd> {
    const { root } = ready.layout;
    try {
      const { warnings = [], ...result } = await finish();
      const { exitCode, ended, failed } = (await program.ended) as SandboxEnd;
      const told = warnings.filter((warning) => warning !== REF_HINT);
      return {
        result: { ...result, ...(told.length > 0 && { warnings: told }) },
        ...(exitCode !== undefined && { exitCode }),
        ...(ended && { ended }),
        ...(failed !== undefined && { failed }),
        ...copyOutputs(root, out),
        ...(keep && { workspace: root }),
      };
    } finally {
      if (!keep) ready.steps.record("workspace.cleanup", { exec_id: this.ctx.session.id, path: root }, folder.remove);
    }
  }
}

const OUTPUTS = { globs: ["out/**"], inline: true };

/** Throws RUN_OUT when the folder is not new or empty. */
function assertEmpty(out: string): void {
  try {
    if (fs.readdirSync(out).length > 0) throw errors.RUN_OUT({ out, reason: "it is not empty" });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return;
    throw codeOf(thrown) === "RUN_OUT" ? thrown : errors.RUN_OUT({ out, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

/** Lists the files of out/ and copies them if requested. Links that lead outside are not followed. Throws RUN_OUT. */
function copyOutputs(root: string, out: string | undefined): Pick<DirectEnd, "files" | "leftOut"> {
  const { names, cut } = namesBelow(root, matcher(["out/**"]));
  const left = cut ? ["out/ contains more files than are examined"] : [];
  const files = names.flatMap((name) => {
    const real = realFile(root, name);
    if (real === undefined) {
      left.push(leftOut(name));
      return [];
    }
    const { size } = fs.statSync(real);
    if (out === undefined) return [{ name, size }];
    const to = join(out, name.slice("out/".length));
    try {
      makeFolder(dirname(to), 0o777);
      fs.copyFileSync(real, to, fs.constants.COPYFILE_EXCL);
    } catch (thrown) {
      throw errors.RUN_OUT({ out: to, reason: reasonOf(thrown) }, { cause: thrown });
    }
    return [{ name, size, to }];
  });
  return { files, leftOut: left };
}
