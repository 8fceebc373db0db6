import type { Invocation } from "@scorel/cli/contract";
import { everyPage } from "@scorel/host/client";
import type { Operations } from "@scorel/host/contract";
import type { PluginContext } from "@scorel/kernel";
import { createOutput, type Output } from "@scorel/kit/terminal/output";
import { localMinute } from "@scorel/kit/text/local-time";
import { plainText } from "@scorel/kit/text/plain";
import type { Hit, Spent, SpentBy } from "./contract.ts";
import { errors } from "./errors.ts";
import { search } from "./hits.ts";
import { membersOf } from "./membership.ts";

type Context = Pick<PluginContext, "find">;

const MOST = 1000;
const CANCELLED = 130;
const SHORT_ID = 8;

/** Runs `scorel search` and prints hits as they are found. Exit code 0 when there were any, else 1. */
export async function find(ctx: Context, invocation: Invocation): Promise<number> {
  const sessionLogs = ctx.find("sessionLogs");
  if (!sessionLogs) throw errors.FIND_NO_HOST();
  const { args, options, stdout, interrupt } = invocation;
  const limit = limitOf(options.limit);
  const output = createOutput(stdout);
  const print = options.output === "json" ? (hit: Hit) => `${JSON.stringify(hit)}\n` : rows();
  let found = 0;
  const { sessionsDir: directory, logs } = sessionLogs;
  const project = options.project as string | undefined;
  const wanted = {
    directory,
    logs,
    belongs: await membersOf(() => ctx.find("projects"), { directory, logs }, project, invocation.cwd),
    text: args.join(" "),
    caseSensitive: options.caseSensitive === true,
    signal: interrupt,
  };
  try {
    for await (const hit of search(wanted)) {
      if (found === limit) break;
      found++;
      await output.write(shown(print(hit), invocation));
      if (output.failure) break;
    }
  } catch (thrown) {
    if (interrupt.aborted) return CANCELLED;
    throw thrown;
  }
  return ended(output, invocation, found, limit);
}

/** Runs `scorel usage`. */
export async function usage(ctx: Context, invocation: Invocation): Promise<number> {
  const host = ctx.find("host");
  if (!host) throw errors.FIND_NO_HOST();
  const { options, stdout } = invocation;
  const client = host.connect();
  const output = createOutput(stdout);
  try {
    const since = options.since as string | undefined;
    const asked = { by: options.by as SpentBy, ...(since !== undefined && { since }) };
    const spent = await everyPage((page) => client.request("get_usage", { ...asked, ...page }));
    await output.write(shown(options.output === "json" ? `${JSON.stringify(spent)}\n` : table(spent), invocation));
  } finally {
    await client.close();
  }
  if (output.complaint !== undefined) invocation.stderr.write(`${output.complaint}\n`);
  return output.complaint === undefined ? 0 : 1;
}

function limitOf(value: unknown): number {
  const limit = Number(value);
  if (/^\d+$/.test(String(value)) && limit >= 1 && limit <= MOST) return limit;
  throw errors.FIND_LIMIT({ value: String(value), max: MOST });
}

function shown(text: string, { stdout }: Invocation): string {
  return stdout.isTTY ? plainText(text) : text;
}

function ended({ complaint, failure }: Output, { stderr }: Invocation, found: number, limit: number): number {
  if (complaint !== undefined) stderr.write(`${complaint}\n`);
  else if (found === 0) stderr.write("Nothing was found.\n");
  else if (found === limit && !failure)
    stderr.write(`These are ${limit}; there may be more: --limit takes up to ${MOST}.\n`);
  return complaint === undefined && found > 0 ? 0 : 1;
}

/** Returns a formatter that prints a line per session, followed by one per hit. */
function rows(): (hit: Hit) => string {
  let last: string | undefined;
  return (hit) => {
    const { sessionId, updatedAt, title, eventId, who, text, left } = hit;
    const time = localMinute(updatedAt);
    const head = sessionId === last ? "" : `${sessionId.slice(0, SHORT_ID)}  ${time}  ${title}\n`;
    last = sessionId;
    const place = (eventId ?? "").slice(0, SHORT_ID).padEnd(SHORT_ID);
    return `${head}  ${place}  ${who.padEnd(9)}  ${text}${left ? "  (on an abandoned branch)" : ""}\n`;
  };
}

function table({ rows, total, sessions }: Operations["get_usage"]["result"]): string {
  if (rows.length === 0) return "Nothing was spent.\n";
  const lines = [...rows, { ...total, key: `${sessions} ${sessions === 1 ? "session" : "sessions"}` }].map(cells);
  const all = [["", "calls", "input", "output", "cached", "cost"], ...lines];
  const widths = all[0]?.map((_, at) => Math.max(...all.map((line) => line[at]?.length ?? 0))) ?? [];
  const padded = (cell: string, at: number) =>
    at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  return all.map((line) => `${line.map(padded).join("  ")}\n`).join("");
}

function cells(spent: Spent): string[] {
  const { key, calls, input, output, cacheRead, cacheWrite, cachedShare } = spent;
  const sent = input + cacheRead + cacheWrite;
  return [key, String(calls), String(sent), String(output), `${Math.round(cachedShare * 100)}%`, costText(spent)];
}

function costText({ cost, unpriced }: Spent): string {
  if (unpriced === undefined) return `$${cost.toFixed(4)}`;
  return cost === 0 ? "unknown" : `at least $${cost.toFixed(4)}`;
}
