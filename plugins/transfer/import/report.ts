import type { Damage, ImportFormat, ImportReport } from "../contract.ts";
import { lineOf } from "../json.ts";

const SHOWN_DAMAGE = 100;
/** Maximum number of types that are counted separately. */
const MOST_TYPES = 100;

/** Collects what happens during an import. */
export class Report {
  readonly kept: Record<string, number> = {};
  readonly leftOut: Record<string, number> = {};
  readonly damaged: Damage[] = [];
  damagedCount = 0;
  messages = 0;
  /** The session's description from the file, for display only. */
  origin: { sessionId?: string; cwd?: string; chosenModel?: string } = {};

  keep(type: string): void {
    count(this.kept, type);
  }

  leaveOut(type: string): void {
    count(this.leftOut, type);
  }

  damage(damage: Damage): void {
    this.damagedCount++;
    if (this.damaged.length < SHOWN_DAMAGE) this.damaged.push(damage);
  }

  setOrigin(sessionId: unknown, cwd: unknown): void {
    const known = { sessionId: lineOf(sessionId, 64), cwd: lineOf(cwd, 1000) };
    if (known.sessionId !== "") this.origin.sessionId ??= known.sessionId;
    if (known.cwd !== "") this.origin.cwd ??= known.cwd;
  }

  /** Notes a model that was chosen in the session, which has no effect here. The last one counts. */
  setChosenModel(name: unknown): void {
    const known = lineOf(name, 200);
    if (known !== "") this.origin.chosenModel = known;
  }

  /** Returns the report for the client. */
  of({ sessionId, format, cwd, events }: Pick<ImportReport, "sessionId" | "format" | "cwd" | "events">): ImportReport {
    const { kept, leftOut, damaged, damagedCount, messages, origin } = this;
    const told = { sessionId, format, cwd, events, messages, kept, leftOut, damaged, damagedCount };
    return {
      ...told,
      ...(origin.cwd !== undefined && { origin: origin.cwd }),
      text: this.text(sessionId, format, cwd),
    };
  }

  private text(sessionId: string, format: ImportFormat, cwd: string): string {
    const { kept, leftOut, damaged, damagedCount, messages, origin } = this;
    const said = `${messages} ${messages === 1 ? "message" : "messages"}`;
    const lines = [`New session ${sessionId}: ${said} of a ${NAMES[format]} session.`];
    if (origin.cwd !== undefined && origin.cwd !== cwd)
      lines.push(`It worked in ${origin.cwd}; here it works in ${cwd}. --cwd names another directory.`);
    if (origin.chosenModel !== undefined)
      lines.push(`It used the model ${origin.chosenModel}; here it uses the configured one. /model chooses another.`);
    lines.push(...counted("Kept, but hidden", kept), ...counted("Left out", leftOut));
    lines.push(...damaged.slice(0, 10).map(({ line, offset, reason }) => `Line ${line}, offset ${offset}: ${reason}.`));
    const more = damagedCount - 10;
    if (more > 0) lines.push(`${more} more ${more === 1 ? "line" : "lines"} could not be read.`);
    return [...lines, `To continue in it: scorel --session ${sessionId}`].join("\n");
  }
}

const NAMES: Readonly<Record<ImportFormat, string>> = {
  scorel: "Scorel",
  "claude-code": "Claude Code",
  codex: "Codex",
  pi: "pi",
};

function counted(title: string, counts: Record<string, number>): string[] {
  const rows = Object.entries(counts).map(([type, number]) => `${number} ${type}`);
  return rows.length === 0 ? [] : [`${title}: ${rows.join(", ")}.`];
}

function count(counts: Record<string, number>, type: string): void {
  const name = lineOf(type, 60) || "unnamed";
  const key = Object.hasOwn(counts, name) || Object.keys(counts).length < MOST_TYPES ? name : "others";
  // A file may call a type "constructor".
  counts[key] = (Object.hasOwn(counts, key) ? (counts[key] as number) : 0) + 1;
}
