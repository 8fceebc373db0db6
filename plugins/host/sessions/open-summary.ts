import type { Session } from "@scorel/kernel";
import type { SessionSummary } from "../contract.ts";
import {
  begun,
  type Last,
  readIndex,
  type SessionIndex,
  type Stat,
  take,
  withoutCount,
  writeIndex,
} from "./summary.ts";

/** Maximum number of events of an open log whose messages are counted. */
const COUNTED = 20_000;
/** Number of events read at each end of a longer log. */
const ENDS = 200;

/** The summary of an open session. Reads the log on first use, and later only the events added since. */
export class OpenSummary {
  private readonly path: string;
  private readonly session: Pick<Session, "header" | "tree">;
  private known: { summary: SessionIndex["summary"]; last: Last } | undefined;

  constructor(path: string, session: Pick<Session, "header" | "tree">) {
    this.path = path;
    this.session = session;
  }

  get current(): SessionSummary {
    return { ...this.read().summary, path: this.path };
  }

  /** Writes the index for a log with this size and time. */
  write(stat: Stat): void {
    const { summary, last } = this.read();
    writeIndex(this.path, stat, summary, last);
  }

  private read(): { summary: SessionIndex["summary"]; last: Last } {
    const { tree } = this.session;
    const known = this.known ?? this.begin();
    for (const event of tree.between(known.last.seq + 1, Number.POSITIVE_INFINITY)) {
      take(known.summary, event);
      known.last = { seq: event.seq, id: event.id };
    }
    this.known = known;
    return known;
  }

  private begin(): { summary: SessionIndex["summary"]; last: Last } {
    const { header, tree } = this.session;
    const index = readIndex(this.path);
    if (index && tree.get(index.id)?.seq === index.seq) return { summary: { ...index.summary }, last: index };
    const summary = begun(header);
    if (tree.size <= COUNTED) return { summary, last: { seq: 0, id: "" } };
    return { summary: withoutCount(summary, tree.head(ENDS), tree.tail(ENDS)), last: tree.last ?? { seq: 0, id: "" } };
  }
}
