import type { PromptService } from "@scorel/agent/contract";
import type { Awaitable } from "@scorel/kernel";

export type { PromptService };

/** Names of the prompt's sections, in order. */
export type SectionName = "baseline" | "agents" | "memory" | "workspace" | "environment" | "time";

/** Text that a plugin adds to the system prompt of new sessions. */
export interface PromptPart {
  section: SectionName;
  /**
   * From 1 to 99; if the prompt is too long, the lowest is left out first. Context variables have 90, the user's own text
   * 80, presets 75, the project's instructions 70, notes on tools 60, other sources 50.
   */
  priority: number;
  text: string;
  /** Origin of the text. Default: the plugin's id. */
  source?: string;
}

/** The origin and size of a part of the prompt. */
export interface InstructionSource {
  /** The path of a file, `[prompt] user`, or the name of the part's author. */
  source: string;
  priority: number;
  bytes: number;
  /** SHA-256 hash of a text that was written by a person, to detect changes. */
  sha256?: string;
}
/** A part that was left out because the prompt was too long. */
export interface CutSource extends InstructionSource {
  section: SectionName;
}
/** A section of the system prompt. */
export interface InstructionSection {
  name: SectionName;
  sources: InstructionSource[];
  /** Text for the model; may be empty. */
  block: string;
}
/** The assembled system prompt, frozen so that later changes to files do not affect the session. */
export interface InstructionSnapshot {
  /** All six sections, in order. */
  sections: InstructionSection[];
  /** Text of `--append-system-prompt`, at the end of the prompt. */
  appended?: string;
  /** Date in the prompt: YYYY-MM-DD in local time. */
  date: string;
  /** Maximum tokens: 15% of the model's window; absent without a model. */
  budget?: number;
  /** Parts left out because the prompt was too long. */
  cut: CutSource[];
  /** Files that could not be used, and why. */
  skipped: { path: string; reason: string }[];
}

/** A snapshot in the log. */
export interface FrozenInstructions extends InstructionSnapshot {
  seq: number;
}

/** A part of the prompt with its estimated tokens. */
export interface PromptRow extends InstructionSource {
  section: SectionName | "appended";
  tokens: number;
  /** True when it was left out because the prompt was too long. */
  cut: boolean;
}
/** The system prompt for display. */
export interface PromptView {
  text: string;
  bytes: number;
  tokens: number;
  /** True when it is frozen in the session; false when it is what a new session would get. */
  frozen: boolean;
  budget?: number;
  rows: PromptRow[];
  skipped: InstructionSnapshot["skipped"];
  /** Tool schemas, which are part of every request besides the prompt. */
  tools: { count: number; bytes: number; tokens: number };
}

/** A submitted prompt, and the text that earlier layers have added to it. */
export interface PromptSubmitInput {
  prompt: string;
  context: readonly string[];
}

declare module "@scorel/kernel" {
  interface Hooks {
    /**
     * Called when a user's prompt starts a turn. A layer's answer (at most 8,000 characters) is sent with the prompt as
     * a reminder.
     */
    promptSubmit(
      input: PromptSubmitInput,
      signal?: AbortSignal,
    ): Awaitable<string | { context: string } | undefined | void>;
  }
  interface Events {
    /** The frozen system prompt. The latest one in the log applies on all branches. */
    instruction_snapshot: InstructionSnapshot;
  }
  interface Projections {
    /** The latest snapshot with its `seq`, and the changes that the user was last told about. */
    instructions: { snapshot?: FrozenInstructions; told?: string };
    /** The date that the model was last told, and the seq of that event; null if a compaction has replaced it. */
    toldDate: { date: string; seq: number } | null;
    /**
     * The instructions of folders below the working directory that the model was told since the last compaction: hashes by path, and their
     * size in tokens.
     */
    toldFolders: { told: Readonly<Record<string, string>>; tokens: number };
  }
  interface Contributions {
    /** Parts of the system prompt, collected when a prompt is assembled. */
    promptParts: readonly PromptPart[];
  }
}

declare module "@scorel/agent/contract" {
  interface PromptService {
    /** Reads all instructions again and freezes them. */
    refresh(clientId: string): Promise<InstructionSnapshot>;
    view(): PromptView;
  }
}

declare module "@scorel/host/contract" {
  interface Operations {
    /** Reads the instructions of an open session again. They apply from its next turn on, on all branches. */
    refresh_instructions: {
      params: { sessionId: string };
      result: { bytes: number; cut: CutSource[]; skipped: InstructionSnapshot["skipped"] };
    };
  }
}

declare module "@scorel/workspace/contract" {
  interface SessionOptions {
    /** Text appended to the system prompt. */
    appendSystemPrompt?: string | undefined;
  }
}
