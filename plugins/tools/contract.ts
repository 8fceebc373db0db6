import type { Awaitable, DisplayAction } from "@scorel/kernel";
import type { ImageBlock, TextBlock } from "@scorel/messages/contract";

/** What a call touches; two calls of a batch that conflict keep their source order. */
export type Access = "read" | "exclusive" | { writes: readonly string[] };

/** What a tool answers. Failures a model can act on are data: `isError: true` and a text. */
export interface ToolOutput {
  content: (TextBlock | ImageBlock)[];
  /** For faces and projections, stored with the result; a model never reads it. */
  details?: unknown;
  isError?: boolean;
  /** Ends the turn after this batch when every result of the batch says so. */
  terminate?: boolean;
}

/** A tool, in the shape of pi's AgentTool plus `access`. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools holds tools of any parameters
export interface Tool<P = any> {
  name: string;
  label?: string;
  description: string;
  /** JSON Schema, TypeBox or zod. */
  parameters: unknown;
  /** It takes the place of another plugin's tool of this name. */
  replaces?: boolean;
  /** What the model is told instead of `parameters`, which may accept more than that: a JSON Schema object. */
  advertised?: Record<string, unknown>;
  /** The model is not told of the tool, and can call it all the same. */
  unlisted?: true;
  /** Default: exclusive. Paths in `writes` are real paths. */
  access?(params: P): Awaitable<Access>;
  /** The files and folders that a call reads, as absolute paths: as they are named and by their real paths. */
  reads?(params: P): Awaitable<readonly string[]>;
  /** Runs before validation. */
  prepareArguments?(raw: unknown): unknown;
  execute(
    toolCallId: string,
    params: P,
    signal?: AbortSignal,
    onUpdate?: (partial: ToolOutput) => void,
  ): Promise<ToolOutput>;
  /** How a face draws the call with its result; default: a card with the tool's name and arguments. */
  display?(params: P, result: ToolOutput | undefined): DisplayAction;
}

/** A tool made ready for the loop: JSON Schema parameters, validation, scheduling, normalised results. */
export interface ReadyTool {
  name: string;
  /** The id of the plugin that brings it. */
  plugin: string;
  label: string;
  description: string;
  /** What the model is told of its arguments: a JSON Schema object, the same object at every call. */
  parameters: Record<string, unknown>;
  /** The model is not told of the tool, and can call it all the same. */
  unlisted?: true;
  prepareArguments(raw: unknown): unknown;
  /**
   * Validates, applies what the schema does to arguments, and answers the frozen value that a call is judged by and run with.
   * A value that it answered comes back as it is. Throws an error that a model can read.
   */
  validate(args: unknown): unknown;
  /** What a call with these params, as `validate` answered them, touches; never rejects: in doubt `exclusive`. */
  access(params: unknown): Promise<Access>;
  /** What the tool says that such a call reads; undefined when it does not say, or fails to. */
  reads(params: unknown): Promise<readonly string[] | undefined>;
  /**
   * Waits for earlier conflicting calls of the batch, runs, normalises; rejects at once on abort. `params` are
   * what `validate` answered; those of a zod tool that it did not answer are validated here first. The tool gets a copy.
   */
  execute(
    toolCallId: string,
    params: unknown,
    signal: AbortSignal | undefined,
    onUpdate?: (partial: ToolOutput) => void,
  ): Promise<ToolOutput>;
}

/** How a tool that runs commands is to run them. */
export interface BashSettings {
  /** In the sandbox: the project can be written, nothing else, and of the host's own files little can be seen. */
  sandbox: boolean;
  /** With the network, when in the sandbox. */
  network: boolean;
}

export interface ToolsService {
  /** The table `[tools.bash]`. */
  readonly bash: BashSettings;
  /** The tools this session's model can call, in a stable order; it is told of those that are not `unlisted`. */
  list(): readonly ReadyTool[];
  get(name: string): ReadyTool | undefined;
  /** Announces the calls of one assistant message in source order, before the first runs. */
  beginBatch(calls: readonly { id: string; name: string; arguments: unknown }[]): void;
  /** A call of the batch is settled and its result stored (or it never ran): later ones may go on. */
  settle(toolCallId: string): void;
  /** How a face draws a call. `valid`: these are arguments that the tool got, not what a model wrote. */
  display(name: string, args: unknown, result: ToolOutput | undefined, valid?: boolean): DisplayAction;
}

declare module "@scorel/kernel" {
  interface Services {
    tools: ToolsService;
  }
  interface Contributions {
    tools: Tool[];
  }
}
