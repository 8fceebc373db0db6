import type { Awaitable, DisplayAction } from "@scorel/kernel";

/** What a call touches. Conflicting calls of a batch run in source order. */
export type Access = "read" | "exclusive" | { writes: readonly string[] };

/**
 * How a call is approved. `free`: without a question, unless it writes outside of the project or in `.git`, `.scorel`
 * or `.mcp.json`. `ask`: with a question, unless a rule or the permission mode allows the call. `always-ask`: with a
 * question each time, whatever rules and mode say. Rules that deny or ask apply to all three.
 */
export type Approval = "free" | "ask" | "always-ask";

export interface TextBlock {
  type: "text";
  text: string;
  /**
   * Set in a user's message for the text of a file that the message mentions. People see one line about the file
   * instead.
   */
  attachment?: true;
  /** Shown to people in place of `text`. For an attachment that no line about a mentioned file represents. */
  forPeople?: string;
}
export interface ImageBlock {
  type: "image";
  /** Set in a user's message for an image that the message mentions. */
  attachment?: true;
  /** Base64. */
  data: string;
  mimeType: string;
}

/** Tokens and cost of one or more model calls. */
export interface Usage {
  /** Tokens that were neither read from nor written to the provider's cache. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  /** US dollars. */
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

/**
 * The tokens and cost that a call caused by itself, such as by calling another model. Missing counts are 0, and missing
 * totals are computed as sums. They are added to the usage of the turn and the session that made the call.
 */
export interface ToolUsage extends Partial<Omit<Usage, "cost">> {
  cost?: Partial<Usage["cost"]>;
  /** `provider/id` of the model that was used, for `scorel usage --by model`. Default: the tool's name. */
  model?: string;
  /** The session whose log has the same usage, so that sums over several sessions count it once. */
  sessionId?: string;
}
/** The usage of a call as it is stored. */
export type ReportedUsage = Usage & Pick<ToolUsage, "model" | "sessionId">;

/** A tool's result. Errors that a model can act on are results with `isError: true` and a text. */
export interface ToolOutput {
  content: (TextBlock | ImageBlock)[];
  /** Stored with the result for clients and projections; the model does not see it. */
  details?: unknown;
  isError?: boolean;
  /** Ends the turn after this batch, if all results of the batch say so. */
  terminate?: boolean;
  /** The tokens and cost that the call caused. In an update: those so far, which count if the call is cancelled. */
  usage?: ToolUsage;
}
/** A result as the agent gets it, with its usage checked. */
export interface ReadyOutput extends ToolOutput {
  usage?: ReportedUsage;
}

/** A tool, in the shape of pi's AgentTool plus `access`. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools holds tools of any parameters
export interface Tool<P = any> {
  name: string;
  label?: string;
  description: string;
  /** JSON Schema, TypeBox or zod. */
  parameters: unknown;
  /** Replaces another plugin's tool of the same name. The same as naming it in the plugin's `replaces`. */
  replaces?: boolean;
  /** The JSON Schema that the model sees instead of `parameters`, which may accept more. */
  advertised?: Record<string, unknown>;
  /** The tool is not advertised to the model, but can be called. */
  unlisted?: true;
  /**
   * Tools without a position come first, sorted by name; then those with one, by ascending position. A tool that is
   * added during a session gets a position, so that the tools before it stay the same in each request.
   */
  position?: number;
  /** Names of the tools that calls of this tool add to the session, such as those that ToolSearch finds. Child sessions may have them, too. */
  finds?(): readonly string[];
  /** Whether a call only reads, or which files it writes; by default the call runs alone. Files in `writes` are real, absolute paths. Any other name, such as `todos`, stands for no file: calls with the same name run one after another. */
  access?(params: P): Awaitable<Access>;
  /**
   * How a call is approved, for all calls or by their arguments. Default: calls that only read or that write no file
   * need no question. Other calls need one, except for writing in the project in the mode `edits`.
   */
  approval?: Approval | ((params: P) => Awaitable<Approval | undefined>);
  /**
   * The subject of a call, in one line of up to 500 characters. Rules such as `Weather(rome)` are compared with it, and
   * a person can answer "in this session" or "always" for it. A call without a subject, or with one that is not such a
   * line, can only be allowed once, and every rule that forbids calls of the tool forbids it.
   */
  about?(params: P): Awaitable<string | undefined>;
  /** The files and folders that a call reads: their absolute paths as given, and their real paths. */
  reads?(params: P): Awaitable<readonly string[]>;
  /** Changes raw arguments before validation. */
  prepareArguments?(raw: unknown): unknown;
  execute(
    toolCallId: string,
    params: P,
    signal?: AbortSignal,
    onUpdate?: (partial: ToolOutput) => void,
  ): Promise<ToolOutput>;
  /** How clients show the call with its result. Default: a card with the tool's name and arguments. */
  display?(params: P, result: ToolOutput | undefined): DisplayAction;
}

