import { type Part, type RecordedRequest, text, toolCall, usage } from "../../model-server.ts";
import { says, tool } from "../agent/setup.ts";
import { asksForSummary, openCompacting, tokensOf, words } from "./setup.ts";

const tools = [tool("look", async (_id, { turn, size }: any) => says(`${words(size, String(turn))}end`))];
/** A fact in the first message, which every summary repeats if its request contains it. */
export const fact = "The deploy key is heron-42.";

/**
 * Plays a session over HTTP with this many turns: two rounds each, but ten in every twentieth turn. Returns all
 * requests.
 */
export async function playLongSession(turns: number, config: object) {
  let turn = 0;
  let round = 0;
  const script = (request: RecordedRequest): Part[] => {
    const reply = asksForSummary(request) ? summaryFor(request) : round++ < roundsOf(turn) ? call(turn) : answer(turn);
    return [reply, usage({ input: tokensOf(request), output: tokensOf({ text: JSON.stringify(reply) }) })];
  };
  await using t = await openCompacting(script, { tools, compaction: config });
  for (; turn < turns; turn++) {
    round = 0;
    const { reason, error } = await (await t.agent.send(turn === 0 ? fact : `Turn ${turn}: go on.`)).turn;
    if (reason !== "completed") throw new Error(`turn ${turn}: ${error?.message}`);
  }
  const compactions = [...t.session.tree].filter(({ type }) => type === "compact").length;
  return { requests: [...t.server.requests], compactions, failures: t.kernel.failures };
}

/**
 * The tokens of all requests together, those of the largest one, and the share that is equal to the start of the
 * request before.
 */
export function costOf(requests: readonly RecordedRequest[]): { sent: number; largest: number; cacheable: number } {
  let sent = 0;
  let largest = 0;
  let cached = 0;
  let before: string[] = [];
  for (const request of requests) {
    const tokens = tokensOf(request);
    sent += tokens;
    largest = Math.max(largest, tokens);
    if (asksForSummary(request)) continue;
    const messages = [
      JSON.stringify(request.body.tools),
      ...request.body.messages.map((it: object) => JSON.stringify(it)),
    ];
    const differs = messages.findIndex((message, at) => message !== before[at]);
    const same = messages.slice(0, differs < 0 ? messages.length : differs);
    cached += same.reduce((sum, message) => sum + tokensOf({ text: message }), 0);
    before = messages;
  }
  return { sent, largest, cacheable: cached / sent };
}

function roundsOf(turn: number): number {
  return turn % 20 === 19 ? 10 : 2;
}
function call(turn: number): Part {
  return toolCall("look", { turn, size: 40 + 30 * (turn % 5) });
}
function answer(turn: number): Part {
  return text(`Turn ${turn} is done. ${words(40, "ans")}`);
}
function summaryFor(request: RecordedRequest): Part {
  return text(`${JSON.stringify(request.body).includes(fact) ? fact : "Nothing is known."} ${words(400, "sum")}`);
}
