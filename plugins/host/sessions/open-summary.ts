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

/** Maximum events of an open log that are counted. */
const COUNTED = 20_000;
/** Events at both ends that are read of a longer one. */
const ENDS = 200;

/** The summary of an open session. It is read from the log on first use; later only what was added since. */
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

  /** Writes the index of the log, which has this size and time. */
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
