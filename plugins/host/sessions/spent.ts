import { isEvent, type Session, type StoredEvent } from "@scorel/kernel";
import type { Usage } from "@scorel/messages/contract";
import type { SessionGlance } from "../contract.ts";

type Spent = NonNullable<SessionGlance["spent"]>;
type Sum = Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite"> & { cost: number | undefined };

/** Maximum number of events of a log that are read at once when it is first needed. `readSpent` reads longer logs in pieces. */
const AT_ONCE = 2_000;
/** Number of events per piece. */
const PIECE = 500;

/** The sum so far, up to the event `seq`. */
interface Totals {
  seq: number;
  sum: Sum;
}
const totals = new WeakMap<Session, Totals>();

/** Returns a session's usage. Undefined before the first reply, and for a long log until `readSpent` has read it. */
export function spentIn(session: Session): Spent | undefined {
  const known = totalsOf(session);
  // Reading a long log at once would block the event loop.
  if (known.seq === 0 && session.tree.size > AT_ONCE) return undefined;
  while (addPiece(session, known));
  return shown(known.sum);
}

/** Reads a long log in pieces, so that `spentIn` can return its usage. Resolves with whether that was necessary. */
export async function readSpent(session: Session): Promise<boolean> {
  if (totalsOf(session).seq > 0 || session.tree.size <= AT_ONCE) return false;
  // Summed separately, so that no partial sum is shown before everything is read.
  const read = nothing();
  while (!session.stopping.aborted && addPiece(session, read)) await new Promise<void>((done) => setImmediate(done));
  totals.set(session, read);
  return true;
}

function totalsOf(session: Session): Totals {
  let known = totals.get(session);
  if (!known) {
    known = nothing();
    totals.set(session, known);
  }
  return known;
}

function nothing(): Totals {
  return { seq: 0, sum: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 } };
}

/** Adds the next events. Returns whether there are further ones. */
function addPiece(session: Session, known: Totals): boolean {
  const events = session.tree.head(PIECE, known.seq);
  for (const event of events) {
    known.seq = event.seq;
    const usage = usageIn(event);
    if (usage) add(known.sum, usage);
  }
  return events.length === PIECE;
}

/** The usage in an event: of a reply, a tool, a summary, or work beside the conversation. */
function usageIn(event: StoredEvent): Partial<Usage> | undefined {
  if (isEvent(event, "message") || isEvent(event, "custom_message")) {
    const { message } = event;
    return message?.role === "assistant" || message?.role === "tool_result" ? message.usage : undefined;
  }
  if (isEvent(event, "compact")) return event.usage;
  if (!isEvent(event, "custom")) return undefined;
  const { usage } = (event.data ?? {}) as { usage?: Partial<Usage> };
  return typeof usage === "object" && usage !== null ? usage : undefined;
}

function add(sum: Sum, used: Partial<Usage>): void {
  sum.input += amount(used.input);
  sum.output += amount(used.output);
  sum.cacheRead += amount(used.cacheRead);
  sum.cacheWrite += amount(used.cacheWrite);
  const tokens = amount(used.input) + amount(used.output) + amount(used.cacheRead) + amount(used.cacheWrite);
  const cost = amount(used.cost?.total);
  // Tokens without a cost mean that the price of the model is not known.
  if (tokens > 0 && cost === 0) sum.cost = undefined;
  else if (sum.cost !== undefined) sum.cost += cost;
}

function shown({ cost, ...tokens }: Sum): Spent | undefined {
  const sent = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  if (sent + tokens.output === 0) return undefined;
  return {
    ...tokens,
    ...(sent > 0 && { cachedShare: tokens.cacheRead / sent }),
    ...(cost !== undefined && { cost }),
  };
}

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
