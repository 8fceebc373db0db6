import type { Hiding, Redactor } from "./hiding.ts";
import { Kept } from "./kept.ts";

const OUTPUT_BYTES = 16_384;

export type Source = "stdout" | "stderr";

/** Hears what a program says, without secrets. */
export type OnText = (text: string, from: Source) => void;

/** What a program says: the beginning of each of its outputs is kept, and all of it told to whoever listens, without secrets. */
export class Outcome {
  readonly stdout = new Kept(OUTPUT_BYTES);
  readonly stderr = new Kept(OUTPUT_BYTES);
  private readonly redactors: Record<Source, Redactor>;
  private readonly onText: OnText | undefined;

  constructor({ redactor }: Pick<Hiding, "redactor">, onText?: OnText) {
    this.redactors = { stdout: redactor(), stderr: redactor() };
    this.onText = onText;
  }

  write(text: string, from: Source): void {
    // Of a flood that nobody hears only the beginning costs anything.
    if (this[from].truncated && !this.onText) return;
    this.keep(this.redactors[from].write(text), from);
  }

  /** Nothing more will be said. */
  end(): void {
    for (const from of ["stdout", "stderr"] as const) this.keep(this.redactors[from].end(), from);
  }

  /** The outputs of which only the beginning was kept. */
  get truncated(): Source[] {
    return (["stdout", "stderr"] as const).filter((from) => this[from].truncated);
  }

  private keep(text: string, from: Source): void {
    if (text === "") return;
    this[from].write(text);
    this.onText?.(text, from);
  }
}
