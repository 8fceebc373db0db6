import type { AppendEntry, Awaitable } from "@scorel/kernel";

/** The order in which the system prompt is told. */
export type SectionName = "baseline" | "agents" | "memory" | "workspace" | "environment" | "time";

/** What a plugin adds to the system prompt of new sessions; told once and then frozen with the rest. */
export interface PromptPart {
  section: SectionName;
  /**
   * 1 to 99; when the prompt is too long, the lowest is left out first. Context variables have 90, the user's own words
   * 80, texts of presets 75, the project's instructions 70, notes on tools 60, and what comes from elsewhere 50.
   */
  priority: number;
  text: string;
  /** Where the text comes from. Default: the plugin's id. */
  source?: string;
}

/** One piece of the prompt, by where it came from. */
export interface InstructionSource {
  /** A file's path, `[prompt] user`, or the name of what wrote it. */
  source: string;
  priority: number;
  bytes: number;
  /** Of what people write, so that a later change is seen. */
  sha256?: string;
}
/** A piece that there was no room for. */
export interface CutSource extends InstructionSource {
  section: SectionName;
}
export interface InstructionSection {
  name: SectionName;
  sources: InstructionSource[];
  /** As the model reads it; empty when there is nothing to say. */
  block: string;
}
/** The system prompt as it was assembled: frozen, so that a later change of a file changes no session that runs. */
export interface InstructionSnapshot {
  /** All six, in order. */
  sections: InstructionSection[];
  /** The text of `--append-system-prompt`; it stands at the end. */
  appended?: string;
  /** The day that the prompt tells: YYYY-MM-DD, by this machine's clock and zone. */
  date: string;
  /** Tokens the prompt may take: 15% of the model's window. Absent when no model was known. */
  budget?: number;
  /** What was left out for want of room. */
  cut: CutSource[];
  /** Files that are no instructions, and why. */
  skipped: { path: string; reason: string }[];
}

/** A snapshot as it stands in the log. */
export interface FrozenInstructions extends InstructionSnapshot {
  seq: number;
}

/** A piece of the prompt with its size. `tokens` are estimated. */
export interface PromptRow extends InstructionSource {
  section: SectionName | "appended";
  tokens: number;
  /** It was left out for want of room. */
  cut: boolean;
}
/** The system prompt for people to look at. */
export interface PromptView {
  text: string;
  bytes: number;
  tokens: number;
  /** The session holds it; else this is what a session begun now would be told. */
  frozen: boolean;
  budget?: number;
  rows: PromptRow[];
  skipped: InstructionSnapshot["skipped"];
  /** The schemas of the tools, which go with every request beside the prompt. */
  tools: { count: number; bytes: number; tokens: number };
}

export interface PromptService {
  /** The system prompt, byte for byte what the latest snapshot holds; before the first one, what it would hold. */
  system(): string;
  /**
   * What belongs into the log before the next message of a user: the snapshot of a session that has none, a new date, a
   * word to the user about instructions that have changed since. Nothing, mostly.
   */
  opening(): AppendEntry[];
  /** What the layers of `promptSubmit` add to a prompt, to follow it in the log. Rejects on abort only. */
  submitted(prompt: string, signal?: AbortSignal): Promise<AppendEntry[]>;
  /** Reads all instructions again and freezes them anew. */
  refresh(clientId: string): Promise<InstructionSnapshot>;
  view(): PromptView;
}

/** A prompt, and what earlier layers add to it. */
export interface PromptSubmitInput {
  prompt: string;
  context: readonly string[];
}

declare module "@scorel/kernel" {
  interface Services {
    prompt: PromptService;
  }
  interface Hooks {
    /** A user's prompt starts a turn: what a layer answers goes with it as a reminder, at most 8,000 characters each. */
    promptSubmit(
      input: PromptSubmitInput,
      signal?: AbortSignal,
    ): Awaitable<string | { context: string } | undefined | void>;
  }
  interface Events {
    /** The system prompt, frozen; the latest of the log counts, on every branch. */
    instruction_snapshot: InstructionSnapshot;
  }
  interface Projections {
    /** The latest snapshot, with its `seq`, and what the user was last told about changes since. */
    instructions: { snapshot?: FrozenInstructions; told?: string };
    /** The day that the conversation was last told of, and where; none when it lies behind a compaction. */
    toldDate: { date: string; seq: number } | null;
  }
  interface Contributions {
    /** Pieces of the system prompt; asked for when a prompt is assembled. */
    promptParts: readonly PromptPart[];
  }
}

declare module "@scorel/host/contract" {
  interface Operations {
    /** Reads the instructions of an open session again; they count from its next turn on, on every branch. */
    refresh_instructions: {
      params: { sessionId: string };
      result: { bytes: number; cut: CutSource[]; skipped: InstructionSnapshot["skipped"] };
    };
  }
}
