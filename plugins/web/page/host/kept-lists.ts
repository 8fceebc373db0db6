import type { SessionSummary } from "@scorel/host/contract";
import type { ListedProject } from "@scorel/projects/contract";
import type { Kept } from "./kept.ts";
import { ALL, type PageRights } from "./rights.ts";

/** To be increased when the form of the entry changes. Older entries are then not used. */
const FORM = 1;
/** Most sessions that are stored: those with the latest activity. */
const MAX_SESSIONS = 1_000;
const WRITE_AFTER_MS = 2_000;

/** A host's projects and sessions, and what this page may do. */
export interface Lists {
  projects: readonly ListedProject[];
  sessions: readonly SessionSummary[];
  rights: PageRights;
}

/** The lists of a host in this browser's storage. Without storage, the page only has to wait for the host. */
export class KeptLists {
  private readonly kept: Kept;
  private readonly key: string;
  private readonly device: string;
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private isOver = false;

  constructor(kept: Kept, device: string) {
    this.kept = kept;
    this.device = device;
    this.key = JSON.stringify(["lists", device]);
  }

  /** Returns the stored lists, and when the host sent them, in milliseconds since 1970. */
  async read(): Promise<(Lists & { at: number }) | undefined> {
    try {
      const text = await this.kept.read(this.key);
      const lists = text === undefined ? undefined : listsIn(text, this.device);
      return lists && { ...lists, at: this.kept.timeOf(this.key) as number };
    } catch {
      return undefined;
    }
  }

  /** Writes what `make` returns, after a short delay. */
  writeLater(make: () => Lists): void {
    if (this.isOver || this.waiting !== undefined) return;
    this.waiting = setTimeout(() => {
      this.waiting = undefined;
      this.kept.write(this.key, textOf(make(), this.device)).catch(() => {});
    }, WRITE_AFTER_MS);
  }

  /** Writes nothing any more, so that what is removed now stays removed. */
  end(): void {
    this.isOver = true;
    clearTimeout(this.waiting);
  }
}

/** Encodes the lists of a host for storage. */
export function textOf({ projects, sessions, rights }: Lists, device: string): string {
  const latest = [...sessions].sort((a, b) => b.updatedAt - a.updatedAt).slice(0, MAX_SESSIONS);
  return JSON.stringify({ form: FORM, device, projects, sessions: latest.map(resting), rights });
}

/** Parses an entry of this host. Undefined for anything that this version of the page has not written. */
export function listsIn(text: string, device: string): Lists | undefined {
  try {
    const entry = JSON.parse(text) as Lists & { form: number; device: string };
    const { projects, sessions, rights } = entry;
    if (entry.form !== FORM || entry.device !== device) return undefined;
    if (!projects.every(isProject) || !sessions.every(isSession)) return undefined;
    const { write, answer, manage } = { ...ALL, ...rights };
    const given = { write: write === true, answer: answer === true, manage: manage === true };
    return { projects, sessions: sessions.map(resting), rights: given };
  } catch {
    return undefined;
  }
}

/** A session without its momentary state. */
function resting({ running: _running, turn: _turn, questions: _questions, ...session }: SessionSummary) {
  return session;
}

function isProject({ projectId, name, directory }: ListedProject): boolean {
  return [projectId, name, directory].every((part) => typeof part === "string");
}

function isSession({ sessionId, cwd, title, name = "", updatedAt }: SessionSummary): boolean {
  return [sessionId, cwd, title, name].every((part) => typeof part === "string") && Number.isFinite(updatedAt);
}
