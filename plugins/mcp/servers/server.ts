import { codeOf, messageOf } from "@scorel/kernel";
import { clause } from "@scorel/kit/text/one-line";
import { untilAborted } from "@scorel/kit/values/abort";
import type { ServerState } from "../contract.ts";
import { errors } from "../errors.ts";
import type { CallOptions, CallResult, Connection } from "../wire/connection.ts";
import { httpReason, isForgotten } from "../wire/http.ts";
import type { Inventory, ListedPrompt, ListedTool } from "../wire/inventory.ts";
import { Catalog, INSTRUCTIONS } from "./catalog.ts";
import type { Definition } from "./definitions.ts";
import { loginFault } from "./login-fault.ts";
import type { Pins } from "./pins.ts";
import { Relist } from "./relist.ts";
import type { Surroundings } from "./surroundings.ts";
import { Uses } from "./uses.ts";

/**
 * How often in a row a server that has ended by itself is started again, and after how many milliseconds of running the count begins again.
 */
const MOST_RESTARTS = 5;
const STEADY_MS = 60_000;
const LONGEST_DELAY_MS = 30_000;

/** A server of a session: starts and restarts its program or connection, and passes on calls. */
export class Server {
  readonly definition: Definition;
  state: ServerState;
  /** Why it is not running. */
  problem: string | undefined;
  redact: (text: string) => string = (text) => text;
  /** The known tools, prompts and resources of the server. */
  readonly catalog: Catalog;
  private readonly around: Surroundings;
  private starting: Promise<Connection> | undefined;
  /** Aborted to give up the latest start. */
  private attempt: AbortController | undefined;
  private connection: Connection | undefined;
  private restarts = 0;
  private upSince = 0;
  private cancelRestart: (() => void) | undefined;
  private readonly uses = new Uses();
  private readonly relisting: Relist;
  /** Whether people were told that it is not running. */
  private isFailureTold = false;
  private isClosed = false;

  constructor(definition: Definition, around: Surroundings) {
    this.definition = definition;
    this.state = definition.enabled ? "off" : "disabled";
    this.around = around;
    this.catalog = new Catalog(definition, around.tell);
    this.relisting = new Relist(around, () => this.relist());
  }

  get name(): string {
    return this.definition.name;
  }

  /** Its tools; undefined until they are known, from the server itself or from an earlier session. */
  get listed(): readonly ListedTool[] | undefined {
    return this.catalog.tools;
  }

  get prompts(): readonly ListedPrompt[] {
    return this.catalog.inventory?.prompts ?? [];
  }

  get inventory(): Inventory | undefined {
    return this.catalog.inventory;
  }

  /** Name and version that it reports. */
  get version(): string | undefined {
    return this.catalog.version;
  }

  /** Its instructions for the model, if they are accepted. */
  get instructions(): string | undefined {
    return this.pins.isAccepted(INSTRUCTIONS) ? this.inventory?.instructions : undefined;
  }

  get pins(): Pins {
    return this.catalog.pins;
  }

  /** Loads the tools that were stored in an earlier session. */
  recall(): void {
    this.catalog.recall();
  }

  /** Whether the tools are only known from an earlier session, and the server may still report others in this one. */
  get isUnconfirmed(): boolean {
    return ["off", "starting"].includes(this.state) && this.listed !== undefined && !this.catalog.isFirstHand;
  }

  /** Waits until the server itself has reported its tools, or its start has failed. Starts it if necessary. */
  async confirmed(): Promise<void> {
    // A failed start is reported when a tool is called.
    if (!this.catalog.isFirstHand) await this.start().catch(() => {});
  }

