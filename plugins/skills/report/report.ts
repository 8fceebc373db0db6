import { join } from "node:path";
import { codeOf, messageOf, type SessionHeader } from "@scorel/kernel";
import type { Logs } from "@scorel/logs/contract";
import type { IndexedSkill, ReportedSkill, SkillMiss, SkillReport, WordCount } from "../contract.ts";
import { errors } from "../errors.ts";
import { Matching, tellingWords, type Words } from "../match/matching.ts";
import { type LogUse, type Prompt, type Use, usesIn } from "./report-log.ts";

export interface ReportOptions {
  directory: string;
  logs: Logs;
  /** Reports on a single session. */
  sessionId?: string | undefined;
  /** Whether to include a session. */
  belongs: (header: SessionHeader) => boolean;
  redact: (text: string) => string;
}
interface Row extends Omit<ReportedSkill, "missed"> {
  missed: Missed[];
  /** Maps a stem to its word and the number of prompts with it. */
  missing: Map<string, WordCount>;
  lack: Map<string, WordCount>;
}

interface Missed {
  sessionId: string;
  prompt: Prompt;
  words: string[];
}

/** How many characters of a prompt are read; longer text was probably pasted. */
const READ = 10_000;
/** Extra characters that are redacted before cutting, so that a secret at the cut is recognised. */
const BEYOND = 2_000;
const SHOWN = 120;
/** How many misses of a skill are listed. */
const MOST_MISSES = 100;
const MOST_WORDS = 8;
const NAMED = /(?:\/skill:|\$)([\p{L}\p{N}][\p{L}\p{N}._-]*)/gu;

/**
 * Reports how skills were used: how often a prompt matched them, and whether they were loaded. Reads only logs, so it reflects
 * what each session was told. A prompt that exists in several copies counts once, in the oldest session. Throws SKILL_LOGS.
 */
export async function reportOn(options: ReportOptions): Promise<SkillReport> {
  const damaged: SkillReport["damaged"] = [];
  const logs = await read(options, damaged);
  const report = new Report(options.redact);
  for (const log of logs.sort((a, b) => a.createdAt - b.createdAt || (a.sessionId < b.sessionId ? -1 : 1)))
    report.take(log);
  return { ...report.result(), without: logs.filter(({ shown }) => shown.size === 0).length, damaged };
}

async function read(
  { directory, logs: store, sessionId, belongs }: ReportOptions,
  damaged: SkillReport["damaged"],
): Promise<LogUse[]> {
  const logs: LogUse[] = [];
  for (const id of sessionId === undefined ? idsIn(store, directory) : [sessionId]) {
    const beside = join(directory, id);
    try {
      if (!belongs(store.header(beside + store.ending).header)) continue;
      const log = await usesIn(store, beside);
      logs.push(log);
      // A torn last line may be one that is being written right now.
      const lost = log.problems.filter((problem) => problem.lost && !problem.reason.startsWith("torn"));
      damaged.push(...lost.map(({ line, reason }) => ({ sessionId: id, line, reason })));
    } catch (thrown) {
      damaged.push({ sessionId: id, reason: messageOf(thrown) });
    }
  }
  return logs;
}

function idsIn(store: Logs, directory: string): string[] {
  try {
    return store.list(directory).sort();
  } catch (thrown) {
    throw errors.SKILL_LOGS({ directory, reason: codeOf(thrown) }, { cause: thrown });
  }
}

class Report {
  private readonly rows = new Map<string, Row>();
  private readonly counted = new Set<string>();
  private readonly matchings = new Map<readonly IndexedSkill[], Matching<IndexedSkill>>();
  private readonly redact: (text: string) => string;
  private sessions = 0;
  private prompts = 0;

  constructor(redact: (text: string) => string) {
    this.redact = redact;
  }

  take(log: LogUse): void {
    if (log.shown.size === 0) return;
    this.sessions++;
    for (const { name, description } of log.shown.values()) {
      const row = this.row(name);
      row.shown++;
      row.description = description;
    }
    const used = new Set(log.uses.map(({ skill }) => skill));
    for (const name of used) this.row(name).loadedIn++;
    for (const prompt of log.prompts.filter(({ eventId }) => this.isNew(eventId))) this.judge(log, prompt, used);
    for (const use of log.uses.filter(({ eventId, skill }) => this.isNew(`${eventId} ${skill}`))) this.use(use);
    // Indexes are not shared between sessions.
    this.matchings.clear();
  }

