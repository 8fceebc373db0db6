import type { ThinkingLevel } from "@mariozechner/pi-ai";
import type { AppendEntry } from "@scorel/kernel";
import type { AttachedContent, UserMessage } from "@scorel/messages/contract";

/** The model that a request goes to, and what it is for. */
export interface RequestFacts {
  provider: string;
  model: string;
  /** `turn` is a round of the conversation; the others are calls beside it, such as `compaction` and `title`. */
  purpose: "turn" | "compaction" | "title" | "question" | (string & {});
  /** Index of the round in its turn, from 0. */
  round?: number;
}

/** A tool as a request describes it. */
export interface DescribedTool {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: unknown;
}

/** One request to a model, before its payload is made. */
export interface ModelRequest extends RequestFacts {
  temperature?: number;
  /** Maximum tokens of the reply. */
  maxTokens?: number;
  thinking?: ThinkingLevel | "off";
  /** Headers that layers have added. */
  headers: Readonly<Record<string, string>>;
  tools: readonly DescribedTool[];
}

/** What a layer of `modelRequest` may answer. Headers are added to those of earlier layers; other parts are replaced. */
export type ModelRequestChange = Partial<Omit<ModelRequest, keyof RequestFacts>>;

/** The body of a request in its provider's format, before it becomes JSON. */
export interface ModelPayload extends RequestFacts {
  payload: Readonly<Record<string, unknown>>;
}

/** The system prompt of a session, as turns use it. The plugin that builds it adds what others can ask. */
export interface PromptService {
  /**
   * Returns the system prompt, byte for byte as in the latest snapshot; before the first one, what it would contain.
   */
  system(): string;
  /**
   * Returns the events to append before the user's next message: a first snapshot, a new date, or a notice about
   * changed instructions. Usually empty.
   */
  opening(): AppendEntry[];
  /** Runs `promptSubmit` and returns the events that its layers add after a prompt. Rejects only on abort. */
  submitted(prompt: string, signal?: AbortSignal): Promise<AppendEntry[]>;
}

/** The service `mentions`: attaches the files that a message mentions. */
export interface MentionsService {
  /** Returns the content with the mentioned files; undefined if it mentions none. */
  attach(content: UserMessage["content"], signal?: AbortSignal): Promise<AttachedContent | undefined>;
}
