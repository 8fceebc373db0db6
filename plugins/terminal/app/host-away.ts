import type { SessionView } from "@scorel/host/client";
import type { Words } from "../words/words.ts";

/** Time without a host after which the person is told: one that is replaced is back earlier. */
const TELL_MS = 1_500;

/** Says once, when a host of this computer stays away, with which command it comes back. */
export class HostAway {
  private readonly tell: (text: string) => void;
  private readonly words: Pick<Words, "startHost" | "hostBack">;
  private telling: NodeJS.Timeout | undefined;
  private isTold = false;

  constructor(tell: (text: string) => void, words: Pick<Words, "startHost" | "hostBack">) {
    this.tell = tell;
    this.words = words;
  }

  /** Takes the status of the session that is shown. */
  look({ connection, retry }: SessionView["status"]): void {
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

  /** The host is back, or the session is left. */
  end(): void {
    clearTimeout(this.telling);
    this.telling = undefined;
    this.isTold = false;
  }
}