  result(): Pick<SkillReport, "sessions" | "prompts" | "skills"> {
    const skills = [...this.rows.values()].map(({ missing, lack, ...row }) => {
      const missed = row.missed.sort(latestFirst).slice(0, MOST_MISSES);
      return { ...row, missed: missed.map((miss) => this.told(miss)), words: mostOf(missing), lacking: mostOf(lack) };
    });
    const order = (a: ReportedSkill, b: ReportedSkill) =>
      b.misses - a.misses || b.matched - a.matched || (a.name < b.name ? -1 : 1);
    return { sessions: this.sessions, prompts: this.prompts, skills: skills.sort(order) };
  }

  private judge({ sessionId }: LogUse, prompt: Prompt, used: ReadonlySet<string>): void {
    if (prompt.known.length === 0) return;
    this.prompts++;
    for (const { skill, words } of this.matchingOf(prompt).fits(this.wordsOf(prompt))) {
      const row = this.row(skill.name);
      row.matched++;
      if (used.has(skill.name)) continue;
      row.misses++;
      row.missed.push({ sessionId, prompt, words });
      for (const word of words) count(row.missing, word, word);
    }
  }

  private use({ skill, way, prompt }: Use): void {
    const row = this.row(skill);
    if (way === "run") row.runs++;
    else if (way !== "docs") row.loaded[way]++;
    // A person who named the skill knew it. Their other words are what people may write who do not know it.
    if (prompt && (way === "command" || way === "mention")) this.named(row, prompt);
  }

  private named({ name, lack }: Row, prompt: Prompt): void {
    const words = this.wordsOf(prompt);
    const skill = prompt.known.find((known) => known.name === name);
    const fits = this.matchingOf(prompt).fits(words);
    if (!skill || fits.some((fit) => fit.skill === skill)) return;
    const own = tellingWords(`${name} ${skill.description}`);
    for (const [stem, word] of words) if (!own.has(stem)) count(lack, stem, word);
  }

  private row(name: string): Row {
    const row = this.rows.get(name) ?? { ...none(), name, missing: new Map(), lack: new Map() };
    this.rows.set(name, row);
    return row;
  }

  private isNew(id: string): boolean {
    if (this.counted.has(id)) return false;
    this.counted.add(id);
    return true;
  }

  private matchingOf({ known }: Prompt): Matching<IndexedSkill> {
    const matching = this.matchings.get(known) ?? new Matching(known);
    this.matchings.set(known, matching);
    return matching;
  }

  /** The words to match, without pasted code and without names of skills. */
  private wordsOf({ text, known }: Prompt): Words {
    const prose = this.readOf(text).replace(/```[\s\S]*?(?:```|$)/g, " ");
    const isNamed = (mark: string) => known.some(({ name }) => mark === name || mark.replace(/[._-]+$/, "") === name);
    return tellingWords(prose.replace(NAMED, (mark, name) => (isNamed(name) ? " " : mark)));
  }

  private readOf(text: string): string {
    return this.redact(text.slice(0, READ + BEYOND)).slice(0, READ);
  }

  private told({ sessionId, prompt, words }: Missed): SkillMiss {
    const { eventId, turn, ts } = prompt;
    return { sessionId, eventId, turn, ts, words, prompt: this.shown(prompt, words) };
  }

  /** An excerpt on one line, around the first matching word. */
  private shown({ text }: Prompt, words: readonly string[]): string {
    const line = this.readOf(text).replace(/\s+/g, " ").trim();
    const letters = [...line];
    if (letters.length <= SHOWN) return line;
    const first = [...line.slice(0, Math.max(0, line.toLowerCase().indexOf(words[0] as string)))].length;
    const from = Math.max(0, Math.min(first - SHOWN / 2, letters.length - SHOWN));
    const part = letters.slice(from, from + SHOWN).join("");
    return `${from > 0 ? "…" : ""}${part}${from + SHOWN < letters.length ? "…" : ""}`;
  }
}

function none(): Omit<Row, "missing" | "lack"> {
  const counts = { shown: 0, matched: 0, loadedIn: 0, runs: 0, misses: 0 };
  const loaded = { model: 0, command: 0, mention: 0 };
  return { name: "", description: "", ...counts, loaded, missed: [], words: [], lacking: [] };
}

function latestFirst({ prompt: a }: Missed, { prompt: b }: Missed): number {
  return b.ts - a.ts || (a.eventId < b.eventId ? -1 : 1);
}

function count(counts: Map<string, WordCount>, key: string, word: string): void {
  const before = counts.get(key) ?? { word, prompts: 0 };
  counts.set(key, { ...before, prompts: before.prompts + 1 });
}

function mostOf(counts: ReadonlyMap<string, WordCount>): WordCount[] {
  return [...counts.values()].sort((a, b) => b.prompts - a.prompts || (a.word < b.word ? -1 : 1)).slice(0, MOST_WORDS);
}
