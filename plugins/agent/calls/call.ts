import type { ToolCall } from "@mariozechner/pi-ai";
import { type EventId, newId } from "@scorel/kernel";
import type { ReadyOutput, ReadyTool, ReportedUsage } from "@scorel/tools/contract";
import { AT_ONCE, breath } from "../breath.ts";
import type { ToolCallInput } from "../contract.ts";
import { tools } from "../environment.ts";
import { errors } from "../errors.ts";
import { storable } from "../messages/before-store.ts";
import type { Turn } from "../turn/turn.ts";
import { jsonForm } from "./arguments.ts";
import type { CallReply } from "./call-reply.ts";
import { asResult, type CallResult, errorResult, resultMessage } from "./result.ts";
import { changed, execute, judge, type Refusal, validated } from "./steps.ts";

/**
 * The states of a call, each with the states that may follow it:
 *
 * - `proposed`: the arguments are as the model wrote them. Layers of `beforeToolCall` may change them; changed ones are
 *   validated again before the call leaves this state.
 * - `validated`: the arguments are valid and frozen. The guards decide about these.
 * - `approved`: no guard refused.
 * - `running`: the tool works, or waits until earlier calls that conflict with it have ended.
 * - `refused`: the call never runs. The reason becomes its result.
 * - `ended`: the tool has ended, and layers of `afterToolCall` have changed its result.
 * - `settled`: the result is in the log, or was dropped because its reply is not.
 */
const following = {
  proposed: ["validated", "refused"],
  validated: ["approved", "refused"],
  approved: ["running"],
  running: ["ended"],
  refused: ["settled"],
  ended: ["settled"],
  settled: [],
} as const satisfies Record<string, readonly string[]>;
export type CallState = keyof typeof following;

/** One tool call, from the model's reply until its result is stored. Nothing starts after an abort. */
export class Call {
  /** Id of the event that stores the result. */
  readonly eventId: EventId = newId();
  state: CallState = "proposed";
  /** True if the tool or a layer of `afterToolCall` reported that the call failed. */
  failed = false;
  /** True when the result is in the log. */
  stored = false;
  private readonly turn: Turn;
  private readonly reply: CallReply;
  private readonly proposed: ToolCall;
  /** The usage that the tool has reported so far. */
  private usage: ReportedUsage | undefined;
  /** Set if a person refused the call. */
  private refused: Refusal["byPerson"];
  private startedAt = 0;
  /** Whether the call had to wait for other calls or for a person's answer. */
  private hasWaited = false;
  private announced = false;
  /** The tool, and the final call that guards and the tool receive. Set from `validated` on. */
  private final: { tool: ReadyTool; input: ToolCallInput; json: unknown } | undefined;

  constructor(turn: Turn, reply: CallReply, proposed: ToolCall) {
    this.turn = turn;
    this.reply = reply;
    this.proposed = proposed;
  }

  /** Records when the call began. The call is announced later, when its arguments are known to be valid. */
  begin(): void {
    this.startedAt = performance.now();
  }

  /** Validates the call and asks the guards. Returns why the call must not run. Throws when its arguments are invalid. */
  async approve(context: ToolCallInput["context"]): Promise<string | undefined> {
    try {
      const reason = (await this.validate(context)) ?? (await this.judge());
      this.enter(reason === undefined ? "approved" : "refused");
      return reason;
    } catch (thrown) {
      this.enter("refused");
      throw thrown;
    }
  }

  private async judge(): Promise<string | undefined> {
    const { env, signal } = this.turn;
    const { place } = this.reply;
    const onAsk = () => {
      this.hasWaited = true;
    };
    const refusal = await judge(env, this.known.input, signal, { onAsk, place });
    this.refused = refusal?.byPerson;
    return refusal?.reason;
  }

  private async validate(context: ToolCallInput["context"]): Promise<string | undefined> {
    const { env, signal } = this.turn;
    const { assistantMessage } = this.reply;
    this.reply.check(this.proposed);
    const tool = this.tool();
    const toolCall = this.proposed as unknown as ToolCallInput["toolCall"];
    const input = await validated(env, { assistantMessage, toolCall, context }, { tool: () => this.tool(), signal });
    if (typeof input === "string") return input;
    this.final = { tool, input, json: jsonForm(input.args) };
    this.enter("validated");
    this.announce();
    return undefined;
  }

  /** Runs the tool, then the layers of `afterToolCall`. Never rejects: an error is a result for the model. */
  async run(onUpdate: (partial: CallResult) => void): Promise<CallResult> {
    this.enter("running");
    const result = await this.execute(onUpdate).catch((thrown) => this.fail(thrown));
    const changed = await this.changeResult(result).catch((thrown) => this.fail(thrown));
    this.enter("ended");
    return changed;
  }

