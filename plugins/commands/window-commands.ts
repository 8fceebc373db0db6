import type {} from "@scorel/agent/contract";
import type { BaseContext } from "@scorel/kernel";
import type { ScorelMessage, Usage } from "@scorel/messages/contract";
import type {} from "@scorel/model/contract";
import type {} from "@scorel/prompt/contract";
import type { CommandResult, SlashCommand } from "./contract.ts";
import { errors } from "./errors.ts";

/** Rough estimate, in bytes of UTF-8. */
const BYTES_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1_200;
const BAR = 12;

/** Creates the commands about cost and the context window. */
export function windowCommands(ctx: BaseContext): Record<string, SlashCommand> {
  return {
    cost: { summary: "Show what the session has cost so far", operations: ["get_events"], run: () => cost(ctx) },
    context: {
      summary: "Show what fills the model's window, by part",
      operations: ["get_context"],
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
  const models: Record<string, Spent> = {};
  for (const { model, usage, requests } of answers(ctx)) {
    const before = models[model] ?? { requests: 0, input: 0, cacheRead: 0, output: 0, total: 0 };
    models[model] = added(before, usage, requests);
  }
  const rows = Object.entries(models);
  if (rows.length === 0)
    throw errors.COMMAND_NOTHING({ name: "cost", what: "no model has answered in this session yet" });
  const total = rows.reduce((sum, [, spent]) => sum + spent.total, 0);
  const lines = rows.map(([name, spent]) => `${name}: ${spentText(spent)}`);
  return {
    output: [
      ...lines,
      ...(rows.length > 1
        ? [
            `all: ${rows.some(([, spent]) => costText(spent) === "cost unknown") ? "at least " : ""}$${total.toFixed(4)}`,
          ]
        : []),
    ].join("\n"),
    data: { models, total },
  };
}

interface Answered {
  /** `provider/id` */
  model: string;
  usage: Usage;
  requests: 0 | 1;
}

/**
 * Yields every reply in the log on all branches, including failed attempts and summaries; the usage of tools; and usage outside of the
 * conversation, such as for a title or by a subagent in the background.
 */
function* answers({ session: { tree } }: BaseContext): Iterable<Answered> {
  for (const { message } of tree.ofType("message")) {
    if (message.role === "assistant")
      yield { model: `${message.provider}/${message.model}`, usage: message.usage, requests: 1 };
    if (message.role === "tool_result" && message.usage)
      yield {
        model: message.usage.model ?? message.toolName,
        usage: message.usage,
        // The usage of another session, such as a subagent's, is not a model call of this session.
        requests: message.usage.sessionId === undefined ? 1 : 0,
      };
  }
  for (const { model, usage } of tree.ofType("compact")) {
    if (model !== undefined && usage) yield { model, usage, requests: 1 };
  }
  for (const { data } of tree.ofType("custom")) {
    const { model, usage } = (data ?? {}) as { model?: unknown; usage?: unknown };
    const isOwn = (usage as { sessionId?: unknown } | undefined)?.sessionId === undefined;
    if (typeof model === "string" && isUsage(usage)) yield { model, usage, requests: isOwn ? 1 : 0 };
  }
}

/** Whether a value has the form of a usage: events of other plugins may contain anything. */
function isUsage(usage: unknown): usage is Usage {
  const { cost, ...counts } = (usage ?? {}) as Partial<Usage>;
  const numbers = [counts.input, counts.output, counts.cacheRead, counts.cacheWrite, cost?.total];
  return numbers.every((number) => typeof number === "number");
}

function added(
  spent: Spent,
  { input, cacheRead, cacheWrite, output, cost: { total } }: Usage,
  requests: number,
): Spent {
  return {
    requests: spent.requests + requests,
    input: spent.input + input + cacheRead + cacheWrite,
    cacheRead: spent.cacheRead + cacheRead,
    output: spent.output + output,
    total: spent.total + total,
  };
}

function spentText({ requests, input, cacheRead, output, total }: Spent): string {
  const cached = input > 0 ? `, ${Math.round((100 * cacheRead) / input)}% from the cache` : "";
  const counted = requests === 0 ? "" : `${requests} ${requests === 1 ? "request" : "requests"}, `;
  return `${counted}${count(input)} tokens in${cached}, ${count(output)} out, ${costText({ input, output, total })}`;
}

/** The cost as text; "cost unknown" if tokens have cost nothing, as for models without a known price. */
function costText({ input, output, total }: Pick<Spent, "input" | "output" | "total">): string {
  return total === 0 && input + output > 0 ? "cost unknown" : `$${total.toFixed(4)}`;
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
