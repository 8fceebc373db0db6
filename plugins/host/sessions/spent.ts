import type { Session } from "@scorel/kernel";
import { addUsage, isPriced, noUsage, soundUsage, tokensOf, type Usage, usageIn } from "@scorel/kit/session/usage";
import type { SessionGlance } from "../contract.ts";

type Spent = NonNullable<SessionGlance["spent"]>;

/** Maximum number of events of a log that are read at once when it is first needed. `readSpent` reads longer logs in pieces. */
const AT_ONCE = 2_000;
/** Number of events per piece. */
const PIECE = 500;

/** The sum so far, up to the event `seq`. */
interface Totals {
  seq: number;
  sum: Usage;
  /** Whether the price of each used model is known. */
  allPriced: boolean;
}
const totals = new WeakMap<Session, Totals>();

/** Returns a session's usage. Undefined before the first reply, and for a long log until `readSpent` has read it. */
export function spentIn(session: Session): Spent | undefined {
  const known = totalsOf(session);
  // Reading a long log at once would block the event loop.
  if (known.seq === 0 && session.tree.size > AT_ONCE) return undefined;
  while (addPiece(session, known));
  return shown(known);
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
  return { seq: 0, sum: noUsage(), allPriced: true };
}

/** Adds the next events. Returns whether there are further ones. */
function addPiece(session: Session, known: Totals): boolean {
  const events = session.tree.head(PIECE, known.seq);
  for (const event of events) {
    known.seq = event.seq;
    const use = usageIn(event);
    if (use) add(known, use.usage);
  }
  return events.length === PIECE;
}

function add(totals: Totals, used: unknown): void {
  totals.sum = addUsage(totals.sum, used);
  totals.allPriced &&= isPriced(soundUsage(used));
}

function shown({ sum, allPriced }: Totals): Spent | undefined {
  if (tokensOf(sum) === 0) return undefined;
  const { input, output, cacheRead, cacheWrite, cost } = sum;
  const sent = input + cacheRead + cacheWrite;
  return {
    ...{ input, output, cacheRead, cacheWrite },
    ...(sent > 0 && { cachedShare: cacheRead / sent }),
    ...(allPriced && { cost: cost.total }),
  };
}