  private async execute(show: (partial: CallResult) => void): Promise<CallResult> {
    const { env, signal } = this.turn;
    const onUpdate = ({ usage }: ReadyOutput) => {
      this.usage = usage ?? this.usage;
    };
    const output = await execute(env, this.known, {
      ...{ signal, onUpdate, show },
      onState: (state) => this.tellState(state),
    });
    this.failed = output.isError === true;
    return asResult(output);
  }

  /** Announces that the call waits or runs. Not needed for a call that never waits, which runs from its announcement on. */
  private tellState(state: "waiting" | "running"): void {
    if (state === "running") this.startedAt = performance.now();
    else this.hasWaited = true;
    const { eventId, hasWaited } = this;
    if (hasWaited) this.session.emit("tool_execution_state", { eventId, toolCallId: this.proposed.id, state });
  }

  private fail(thrown: unknown): CallResult {
    this.failed = true;
    return errorResult(thrown);
  }

  private async changeResult(result: CallResult): Promise<CallResult> {
    const { env, signal } = this.turn;
    const after = await changed(env, { ...this.known.input, result, isError: this.failed }, signal);
    this.failed = after.isError;
    return after.result;
  }

  update(partial: CallResult): void {
    if (this.state !== "running") return;
    const { id: toolCallId } = this.proposed;
    const { usage } = this;
    this.session.emit("tool_execution_update", {
      eventId: this.eventId,
      toolCallId,
      partial: this.reply.redaction.value({ ...partial, ...(usage && { usage }) }),
    });
  }

  /**
   * Stores the final result, also that of a refused call, then announces the end and lets calls continue that waited for this one. Stores
   * nothing if the turn is suspended until the next host. No other function stores results.
   */
  async settle(result: CallResult, isError: boolean): Promise<void> {
    const durationMs = Math.round(performance.now() - this.startedAt);
    await breath(AT_ONCE);
    const { eventId, reply, turn } = this;
    const { ctx } = turn.env;
    const { id: toolCallId, name: toolName } = this.proposed;
    this.announce();
    // The library answers calls of unknown tools itself, so these are still `proposed`.
    if (this.state === "proposed") this.enter("refused");
    this.enter("settled");
    const message = resultMessage(
      this.proposed,
      { ...result, isError, ...(this.usage && { usage: this.usage }) },
      {
        ...{ tools: tools(ctx), redaction: reply.redaction, ran: this.final?.json, refused: this.refused },
        contextWindow: ctx.model.current().contextWindow,
      },
    );
    this.stored = reply.kept && !turn.suspended && (await turn.keep(await storable(turn.env, message), eventId));
    await this.charge();
    this.final = undefined;
    if (!this.stored) ctx.session.emit("message_cancelled", { eventId, reason: turn.result.dropReason });
    ctx.session.emit("tool_execution_end", { eventId, toolCallId, toolName, durationMs, isError });
    if (reply.kept) ctx.find("tools")?.settle(toolCallId);
  }

  /** Adds the tool's usage to the turn. The stored result contains it. Without a stored result, it is stored as a separate event. */
  private async charge(): Promise<void> {
    const { stored, turn, usage } = this;
    if (!usage) return;
    turn.result.charge(usage);
    if (!stored) await turn.noteSpent(usage.model ?? this.proposed.name, usage);
  }

  /** Announces the call once: with its valid arguments, or with the model's if it ends without valid ones. */
  private announce(): void {
    if (this.announced) return;
    this.announced = true;
    const { id: toolCallId, name: toolName, arguments: written } = this.proposed;
    this.session.emit("tool_execution_start", {
      eventId: this.eventId,
      parentId: this.session.activeLeaf as EventId,
      toolCallId,
      toolName,
      args: this.reply.redaction.value(this.final?.json ?? written),
    });
  }

  private enter(next: CallState): void {
    const allowed: readonly CallState[] = following[this.state];
    if (!allowed.includes(next)) throw new Error(`a call cannot go from ${this.state} to ${next}`);
    this.state = next;
  }

  /** Returns the call's tool. Throws AGENT_TOOL_GONE if the tool was removed while the call waited. */
  private tool(): ReadyTool {
    const { name } = this.proposed;
    const tool = this.turn.env.ctx.find("tools")?.get(name);
    if (!tool) throw errors.AGENT_TOOL_GONE({ tool: name });
    return tool;
  }

  private get known() {
    return this.final as NonNullable<Call["final"]>;
  }
  private get session() {
    return this.turn.env.ctx.session;
  }
}
