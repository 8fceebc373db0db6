import { codeOf, messageOf } from "@scorel/kernel";
import { untilAborted } from "@scorel/kit/values/abort";
import { frozenCopy, ownCopy } from "@scorel/kit/values/copy";
import { repairArguments } from "./arguments.ts";
import type { ReadyOutput, ReadyTool, Tool, ToolOutput } from "./contract.ts";
import type { Declared } from "./declared.ts";
import { errors } from "./errors.ts";
import { bounded, failure, flawOf, normalise, strangeFields, textOf, unstorable } from "./result.ts";
import type { Schedule } from "./schedule.ts";
import { type ReadParameters, readParameters } from "./schema.ts";
import { withUsage } from "./usage.ts";
import { type OwnedWrapper, runWrapped } from "./wrappers.ts";

/** How many characters of a cancelled call's output are kept in its result. */
const KEPT_OUTPUT = 10_000;
/** Milliseconds that a cancelled tool has to return its result so far. The agent loop waits a little longer. */
const LAST_WORDS_MS = 400;
/** The most characters of invalid arguments that are shown to the model. */
const MOST_RECEIVED = 2_000;

/** Calls a tool's functions on behalf of its plugin. */
export interface Caller {
  /** Aborts when the session begins to stop; from then on no tool runs. */
  readonly stopping: AbortSignal;
  plugin: string;
  /** The wrappers around the tool, the outermost first. */
  wrappers(): readonly OwnedWrapper[];
  /** Runs `work`, which calls a wrapper, on behalf of its plugin. */
  callWrapper<T>(plugin: string, where: string, work: () => T): T;
  call<T>(work: () => T): T;
  /** Called when a call begins, with its signal; returns a function to call at its end. */
  begin(signal: AbortSignal): () => void;
  report(thrown: unknown): void;
  /** Replaces known secrets in a text. */
  redact(text: string): string;
}

/** Prepares a contributed tool for the agent loop. Throws TOOL_SCHEMA for unusable parameters. */
export function makeReady(
  tool: Tool,
  { schedule, caller, declared }: { schedule: Schedule; caller: Caller; declared: Declared },
): ReadyTool {
  const parameters = readParameters(tool.parameters);
  const validated = new WeakSet<object>();
  const isValidated = (args: unknown) => typeof args === "object" && args !== null && validated.has(args);
  const validate = (args: unknown): unknown => {
    // Not validated again: the value is frozen, so it is still valid, and a schema with transforms could return
    // something else.
    if (isValidated(args)) return args;
    const value = frozenCopy(ownCopy(check(tool.name, parameters, args)));
    if (typeof value === "object" && value !== null) validated.add(value);
    return value;
  };
  const isReady = (params: unknown) =>
    !parameters.zod || isValidated(params) || typeof params !== "object" || params === null;
  const prepare = (raw: unknown) => (tool.prepareArguments ? caller.call(() => tool.prepareArguments?.(raw)) : raw);
  return {
    name: tool.name,
    plugin: caller.plugin,
    label: tool.label ?? tool.name,
    description: tool.description,
    parameters: tool.advertised ?? parameters.schema,
    ...(tool.unlisted && { unlisted: true }),
    prepareArguments: (raw) => repairArguments(prepare(raw), parameters.schema),
    validate,
    access: async (params) => declared.access(params),
    reads: async (params) => declared.reads(params),
    approval: async (params) => declared.approval(params),
    about: async (params) => declared.about(params),
    async execute(toolCallId, given, signal = new AbortController().signal, onUpdate, onState = () => {}) {
      const params = isReady(given) ? given : validate(given);
      const run = new Run(tool, caller, signal, onUpdate);
      return run.guarded(async () => {
        await schedule.enter(
          toolCallId,
          () => declared.access(params),
          signal,
          () => onState("waiting"),
        );
        onState("running");
        return run.call(toolCallId, params);
      });
    },
  };
}

function check(name: string, parameters: ReadParameters, args: unknown): unknown {
  const result = parameters.check(args);
  if (result.ok) return result.value;
  throw errors.TOOL_ARGUMENTS({ name, issues: result.issues, received: excerpt(JSON.stringify(args, null, 2)) });
}

