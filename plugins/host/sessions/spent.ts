import type { EventOf, Session, StoredEvent } from "@scorel/kernel";
import type { Usage } from "@scorel/messages/contract";
import type { SessionGlance } from "../contract.ts";

type Spent = NonNullable<SessionGlance["spent"]>;
type Sum = Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite"> & { cost: number | undefined };

/** Events of a log that is opened now and that are read at once. A longer one is read in pieces by `readSpent`. */
const AT_ONCE = 2_000;
/** Events of a piece. */
const PIECE = 500;

/** What is summed so far, up to the event `seq`. */
interface Totals {
  seq: number;
  sum: Sum;
}
const totals = new WeakMap<Session, Totals>();

/** Returns what a session has used; undefined before the first reply, and for a long log that `readSpent` has not read yet. */
export function spentIn(session: Session): Spent | undefined {
  const known = totalsOf(session);
  // A long log would stop everything else while it is read.
  if (known.seq === 0 && session.tree.size > AT_ONCE) return undefined;
  while (addPiece(session, known));
  return shown(known.sum);
}

/** Reads a long log in pieces, so that `spentIn` knows it. Resolves with whether that was needed. */
export async function readSpent(session: Session): Promise<boolean> {
  if (totalsOf(session).seq > 0 || session.tree.size <= AT_ONCE) return false;
  // Counted apart: until all is read, the sum of a part is not shown.
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

/** What an event says was used: by a reply, a tool, a summary, or beside the conversation. */
function usageIn(event: StoredEvent): Partial<Usage> | undefined {
  if (event.type === "message" || event.type === "custom_message") {
    const { message } = event as EventOf<"message">;
    return message?.role === "assistant" || message?.role === "tool_result" ? message.usage : undefined;
  }
  if (event.type === "compact") return (event as EventOf<"compact">).usage;
  if (event.type !== "custom") return undefined;
  const { usage } = ((event as EventOf<"custom">).data ?? {}) as { usage?: Partial<Usage> };
  return typeof usage === "object" && usage !== null ? usage : undefined;
}

function add(sum: Sum, used: Partial<Usage>): void {
  sum.input += amount(used.input);
  sum.output += amount(used.output);
  sum.cacheRead += amount(used.cacheRead);
  sum.cacheWrite += amount(used.cacheWrite);
  const tokens = amount(used.input) + amount(used.output) + amount(used.cacheRead) + amount(used.cacheWrite);
  const cost = amount(used.cost?.total);
  // Tokens that cost nothing are those of a model without a known price.
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
