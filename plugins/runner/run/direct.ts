import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, newId } from "@scorel/kernel";
import { reasonOf } from "@scorel/kit/values/coded-error";
import type { SandboxEnd } from "@scorel/sandbox/contract";
import type { RunnerContext } from "../config.ts";
import type { DirectEnd, DirectOutput, DirectRequest } from "../contract.ts";
import { errors } from "../errors.ts";
import { leftOut, matcher, namesBelow, realFile } from "../workspace/outputs.ts";
import { temporaryFolder } from "../workspace/workspace-folder.ts";
import { REF_HINT } from "./result.ts";
import { type StartedSkill, startSkill } from "./run.ts";

/** A running program of a person. Its output is passed on byte for byte, at the pace at which it is read. */
class DirectRun {
  private readonly said: { from: DirectOutput["from"]; bytes: Uint8Array; taken(): void }[] = [];
  private readonly gone: AbortSignal;
  private wake = () => {};
  private end: DirectEnd | Error | undefined;

  constructor(gone: AbortSignal) {
    this.gone = gone;
    gone.addEventListener("abort", () => this.take(), { once: true });
  }

  /** Resolves when the bytes were read, or when nobody is left to read them. */
  hear(bytes: Uint8Array, from: DirectOutput["from"]): Promise<void> | void {
    if (this.gone.aborted) return;
    return new Promise((taken) => {
      this.said.push({ from, bytes, taken });
      this.wake();
    });
  }

  finish(end: DirectEnd | Error): void {
    this.end = end;
    this.wake();
  }

  /** Returns new output as soon as there is some; after the last output, how the program ended. */
  async next(): Promise<{ output: DirectOutput[]; ended?: DirectEnd }> {
    if (this.said.length === 0 && !this.end && !this.gone.aborted)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    const output = this.take();
    if (output.length > 0 || !this.end) return { output };
    if (this.end instanceof Error) throw this.end;
    return { output, ended: this.end };
  }

  private take(): DirectOutput[] {
    const said = this.said.splice(0);
    for (const { taken } of said) taken();
    this.wake();
    return said.map(({ from, bytes }) => ({ from, base64: Buffer.from(bytes).toString("base64") }));
  }
}

interface Running {
  run: DirectRun;
  started: StartedSkill;
  stop: AbortController;
  /** Settles when the program and its files are gone. */
  ending: Promise<void>;
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
    const options = { signal, interactive: stdin, onBytes: run.hear.bind(run) };
    const place = { base: folder.path, host };
    try {
      const started = await startSkill(this.ctx, { ...request, outputs: OUTPUTS }, options, place);
      const id = newId();
      const ending = this.end(started, folder, { out, keep }).then(
        (end) => run.finish(end),
        (thrown: Error) => run.finish(thrown),
      );
      this.runs.set(id, { run, started, stop, ending });
      return { run: id };
    } catch (thrown) {
      folder.remove();
      throw thrown;
    }
  }

  async follow(id: string): Promise<{ output: DirectOutput[]; ended?: DirectEnd }> {
    const told = await this.of(id).run.next();
    if (told.ended) this.runs.delete(id);
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

  /** Kills all programs and removes their workspaces. */
  async close(): Promise<void> {
    // Nobody reads their output any more.
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

/** Throws RUN_OUT. */
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
  const left = cut ? ["there is more in out/ than is looked at"] : [];
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
      fs.mkdirSync(dirname(to), { recursive: true });
      fs.copyFileSync(real, to, fs.constants.COPYFILE_EXCL);
    } catch (thrown) {
      throw errors.RUN_OUT({ out: to, reason: reasonOf(thrown) }, { cause: thrown });
    }
    return [{ name, size, to }];
  });
  return { files, leftOut: left };
}