/**
 * Shortens arguments in an error. The model has them in its context anyway, so that file contents need not be repeated.
 */
function excerpt(text: string): string {
  return text.length <= MOST_RECEIVED
    ? text
    : `${text.slice(0, MOST_RECEIVED)}\n… (${text.length - MOST_RECEIVED} more characters)`;
}

/** The end of a long output, with a note on how much is missing. */
function endOf(text: string): string {
  const cut = text.length - KEPT_OUTPUT;
  return cut <= 0 ? text : `[${cut} characters before this are cut]\n${text.slice(cut)}`;
}

/** One execution of a tool. Updates after its end are ignored. An abort ends it even if the tool keeps running. */
class Run {
  private readonly tool: Tool;
  private readonly caller: Caller;
  private readonly signal: AbortSignal;
  private readonly onUpdate: ((partial: ReadyOutput) => void) | undefined;
  private ended = false;
  /** The usage that the tool reported, in case a wrapper leaves it out of its result. */
  private usage: ToolOutput["usage"];
  private output = "";
  private end: (() => void) | undefined;

  constructor(tool: Tool, caller: Caller, signal: AbortSignal, onUpdate?: (partial: ReadyOutput) => void) {
    this.tool = tool;
    this.caller = caller;
    this.signal = signal;
    this.onUpdate = onUpdate;
  }

  /** Runs `work`. Rejects with TOOL_CANCELLED on abort. */
  async guarded(work: () => Promise<ReadyOutput>): Promise<ReadyOutput> {
    try {
      return await work();
    } catch (thrown) {
      if (this.signal.aborted)
        throw errors.TOOL_CANCELLED({ name: this.tool.name, output: this.output }, { cause: thrown });
      throw thrown;
    } finally {
      this.ended = true;
      this.end?.();
    }
  }

  async call(toolCallId: string, params: unknown): Promise<ReadyOutput> {
    const { signal, tool } = this;
    this.end = this.caller.begin(signal);
    const update = (partial: ToolOutput) => this.update(partial);
    const execute = async () => {
      signal.throwIfAborted();
      this.caller.stopping.throwIfAborted();
      const answer = await this.caller.call(() => tool.execute(toolCallId, ownCopy(params), signal, update));
      const what = flawOf(answer);
      if (what !== undefined) this.caller.report(errors.TOOL_RESULT_UNUSABLE({ name: tool.name, what }));
      const fields = strangeFields(answer);
      if (fields.length > 0) this.caller.report(errors.TOOL_RESULT_FIELDS({ name: tool.name, fields }));
      const output = normalise(answer);
      this.usage = output.usage ?? this.usage;
      return output;
    };
    const wrapped = Object.freeze({ toolCallId, tool: tool.name, params, signal, update });
    const answer = runWrapped(this.caller.wrappers(), wrapped, { execute, run: this.caller.callWrapper });
    const settled = answer.catch((thrown): ToolOutput => {
      if (signal.aborted) throw thrown;
      return { ...failure(messageOf(thrown)), details: { code: codeOf(thrown) } };
    });
    return this.kept(await untilAborted(settled, signal, LAST_WORDS_MS));
  }

  private update(partial: unknown): void {
    if (this.ended) return;
    const output = normalise(partial);
    this.output = endOf(textOf(output));
    this.onUpdate?.(withUsage(output) as ReadyOutput);
  }

  /** Limits the result to what the log and a model can take. */
  private kept(given: ToolOutput): ReadyOutput {
    const { name } = this.tool;
    const usage = given.usage ?? this.usage;
    const counted = withUsage({ ...given, ...(usage !== undefined && { usage }) }, (flaw) =>
      this.caller.report(errors.TOOL_USAGE({ name, reason: flaw })),
    );
    const { output, reason } = bounded(counted, this.caller.redact) as { output: ReadyOutput; reason?: string };
    if (reason !== undefined) this.caller.report(errors.TOOL_RESULT_SIZE({ name, reason }));
    const flaw = output.details === undefined ? undefined : unstorable(output.details);
    if (flaw === undefined) return output;
    this.caller.report(errors.TOOL_RESULT({ name, reason: flaw }));
    const { details: _, ...rest } = output;
    return rest;
  }
}
