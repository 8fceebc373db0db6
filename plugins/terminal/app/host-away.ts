import type { SessionView } from "@scorel/host/client";
import type { Words } from "../words/words.ts";

/** Milliseconds without a host after which the user is told: a host that is replaced is back earlier. */
const TELL_MS = 1_500;

/** When a host on this computer stays away, tells the user once which command brings it back, until it is back. */
export class HostAway {
  /** Shows a text, and returns a function that removes it. */
  private readonly tell: (text: string) => () => void;
  private readonly words: Pick<Words, "startHost" | "hostBack">;
  private telling: NodeJS.Timeout | undefined;
  /** Removes what was told. */
  private takeBack: (() => void) | undefined;

  constructor(tell: (text: string) => () => void, words: Pick<Words, "startHost" | "hostBack">) {
    this.tell = tell;
    this.words = words;
  }

  /** Called with each new status of the shown session. */
  statusChanged({ connection, retry }: SessionView["status"]): void {
    if (connection !== "reconnecting") {
      if (connection === "live") this.back();
      this.end();
      return;
    }
    const { startedBy, hostStopped = false } = retry ?? {};
    if (startedBy === undefined) return;
    this.telling ??= setTimeout(() => {
      this.takeBack = this.tell(this.words.startHost(startedBy, hostStopped));
    }, TELL_MS);
  }

  private back(): void {
    if (!this.takeBack) return;
    this.takeBack();
    this.tell(this.words.hostBack);
  }

  /** Stops waiting: the host is back, or the session is left. */
  end(): void {
    clearTimeout(this.telling);
    this.telling = undefined;
    this.takeBack = undefined;
  }
}
