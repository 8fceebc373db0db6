import { type EventOf, isEvent, type StoredEvent } from "@scorel/kernel";
import type { Opened, Store } from "@scorel/kernel/store";
import { typedContent } from "@scorel/kit/session/typed";
import type { Logs } from "@scorel/logs/contract";
import type { ScorelMessage } from "@scorel/messages/contract";
import type { IndexedSkill, SkillReport } from "../contract.ts";
import { applied, keyOf, toolDetails } from "../load/state.ts";

/** A person's message, and the skills that the model knew when it was read. */
export interface Prompt {
  eventId: string;
  ts: number;
  /** The session's first turn is 1; messages sent during a turn belong to it. */
  turn: number;
  text: string;
  known: readonly IndexedSkill[];
}
/** How a skill was used. */
export type Way = keyof SkillReport["skills"][number]["loaded"] | "docs" | "run";
export interface Use {
  eventId: string;
  skill: string;
  way: Way;
  /** The prompt that led to the use. */
  prompt?: Prompt;
}
/** What one log contains about skills. */
export interface LogUse {
  sessionId: string;
  createdAt: number;
  /** Every skill that its model was told about, with the last description. */
  shown: ReadonlyMap<string, IndexedSkill>;
  prompts: readonly Prompt[];
  uses: readonly Use[];
  problems: Opened["problems"];
}

/**
 * Only records that contain one of these texts are read. They cannot match inside a string, where JSON escapes the
 * quotes.
 */
const SOUGHT = ['"role":"user"', '"toolName":"skill_'];
const TYPES = ["skill_index", "skill_state"];

/** Reads the skill events of a log. Throws STORE_READ and STORE_HEADER. */
export async function usesIn(logs: Logs, beside: string): Promise<LogUse> {
  const store = logs.open(beside + logs.ending, { readOnly: true, index: `${beside}.index` });
  try {
    const opened = store.open();
    const reader = new SessionReader(opened);
    if (opened.ledger.types.includes("skill_index"))
      for (const row of rowsIn(store, opened)) reader.add(opened.ledger.read(row));
    return reader.use;
  } finally {
    await store.close();
  }
}

function rowsIn(store: Store, { ledger }: Opened): number[] {
  const types = TYPES.map((type) => ledger.types.indexOf(type));
  const rows = new Set(SOUGHT.flatMap((text) => store.search(text, 0)));
  for (let row = 0; row < ledger.size; row++) if (types.includes(ledger.type[row] as number)) rows.add(row);
  return [...rows].sort((a, b) => a - b);
}

/** Follows a session over all its branches, including abandoned ones. */
class SessionReader {
  private readonly prompts: Prompt[] = [];
  private readonly uses: Use[] = [];
  private readonly shown = new Map<string, IndexedSkill>();
  private readonly since: number;
  private known: readonly IndexedSkill[] = [];
  private turn = 0;
  /** The prompts of the current turn. */
  private current: Prompt[] = [];
  readonly use: LogUse;

  constructor({ header, problems }: Opened) {
    const { at } = (header.meta.imported ?? {}) as { at?: unknown };
    // Imported events come from another program with other skills, so they are ignored.
    this.since = typeof at === "number" ? at : Number.NEGATIVE_INFINITY;
    const { prompts, uses, shown } = this;
    this.use = { sessionId: header.sessionId, createdAt: header.createdAt, prompts, uses, shown, problems };
  }

  add(event: StoredEvent | undefined): void {
    if (!event || event.ts <= this.since) return;
    if (isEvent(event, "skill_index")) this.told(event);
    if (isEvent(event, "skill_state")) this.named(event);
    if (isEvent(event, "message")) this.said(event, event.message);
  }

  /** The index is written at the start of a turn, after the message that starts it. */
  private told(event: EventOf<"skill_index">): void {
    this.known = event.snapshot ? event.skills : applied(this.known, event);
    for (const row of event.skills) this.shown.set(row.name, row);
    for (const prompt of this.current) prompt.known = this.known;
  }

  private named({ id, why, skills }: EventOf<"skill_state">): void {
    if (why !== "user") return;
    for (const { name } of skills) {
      const prompt = this.current.findLast(({ text }) => text.includes(name));
      const way = prompt?.text.trimStart().startsWith(`/skill:${name}`) ? "command" : "mention";
      this.used({ eventId: id, skill: name, way, ...(prompt && { prompt }) });
    }
  }

  private said({ id, ts }: StoredEvent, message: ScorelMessage): void {
    if (message.role === "user") {
      const isSteered = message.meta?.source === "steer";
      if (!isSteered) this.turn++;
      const prompt = {
        eventId: id,
        ts,
        turn: Math.max(1, this.turn),
        text: typedText(message.content),
        known: this.known,
      };
      this.current = isSteered ? [...this.current, prompt] : [prompt];
      this.prompts.push(prompt);
    }
    if (message.role !== "tool_result" || message.isError) return;
    if (message.toolName === "skill_run") this.ran(id, message.details);
    else if (message.toolName.startsWith("skill_")) this.loaded(id, message.details);
  }

  private loaded(eventId: string, details: unknown): void {
    const { data } = toolDetails.safeParse(details, { jitless: true });
    if (!data) return;
    const skill = data.skill.name;
    const way = Object.hasOwn(data.stateDelta, keyOf.loaded(skill)) ? "model" : "docs";
    this.used({ eventId, skill, way });
  }

  private ran(eventId: string, details: unknown): void {
    const { skill, interactiveRun } = (details ?? {}) as { skill?: unknown; interactiveRun?: { skill?: unknown } };
    const name = skill ?? interactiveRun?.skill;
    if (typeof name === "string") this.used({ eventId, skill: name, way: "run" });
  }

  private used(use: Use): void {
    const prompt = use.prompt ?? this.current[0];
    this.uses.push({ ...use, ...(prompt && { prompt }) });
  }
}

/** The text of a message that a person typed. The texts of files that it attaches are left out. */
function typedText(content: string | { type: string; text?: string }[]): string {
  const typed = typedContent(content);
  return typeof typed === "string" ? typed : typed.map(({ text }) => text ?? "").join("\n");
}
