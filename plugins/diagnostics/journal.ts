import { type AnyEvent, type BaseContext, isEvent, type Missed } from "@scorel/kernel";
import type { ScorelMessage } from "@scorel/messages/contract";
import { LineFile } from "./file.ts";
import { lineOf } from "./lines.ts";
import { scrub } from "./scrub.ts";

/** Number of recent messages that an error may quote. */
const QUOTABLE = 20;
const DEEPEST = 16;

/** Writes the readable log of one session. A session without events leaves no file. */
export class Journal {
  private readonly ctx: BaseContext;
  private readonly file: LineFile;
  /** Lines from before the session's log exists on disk. */
  private waiting: string[] = [];
  private begun = false;
  /** The number of lines that could not be written since the last successful write. */
  private lost = 0;

  constructor(ctx: BaseContext, path: string) {
    this.ctx = ctx;
    this.file = new LineFile(path);
  }

  hear(event: AnyEvent | Missed): void {
    const told = event.type === "missed" ? missed(event as Missed) : lineOf(event as AnyEvent);
    if (told) this.waiting.push(this.format(event, told));
    this.begun ||= this.ctx.session.tree.size > 0;
    if (this.begun) this.flush();
  }

  close(): void {
    this.file.close();
  }

  /**
   * Writes the waiting lines. A failure is reported once. Later lines are tried again; before the first that can be written, a line says how
   * many are missing.
   */
  private flush(): void {
    const lines = this.waiting.splice(0);
    if (lines.length === 0) return;
    try {
      this.file.write(this.lost === 0 ? lines : [this.lostLine(), ...lines]);
      this.lost = 0;
    } catch (thrown) {
      if (this.lost === 0) this.ctx.report("the session's readable log", thrown);
      this.lost += lines.length;
    }
  }

  private lostLine(): string {
    return `${new Date().toISOString()} warn  ${this.lost} lines are missing here: the file could not be written`;
  }

  private format(event: AnyEvent | Missed, { level, text }: { level: string; text: string }): string {
    const at = new Date("ts" in event ? event.ts : Date.now()).toISOString();
    // Redacted before the text is cut, since a part of a secret would not be recognised.
    const redacted = this.ctx.find("secrets")?.redact(text) ?? text;
    return `${at} ${level.padEnd(5)} ${scrub(redacted, level === "info" ? [] : this.quotable())}`;
  }

  /** Returns the texts of recent messages, which must not appear in this file. */
  private quotable(): string[] {
    const { tree } = this.ctx.session;
    const texts: string[] = [];
    for (let event = tree.last, left = QUOTABLE; event && left > 0; event = tree.parent(event.id), left--)
      if (isEvent(event, "message")) texts.push(...textsOf(event.message));
    return texts;
  }
}

function missed({ from, to }: Missed): { level: string; text: string } {
  return { level: "warn", text: `fell behind: what passed between ${from} and ${to} is not told here` };
}

function textsOf({ content }: ScorelMessage): string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    if (block.type === "thinking") return [block.thinking];
    return block.type === "toolCall" ? stringsIn(block.arguments) : [];
  });
}

/** The strings in a value, up to a depth that no arguments of a tool need. */
function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > DEEPEST) return [];
  return Object.values(value).flatMap((inner) => stringsIn(inner, depth + 1));
}
