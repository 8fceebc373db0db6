import type { AppendEntry, FoldCall } from "@scorel/kernel";
import type { HarnessItem } from "@scorel/messages/contract";
import type {} from "@scorel/tools/contract";
import { join, tokensIn } from "./assemble.ts";
import { changesSince } from "./changes.ts";
import { authoredParts, compose, type PromptContext, redacted, today } from "./composer.ts";
import type {
  FrozenInstructions,
  InstructionSnapshot,
  InstructionSource,
  PromptRow,
  PromptService,
  PromptView,
} from "./contract.ts";
import { BASE } from "./parts.ts";
import { leftOut } from "./snapshot.ts";

/** Creates the service `prompt` over the snapshots in the log. */
export function createPrompt(ctx: PromptContext, submit: FoldCall<"promptSubmit">): PromptService {
  const { session } = ctx;
  const frozen = () => session.projection("instructions").snapshot;
  const appended = () => {
    const asked = ctx.find("workspace")?.appendSystemPrompt ?? "";
    return redacted(ctx, asked);
  };
  const current = () => frozen() ?? compose(ctx, appended());
  return {
    system: () => textOf(current()),
    opening() {
      const { snapshot, told } = session.projection("instructions");
      if (!snapshot) return [{ type: "instruction_snapshot", payload: freeze(ctx, appended()) }];
      return [
        ...appendedChange(snapshot, appended()),
        ...dateItems(ctx, snapshot).map((payload) => ({ type: "harness_item" as const, payload })),
        ...changesSince(snapshot, authoredParts(ctx).parts, told, session.id),
      ];
    },
    async submitted(prompt, signal) {
      const { context } = await submit({ prompt, context: [] }, signal);
      return context.map((text) => attachment(redacted(ctx, text)));
    },
    async refresh(clientId) {
      const payload = freeze(ctx, appended());
      await session.append("instruction_snapshot", payload, { clientId });
      return payload;
    },
    view: () => view(ctx, current(), frozen() !== undefined),
  };
}

/** Composes a snapshot to be written, and logs what is left out. */
function freeze(ctx: PromptContext, appended: string): InstructionSnapshot {
  const snapshot = compose(ctx, appended);
  const left = leftOut(snapshot);
  if (left !== undefined) ctx.logger.warn(left);
  return snapshot;
}

function textOf({ sections, appended }: InstructionSnapshot): string {
  return join(sections, appended);
}

/** Returns a new snapshot when the appended text differs in this run; everything else stays frozen. */
function appendedChange(
  { sections, date, budget, cut, skipped, appended = "" }: FrozenInstructions,
  wanted: string,
): AppendEntry[] {
  if (wanted === appended) return [];
  const kept = { sections, date, ...(budget !== undefined && { budget }), cut, skipped };
  return [{ type: "instruction_snapshot", payload: { ...kept, ...(wanted !== "" && { appended: wanted }) } }];
}

/** Announces a new date during a turn, which may last for hours. Returns its input. */
export async function tellNewDate<M>(ctx: PromptContext, messages: M): Promise<M> {
  const { snapshot } = ctx.session.projection("instructions");
  for (const item of snapshot ? dateItems(ctx, snapshot) : []) await ctx.session.append("harness_item", item);
  return messages;
}

/** Returns the event that announces a new date at the end of the conversation; the prompt itself does not change. */
function dateItems({ session }: PromptContext, snapshot: FrozenInstructions): HarnessItem[] {
  const date = today();
  if (date === snapshot.date) return [];
  const told = session.projection("toldDate");
  if (told && told.seq > snapshot.seq && told.date === date) return [];
  const text = `The date is now ${date}.`;
  return [{ kind: "date_change", origin: "system", visibility: "model", text, data: { date } }];
}

function attachment(text: string): AppendEntry {
  return { type: "harness_item", payload: { kind: "attachment", origin: "system", visibility: "both", text } };
}

function view(ctx: PromptContext, snapshot: InstructionSnapshot, frozen: boolean): PromptView {
  const { sections, cut, skipped, appended, budget } = snapshot;
  const text = textOf(snapshot);
  const offered = (ctx.find("tools")?.list() ?? []).map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  const schemas = offered.length === 0 ? "" : JSON.stringify(offered);
  return {
    text,
    ...sizeOf(text),
    frozen,
    ...(budget !== undefined && { budget }),
    rows: [
      ...sections.flatMap(({ name, sources }) => sources.map((source) => row(name, source))),
      ...(appended === undefined ? [] : [row("appended", appendedSource(appended))]),
      ...cut.map(({ section, ...source }) => row(section, source, true)),
    ],
    skipped,
    tools: { count: offered.length, ...sizeOf(schemas) },
  };
}

function appendedSource(text: string): InstructionSource {
  return { source: "--append-system-prompt", priority: BASE, bytes: Buffer.byteLength(text) };
}

function row(section: PromptRow["section"], source: InstructionSource, cut = false): PromptRow {
  return { section, ...source, tokens: Math.ceil(source.bytes / 4), cut };
}

function sizeOf(text: string): { bytes: number; tokens: number } {
  return { bytes: Buffer.byteLength(text), tokens: tokensIn(text) };
}
