import type { ThinkingLevel } from "@mariozechner/pi-ai";
import type { AppendEntry } from "@scorel/kernel";
import type { AttachedContent, UserMessage } from "@scorel/messages/contract";

/** The model and the purpose of a request. */
export interface RequestFacts {
  provider: string;
  model: string;
  /** `turn` is a round of the conversation; the others are model calls beside it, such as `compaction` and `title`. */
  purpose: "turn" | "compaction" | "title" | "question" | (string & {});
  /** Index of the round in its turn, from 0. */
  round?: number;
}

/** The description of a tool in a request. */
export interface DescribedTool {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: unknown;
}

/** A request to a model, before its payload is created. */
export interface ModelRequest extends RequestFacts {
  temperature?: number;
  /** Maximum tokens of the reply. */
  maxTokens?: number;
  thinking?: ThinkingLevel | "off";
  /** Headers that layers have added. */
  headers: Readonly<Record<string, string>>;
  tools: readonly DescribedTool[];
}

/** The result of a layer of `modelRequest`. Headers are added to those of earlier layers; other fields are replaced. */
export type ModelRequestChange = Partial<Omit<ModelRequest, keyof RequestFacts>>;

/** The body of a request in its provider's format, before it is converted to JSON. */
export interface ModelPayload extends RequestFacts {
  payload: Readonly<Record<string, unknown>>;
}

/** The service `prompt`, as far as turns use it. The plugin that provides it adds members for other plugins. */
export interface PromptService {
  /**
   * Returns the system prompt, byte for byte as in the latest snapshot. Before the first snapshot, returns the text that it would contain.
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
