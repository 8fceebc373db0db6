import { codeOf, messageOf } from "@scorel/kernel";
import { repairArguments } from "./arguments.ts";
import type { ReadyTool, Tool, ToolOutput } from "./contract.ts";
import { errors } from "./errors.ts";
import { failure, normalise, textOf, unstorable } from "./result.ts";
import { accessOf, type Schedule, untilAborted } from "./schedule.ts";
import { type ReadParameters, readParameters } from "./schema.ts";

/** How much of a cancelled call's output its result keeps, in characters. */
const KEPT_OUTPUT = 10_000;

/** Told when a call begins, with its signal; the answer is called when it has ended. */
type Begin = (signal: AbortSignal) => () => void;

/** Makes a contributed tool ready for the loop; throws TOOL_SCHEMA when its parameters cannot be used. */
export function makeReady(tool: Tool, schedule: Schedule, report: (thrown: unknown) => void, begin: Begin): ReadyTool {
  const parameters = readParameters(tool.parameters);
  const validated = new WeakSet<object>();
  const validate = (args: unknown): unknown => {
    const value = check(tool.name, parameters, args);
    if (typeof value === "object" && value !== null) validated.add(value);
    return value;
  };
  const isReady = (params: unknown) =>
    !parameters.zod || (typeof params === "object" && params !== null && validated.has(params));
  return {
    name: tool.name,
    label: tool.label ?? tool.name,
    description: tool.description,
    parameters: parameters.schema,
    prepareArguments: (raw) =>
      repairArguments(tool.prepareArguments ? tool.prepareArguments(raw) : raw, parameters.schema),
    validate,
    access: (params) => accessOf(() => tool.access?.(params) ?? "exclusive"),
    async execute(toolCallId, given, signal = new AbortController().signal, onUpdate) {
      const params = isReady(given) ? given : validate(given);
      const run = new Run(tool, signal, report, onUpdate);
      return run.guarded(async () => {
        await schedule.enter(toolCallId, () => tool.access?.(params) ?? "exclusive", signal);
        const ended = begin(signal);
        return run.call(toolCallId, params).finally(ended);
      });
    },
  };
}

function check(name: string, parameters: ReadParameters, args: unknown): unknown {
  const result = parameters.check(args);
  if (result.ok) return result.value;
  throw errors.TOOL_ARGUMENTS({ name, issues: result.issues, received: JSON.stringify(args, null, 2) });
}

/** One execution: nothing is heard of it after its end, and an abort ends it whatever the tool does. */
class Run {
  private readonly tool: Tool;
  private readonly signal: AbortSignal;
  private readonly report: (thrown: unknown) => void;
  private readonly onUpdate: ((partial: ToolOutput) => void) | undefined;
  private ended = false;
  private output = "";

  constructor(
    tool: Tool,
    signal: AbortSignal,
    report: (thrown: unknown) => void,
    onUpdate?: (partial: ToolOutput) => void,
  ) {
    this.tool = tool;
    this.signal = signal;
    this.report = report;
    this.onUpdate = onUpdate;
  }

  /** Rejects with TOOL_CANCELLED on abort. */
  async guarded(work: () => Promise<ToolOutput>): Promise<ToolOutput> {
    try {
      return await work();
    } catch (thrown) {
      if (this.signal.aborted)
        throw errors.TOOL_CANCELLED({ name: this.tool.name, output: this.output }, { cause: thrown });
      throw thrown;
    } finally {
      this.ended = true;
    }
  }

  async call(toolCallId: string, params: unknown): Promise<ToolOutput> {
    const { signal } = this;
    signal.throwIfAborted();
    const answer = (async () => this.tool.execute(toolCallId, params, signal, (partial) => this.update(partial)))();
    const settled = answer.then(
      normalise,
      (thrown): ToolOutput => ({ ...failure(messageOf(thrown)), details: { code: codeOf(thrown) } }),
    );
    return this.storable(await untilAborted(settled, signal));
  }

  private update(partial: unknown): void {
    if (this.ended) return;
    const output = normalise(partial);
    this.output = textOf(output).slice(-KEPT_OUTPUT);
    this.onUpdate?.(output);
  }

  private storable(output: ToolOutput): ToolOutput {
    const reason = output.details === undefined ? undefined : unstorable(output.details);
    if (reason === undefined) return output;
    this.report(errors.TOOL_RESULT({ name: this.tool.name, reason }));
    const { details: _, ...rest } = output;
    return rest;
  }
}
