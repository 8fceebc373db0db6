import type { Redaction, Redactor } from "./redaction.ts";
import { TextHead } from "./text-head.ts";

const OUTPUT_BYTES = 16_384;

export type Source = "stdout" | "stderr";

/** Receives a program's output, with secrets redacted. */
export type OnText = (text: string, from: Source) => void;

/**
 * Collects a program's output with secrets redacted: keeps the beginning of each stream and passes everything on to a listener.
 */
export class Outcome {
  readonly stdout = new TextHead(OUTPUT_BYTES);
  readonly stderr = new TextHead(OUTPUT_BYTES);
  private readonly redactors: Record<Source, Redactor>;
  private readonly onText: OnText | undefined;

  constructor({ redactor }: Pick<Redaction, "redactor">, onText?: OnText) {
    this.redactors = { stdout: redactor(), stderr: redactor() };
    this.onText = onText;
  }

  write(text: string, from: Source): void {
    // Without a listener, output beyond the limit is dropped without further work.
    if (this[from].truncated && !this.onText) return;
    this.keep(this.redactors[from].write(text), from);
  }

  /** Flushes text that was held back. */
  end(): void {
    for (const from of ["stdout", "stderr"] as const) this.keep(this.redactors[from].end(), from);
  }

  /** The streams of which only the beginning was kept. */
  get truncated(): Source[] {
    return (["stdout", "stderr"] as const).filter((from) => this[from].truncated);
  }

  private keep(text: string, from: Source): void {
    if (text === "") return;
    this[from].write(text);
    this.onText?.(text, from);
  }
}
