import type {} from "@scorel/commands/contract";
import type { Client, HostService, SessionChange, SessionSummary } from "@scorel/host/contract";
import { type BaseContext, codeOf } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import type {} from "@scorel/requests/contract";

/** Milliseconds that a session stays open without clients and running work. */
const SESSION_MS = 5 * 60_000;
const LOOK_MS = 250;
/** Milliseconds for a turn to end after it was cancelled. */
const CANCEL_MS = 2_000;

export interface KeeperOptions {
  /** Milliseconds without clients, running turns and work in the background after which the host ends. 0: never. */
  idleMs: number;
  logger: BaseContext["logger"];
}

/** Keeps the host's sessions open while work runs in them, even without clients, and closes unused sessions after a while. */
export class Keeper {
  private readonly client: Client;
  private readonly options: KeeperOptions;
  /** The open sessions, and since when each is quiet; `quietSince` is undefined while work runs. */
  private readonly kept = new Map<string, { row: SessionSummary; quietSince: number | undefined }>();
  private unwatch: (() => Promise<void>) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private usedAt = Date.now();
  private attendsAll = false;

  constructor(host: HostService, options: KeeperOptions) {
    this.client = host.connect({ clientId: "host", isKeeper: true });
    this.options = options;
  }

  async start(): Promise<void> {
    this.unwatch = await this.client.watchSessions((change) => this.take(change), { capacity: 10_000 });
    this.timer = setInterval(() => void this.closeQuiet(), SESSION_MS / 10);
    this.timer.unref();
  }

  /** Resolves when no client was connected and nothing ran for `idleMs`, not even in the background. */
  whenUnused(hasClients: () => boolean): Promise<void> {
    const { idleMs } = this.options;
    if (idleMs === 0) return new Promise(() => {});
    return new Promise((resolve) => {
      const timer = setInterval(
        async () => {
          const inBackground = await this.hasBackground();
          if (inBackground || hasClients() || this.isRunning) this.usedAt = Date.now();
          if (Date.now() - this.usedAt < idleMs) return;
          clearInterval(timer);
          resolve();
        },
        Math.min(idleMs / 4, 60_000),
      );
    });
  }

  /**
   * Attends to the questions of all sessions from now on, and cancels turns that wait for an answer, so that their questions stay open for
   * the next host. Otherwise each question would count as declined once the clients are gone, and the model would go on as if a person had
   * said no.
   */
  async attendAll(): Promise<void> {
    this.attendsAll = true;
    await Promise.all([...this.kept.keys()].map((sessionId) => this.attend(sessionId)));
  }

  private async attend(sessionId: string): Promise<void> {
    try {
      const { requests } = await this.client.request("attend_requests", { sessionId });
      if (requests.length > 0) await this.client.request("cancel", { sessionId });
    } catch (thrown) {
      // A preset without the plugin `requests` has no questions.
      if (codeOf(thrown) === "HOST_OPERATION_UNKNOWN") return;
      this.options.logger.warn(`The question of session ${sessionId} could not be left open`, thrown);
    }
  }

  /**
   * Cancels turns that wait for turns of other sessions, and after `limit` milliseconds all running turns. Resolves when no turn runs; a turn
   * that does not end when it is cancelled is left to the closing of its session.
   */
  async quiet(limit: number): Promise<void> {
    void this.cancel(({ turn }) => turn === "waiting");
    await this.noneRuns(limit);
    void this.cancel(({ running }) => running === true);
    await this.noneRuns(CANCEL_MS);
  }

  private async noneRuns(limit: number): Promise<void> {
    const until = Date.now() + limit;
    while (this.isRunning && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }

  /** The number of open sessions, of those with a running turn, and of those whose running turn waits for turns of other sessions. */
  get counts(): { open: number; running: number; waiting: number } {
    const rows = [...this.kept.values()].map(({ row }) => row);
    const running = rows.filter((row) => row.running === true);
    return {
      open: rows.length,
      running: running.length,
      waiting: running.filter(({ turn }) => turn === "waiting").length,
    };
  }

  /** Whether something runs in the background of a session, such as a command. */
  async hasBackground(): Promise<boolean> {
    const found = [...this.kept.keys()].map(async (sessionId) => {
      try {
        return (await this.client.request("list_background", { sessionId })).items.length > 0;
      } catch (thrown) {
        // A preset without the plugin `commands` has no such list.
        if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN")
          this.options.logger.warn(`The background work of session ${sessionId} could not be listed`, thrown);
        return false;
      }
    });
    return (await Promise.all(found)).includes(true);
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.unwatch?.();
    await this.client.close();
  }

  private get isRunning(): boolean {
    return this.counts.running > 0;
  }

  private async cancel(which: (row: SessionSummary) => boolean): Promise<void> {
    const ids = [...this.kept].flatMap(([sessionId, { row }]) => (which(row) ? [sessionId] : []));
    const cancelled = ids.map((sessionId) =>
      this.client.request("cancel", { sessionId }).catch((thrown) => {
        this.options.logger.warn(`The waiting turn of session ${sessionId} could not be cancelled`, thrown);
      }),
    );
    await Promise.all(cancelled);
  }

  private async take(change: SessionChange): Promise<void> {
    if (change.change === "missed") return;
    const { sessionId } = change.session;
    if (change.change === "closed" || change.change === "deleted") {
      this.kept.delete(sessionId);
      return;
    }
    const isNew = !this.kept.has(sessionId);
    const hasAsked = change.session.questions !== undefined;
    const isQuiet = change.session.running !== true && !hasAsked;
    this.kept.set(sessionId, { row: change.session, quietSince: isQuiet ? Date.now() : undefined });
    if (isNew) await this.keep(sessionId);
    if (this.attendsAll && (isNew || hasAsked)) await this.attend(sessionId);
  }

  private async keep(sessionId: string): Promise<void> {
    try {
      await this.client.request("load_session", { sessionId });
    } catch (thrown) {
      this.kept.delete(sessionId);
      this.options.logger.warn(`Session ${sessionId} could not be kept open`, thrown);
    }
  }

  /** Closes the sessions below a folder that have no clients and no running work, at once. */
  async closeIn(folder: string): Promise<void> {
    for (const [sessionId, { row, quietSince }] of this.kept)
      if (quietSince !== undefined && isWithin(folder, row.cwd)) await this.closeUnused(sessionId);
  }

  private async closeQuiet(): Promise<void> {
    for (const [sessionId, { quietSince }] of this.kept)
      if (quietSince !== undefined && Date.now() - quietSince >= SESSION_MS) await this.closeUnused(sessionId);
  }

  /** Closes a session, unless it has clients, or something runs in it, such as a command in the background. */
  private async closeUnused(sessionId: string): Promise<void> {
    try {
      const { closed } = await this.client.request("close_session", { sessionId });
      const session = this.kept.get(sessionId);
      if (!closed && session) session.quietSince = Date.now();
    } catch (thrown) {
      this.options.logger.warn(`Session ${sessionId} could not be closed`, thrown);
    }
  }
}
