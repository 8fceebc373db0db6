import type { SessionView } from "@scorel/host/client";
import type { Words } from "../words/words.ts";

/** Milliseconds without a host after which the user is told: a host that is replaced is back earlier. */
const TELL_MS = 1_500;

/** When a host on this computer stays away, tells the user once which command brings it back. */
export class HostAway {
  private readonly tell: (text: string) => void;
  private readonly words: Pick<Words, "startHost" | "hostBack">;
  private telling: NodeJS.Timeout | undefined;
  private isTold = false;

  constructor(tell: (text: string) => void, words: Pick<Words, "startHost" | "hostBack">) {
    this.tell = tell;
    this.words = words;
  }

  /** Called with each new status of the shown session. */
  statusChanged({ connection, retry }: SessionView["status"]): void {
    if (connection !== "reconnecting") {
      if (this.isTold && connection === "live") this.tell(this.words.hostBack);
      this.end();
      return;
    }
    const { startedBy, hostStopped = false } = retry ?? {};
    if (startedBy === undefined) return;
    this.telling ??= setTimeout(() => {
      this.isTold = true;
      this.tell(this.words.startHost(startedBy, hostStopped));
    }, TELL_MS);
  }

  /** Stops waiting: the host is back, or the session is left. */
  end(): void {
    clearTimeout(this.telling);
    this.telling = undefined;
    this.isTold = false;
  }
}