/** A call that is about to run, as its wrappers see it. */
export interface WrappedCall {
  toolCallId: string;
  /** The tool's name. */
  tool: string;
  /** The approved arguments, frozen. The tool gets a copy of them. */
  params: unknown;
  signal: AbortSignal;
  /** Shows the output so far. */
  update(partial: ToolOutput): void;
}
/**
 * Runs around the execution of a tool, after the call was approved. `next` runs the tool with the approved arguments. A wrapper
 * may change what `next` resolves with, call it again after a failure, or return a result without calling it.
 */
export type ToolWrapper = (call: WrappedCall, next: () => Promise<ToolOutput>) => Awaitable<ToolOutput>;

/** A tool prepared for the agent loop: JSON Schema parameters, validation, scheduling, normalised results. */
export interface ReadyTool {
  name: string;
  /** The id of the plugin that contributed it. */
  plugin: string;
  label: string;
  description: string;
  /** The JSON Schema that the model sees; the same object each time. */
  parameters: Record<string, unknown>;
  /** The tool is not advertised to the model, but can be called. */
  unlisted?: true;
  prepareArguments(raw: unknown): unknown;
  /**
   * Validates arguments, applies the schema's defaults and transforms, and returns a frozen value, with which the call
   * is judged and run. Already validated values are returned unchanged. Throws an error for the model.
   */
  validate(args: unknown): unknown;
  /** What a call with validated params touches. Never rejects; `exclusive` if unknown. */
  access(params: unknown): Promise<Access>;
  /** The paths that a call reads according to its tool; undefined if the tool does not say, or fails. */
  reads(params: unknown): Promise<readonly string[] | undefined>;
  /** How a call is approved; undefined if that follows from `access`. Never rejects; `ask` if the tool's function fails. */
  approval(params: unknown): Promise<Approval | undefined>;
  /** The subject of a call; null if unknown, and undefined if the tool has no `about`. Never rejects. */
  about(params: unknown): Promise<string | null | undefined>;
  /**
   * Waits for earlier conflicting calls of the batch, runs the tool and normalises the result. Rejects immediately on
   * abort. `params` should come from `validate`; for a zod tool, other params are validated here. The tool gets a copy.
   * `onState` is called when the call has to wait, and when the tool starts to run.
   */
  execute(
    toolCallId: string,
    params: unknown,
    signal: AbortSignal | undefined,
    onUpdate?: (partial: ReadyOutput) => void,
    onState?: (state: "waiting" | "running") => void,
  ): Promise<ReadyOutput>;
}

/** How tools run commands. */
export interface BashSettings {
  /** Runs commands in the sandbox: only the project is writable, and few host files are visible. */
  sandbox: boolean;
  /** Allows network access in the sandbox. */
  network: boolean;
}

export interface ToolsService {
  /** The table `[tools.bash]`. */
  readonly bash: BashSettings;
  /** The tools that this session's model can call, in a stable order. Those that are not `unlisted` are advertised. */
  list(): readonly ReadyTool[];
  get(name: string): ReadyTool | undefined;
  /** Names of the tools that the model can call, or can find with one of them. */
  names(): string[];
  /** Announces the calls of an assistant message in source order, before the first one runs. */
  beginBatch(calls: readonly { id: string; name: string; arguments: unknown }[]): void;
  /** Marks a call as finished, with its result stored or skipped, so that later calls may run. */
  settle(toolCallId: string): void;
  /** How clients show a call. `valid` says that these are validated arguments, not raw ones from a model. */
  display(name: string, args: unknown, result: ToolOutput | undefined, valid?: boolean): DisplayAction;
}

declare module "@scorel/kernel" {
  interface Services {
    tools: ToolsService;
  }
  interface Contributions {
    tools: Tool[];
    /**
     * Wrappers by the name of the tool that they run around, or `*` for all tools. If a tool has several, the wrapper
     * of the first plugin is the outermost. A wrapper that throws fails the call.
     */
    toolWrappers: Record<string, ToolWrapper>;
  }
}

declare module "@scorel/workspace/contract" {
  interface SessionOptions {
    /** The only tools offered to the model; default: all. */
    tools?: readonly string[] | undefined;
  }
}
