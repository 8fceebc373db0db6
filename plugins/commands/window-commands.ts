import type {} from "@scorel/agent/contract";
import type { BaseContext } from "@scorel/kernel";
import { addUsage, isPriced, noUsage, type Usage, type Use, usageIn } from "@scorel/kit/session/usage";
import type { ScorelMessage } from "@scorel/messages/contract";
import type {} from "@scorel/model/contract";
import type {} from "@scorel/prompt/contract";
import { z } from "zod";
import type { CommandResult, SlashCommand } from "./contract.ts";
import { errors } from "./errors.ts";

/** Rough estimate, in bytes of UTF-8. */
const BYTES_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1_200;
const BAR = 12;

/** Creates the commands about cost and the context window. */
export function windowCommands(ctx: BaseContext): Record<string, SlashCommand> {
  return {
    cost: {
      summary: "Show what the session has cost so far",
      operations: ["get_events"],
      args: z.object({}),
      run: () => cost(ctx),
    },
    context: {
      summary: "Show what fills the model's window, by part",
      operations: ["get_context"],
      args: z.object({}),
      run: () => context(ctx),
    },
  };
}

interface Spent {
  /** Number of model calls of this session; 0 if only other sessions, such as those of subagents, have used the model. */
  requests: number;
  input: number;
  cacheRead: number;
  output: number;
  /** US dollars. */
  total: number;
}

function cost(ctx: BaseContext): CommandResult {
  const rows = [...usesIn(ctx)];
  if (rows.length === 0)
    throw errors.COMMAND_NOTHING({ name: "cost", what: "no model has answered in this session yet" });
  const total = rows.reduce((sum, [, { usage }]) => sum + usage.cost.total, 0);
  const lines = rows.map(([name, use]) => `${name}: ${spentText(use)}`);
  const least = rows.every(([, { usage }]) => isPriced(usage)) ? "" : "at least ";
  const sum = least !== "" && total === 0 ? "cost unknown" : `${least}$${total.toFixed(4)}`;
  if (rows.length > 1) lines.push(`all: ${sum}`);
  const models = Object.fromEntries(rows.map(([name, use]) => [name, spentBy(use)]));
  return { output: lines.join("\n"), data: { models, total } };
}

interface ModelUse {
  requests: number;
  usage: Usage;
}

/**
 * Adds up by model the usage of every reply in the log on all branches, including failed attempts and summaries; of tools; and of work
 * outside the conversation, such as for a title or by a subagent in the background.
 */
function usesIn({ session: { tree } }: BaseContext): Map<string, ModelUse> {
  const models = new Map<string, ModelUse>();
  for (const type of ["message", "custom_message", "compact", "custom"])
    for (const event of tree.ofType(type)) {
      const use = usageIn(event);
      if (use) models.set(use.model, withUse(models.get(use.model), use.usage));
    }
  return models;
}

/** The usage of another session, such as a subagent's, is not a model call of this session. */
function withUse({ requests, usage } = { requests: 0, usage: noUsage() }, used: Use["usage"]): ModelUse {
  return { requests: requests + (used.sessionId === undefined ? 1 : 0), usage: addUsage(usage, used) };
}

function spentBy({ requests, usage: { input, cacheRead, cacheWrite, output, cost } }: ModelUse): Spent {
  return { requests, input: input + cacheRead + cacheWrite, cacheRead, output, total: cost.total };
}

function spentText(use: ModelUse): string {
  const { requests, input, cacheRead, output, total } = spentBy(use);
  const cached = input > 0 ? `, ${Math.round((100 * cacheRead) / input)}% from the cache` : "";
  const counted = requests === 0 ? "" : `${requests} ${requests === 1 ? "request" : "requests"}, `;
  const price = isPriced(use.usage) ? `$${total.toFixed(4)}` : "cost unknown";
  return `${counted}${count(input)} tokens in${cached}, ${count(output)} out, ${price}`;
}

function context(ctx: BaseContext): CommandResult {
  const parts = partsOf(ctx).filter(({ tokens }) => tokens > 0);
  const used = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const window = windowOf(ctx);
  const of = window ?? used;
  const lines = parts.map(
    ({ name, tokens }) => `${bar(tokens / Math.max(1, of))} ${count(tokens).padStart(9)}  ${name}`,
  );
  const measured = ctx.find("agent")?.contextTokens();
  const sum = `${count(used)} tokens estimated${window === undefined ? "" : ` of a window of ${count(window)} (${Math.round((100 * used) / window)}%)`}`;
  const next = measured === undefined ? [] : [`the next request: about ${count(measured)} tokens`];
  return { output: [...lines, sum, ...next].join("\n"), data: { parts, used, window, measured } };
}

interface Part {
  name: string;
  tokens: number;
}

function partsOf(ctx: BaseContext): Part[] {
  const view = ctx.find("prompt")?.view();
  const messages = ctx.session.buildContext();
  const of = (name: string, wanted: (message: ScorelMessage) => boolean): Part => ({
    name,
    tokens: messages.filter(wanted).reduce((sum, message) => sum + tokensOf(message), 0),
  });
  return [
    { name: "system prompt", tokens: view?.tokens ?? 0 },
    { name: `tools (${view?.tools.count ?? 0})`, tokens: view?.tools.tokens ?? 0 },
    of("user messages and summaries", ({ role }) => role === "user"),
    of("the model's replies", ({ role }) => role === "assistant"),
    of("results of tools", ({ role }) => role === "tool_result"),
  ];
}

function windowOf(ctx: BaseContext): number | undefined {
  try {
    return ctx.find("model")?.current().contextWindow;
  } catch {
    // Without a model, the parts are still shown; `/status` says why there is none.
    return undefined;
  }
}

function tokensOf({ content }: ScorelMessage): number {
  if (typeof content === "string") return Math.ceil(Buffer.byteLength(content) / BYTES_PER_TOKEN);
  let tokens = 0;
  for (const block of content)
    if (block.type === "image") tokens += TOKENS_PER_IMAGE;
    else tokens += Buffer.byteLength(block.type === "text" ? block.text : JSON.stringify(block)) / BYTES_PER_TOKEN;
  return Math.ceil(tokens);
}

function bar(share: number): string {
  const full = Math.min(BAR, Math.round(share * BAR));
  return "█".repeat(full) + "░".repeat(BAR - full);
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