  /** Starts it unless it is running or starting. Rejects with MCP_START, which is also shown to people the first time. */
  start(): Promise<Connection> {
    if (this.connection) return Promise.resolve(this.connection);
    this.starting ??= this.open().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  /** Stops it if it is running or starting, and starts it. Calls that wait for a start which is given up wait for the next one. */
  async restart(): Promise<void> {
    const { connection, starting } = this;
    this.restarts = 0;
    if (!connection && starting) {
      this.attempt?.abort(new Error("it was restarted meanwhile"));
      await starting;
      return;
    }
    this.connection = undefined;
    await connection?.close();
    await this.start();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelRestart?.();
    this.relisting.close();
    const connection = this.connection ?? (await this.starting?.catch(() => undefined));
    this.become("off");
    await Promise.all([connection?.close(), this.uses.close()]);
  }

  /** Calls a tool, if it is still the one that was approved once the server is up. Throws errors that tell a model what to do. */
  call(
    tool: string,
    args: Record<string, unknown>,
    options: Omit<CallOptions, "timeoutMs">,
    isApproved: () => boolean,
  ): Promise<CallResult> {
    const { timeoutMs } = this.definition;
    return this.use(tool, options.signal, (connection) => {
      if (!isApproved()) throw errors.MCP_OTHER_TOOL({ isGone: !this.pins.has(tool) });
      return connection.call(tool, args, { ...options, timeoutMs });
    });
  }

  /** Runs `work` with the connection, and starts the server before if necessary. Throws errors that tell a model what to do. */
  async use<T>(what: string, signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    let used: Connection | undefined;
    const attempt = async () => {
      const connection = await untilAborted(this.start(), signal);
      used = connection;
      return this.uses.during(connection, () => work(connection));
    };
    try {
      return await attempt().catch((thrown: unknown) => {
        if (!isForgotten(thrown)) throw thrown;
        // The server no longer knows its session and has not handled the request, so it is repeated in a new session.
        if (used) this.forget(used);
        return attempt();
      });
    } catch (thrown) {
      signal.throwIfAborted();
      throw this.failureOf(thrown, what);
    }
  }

  /** Lets the next request open a new session, unless another request has done so before. */
  private forget(connection: Connection): void {
    if (this.connection !== connection) return;
    this.connection = undefined;
    this.restarts = 0;
    this.uses.forget(connection);
  }

  private failureOf(thrown: unknown, tool: string): Error {
    const server = this.name;
    if (codeOf(thrown) === "MCP_START") return thrown as Error;
    const needsLogin = loginFault(thrown, this.definition);
    if (needsLogin) return needsLogin;
    if ((thrown as { code?: unknown }).code === "REQUEST_TIMEOUT")
      return errors.MCP_TIMEOUT({ server, tool, seconds: this.definition.timeoutMs / 1_000 }, { cause: thrown });
    const ended = this.connection === undefined && this.problem !== undefined;
    const reason = ended
      ? `it ended before it answered (${this.problem}). Whether the call took effect is not known`
      : this.redact(clause(httpReason(thrown))).slice(0, 2_000);
    return errors.MCP_CALL({ server, tool, reason }, { cause: thrown });
  }

  private async open(): Promise<Connection> {
    this.cancelRestart?.();
    this.become(this.restarts > 0 ? "restarting" : "starting");
    const attempt = new AbortController();
    this.attempt = attempt;
    let current: Connection | undefined;
    try {
      const { connection, redact } = await this.around.open(this.definition, {
        changed: () => this.relisting.soon(),
        closed: (how) => this.ended(current, how),
        signal: attempt.signal,
      });
      current = connection;
      this.redact = redact;
      const inventory = await connection.list();
      attempt.signal.throwIfAborted();
      this.up(connection, inventory);
      return connection;
    } catch (thrown) {
      await current?.close();
      if (attempt.signal.aborted && !this.isClosed) return this.open();
      throw this.failed(thrown);
    }
  }

  private up(connection: Connection, inventory: Inventory): void {
    this.connection = connection;
    this.catalog.learn(inventory, connection.version);
    this.problem = undefined;
    this.isFailureTold = false;
    this.upSince = this.around.now();
    this.become("up");
  }

  private failed(thrown: unknown): Error {
    const needsLogin = loginFault(thrown, this.definition);
    this.problem = this.redact(clause(messageOf(needsLogin ?? thrown))).slice(0, 2_000);
    const error = needsLogin ?? errors.MCP_START({ server: this.name, reason: this.problem }, { cause: thrown });
    if (this.isClosed) return error;
    // If it was running before, it is tried again; otherwise the failure is shown at once.
    if (this.restarts > 0) this.startLater(this.problem);
    else this.give(error);
    return error;
  }

  /** Handles a connection that has ended by itself. Before the start is complete, `open` fails instead. */
  private ended(ended: Connection | undefined, how: string): void {
    if (this.isClosed || ended === undefined || this.connection !== ended) return;
    this.connection = undefined;
    this.problem = how;
    if (this.around.now() - this.upSince > STEADY_MS) this.restarts = 0;
    this.startLater(how);
  }

  private startLater(reason: string): void {
    this.restarts++;
    if (this.restarts > MOST_RESTARTS) {
      this.give(errors.MCP_GIVEN_UP({ server: this.name, reason, attempts: MOST_RESTARTS }));
      return;
    }
    this.become("restarting");
    const delay = Math.min(LONGEST_DELAY_MS, 1_000 * 2 ** (this.restarts - 1));
    this.cancelRestart = this.around.after(delay, () => void this.start().catch(() => {}));
  }

  private give(problem: Error): void {
    this.restarts = 0;
    this.become("failed");
    // Each call of a tool tries to start it again. The result says why that fails, perhaps in other words.
    if (!this.isFailureTold) this.around.tell(problem);
    this.isFailureTold = true;
  }

  /** Requests the list of tools again. Returns whether the list is known. */
  private async relist(): Promise<boolean> {
    // A server that is starting has perhaps changed its tools while it listed them.
    const connection = this.connection ?? (await this.starting?.catch(() => undefined));
    if (!connection) return true;
    try {
      const inventory = await connection.list();
      if (this.connection !== connection) return true;
      this.catalog.learn(inventory, connection.version);
      this.problem = undefined;
      this.around.changed();
      return true;
    } catch (thrown) {
      // If the connection has ended, `ended` reports it. Otherwise the tools stay as they are known.
      if (this.connection !== connection) return true;
      this.problem = this.redact(clause(messageOf(thrown))).slice(0, 500);
      return false;
    }
  }

  private become(state: ServerState): void {
    this.state = state;
    this.around.changed();
  }
}
