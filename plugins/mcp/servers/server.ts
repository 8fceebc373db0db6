import { messageOf } from "@scorel/kernel";
import { clause } from "@scorel/kit/text/one-line";
import { untilAborted } from "@scorel/kit/values/abort";
import type { McpServerRow, ServerState } from "../contract.ts";
import { errors } from "../errors.ts";
import type { CallOptions, CallResult, Connection, ListedTool } from "../wire/connection.ts";
import { httpReason, isForgotten, withoutSecrets } from "../wire/http.ts";
import type { Definition } from "./definitions.ts";
import { Pins } from "./pins.ts";

/** How often a server that ends by itself is started again, and how many milliseconds it has to stay up to count as well again. */
const MOST_RESTARTS = 5;
const STEADY_MS = 60_000;
const LONGEST_DELAY_MS = 30_000;
/** Milliseconds between the news that tools have changed and the question which there are. */
const RELIST_MS = 200;

/** What a server needs from its session. */
export interface Surroundings {
  /** Opens a connection. `told` hears of changes until the connection ends. */
  open(server: Server, told: { changed(): void; closed(how: string): void }): Promise<Opened>;
  /** Calls `work` after so many milliseconds; returns a function that prevents it. */
  after(ms: number, work: () => void): () => void;
  now(): number;
  /** The tools or the state of a server have changed. */
  changed(server: Server): void;
  /** Tells people of a problem. */
  tell(problem: unknown): void;
}
export interface Opened {
  connection: Connection;
  /** Takes the server's secrets out of a text. */
  redact(text: string): string;
}

/** A server of a session: starts it, starts it again when it ends by itself, and passes calls on. */
export class Server {
  readonly definition: Definition;
  state: ServerState;
  /** Why it is not up. */
  problem: string | undefined;
  version: string | undefined;
  /** Its tools; undefined until they are known. They stay known while it is restarted. */
  listed: readonly ListedTool[] | undefined;
  redact: (text: string) => string = (text) => text;
  readonly pins: Pins;
  private readonly around: Surroundings;
  private starting: Promise<Connection> | undefined;
  private connection: Connection | undefined;
  /** Changed tools of which people were told. */
  private readonly told = new Set<string>();
  private restarts = 0;
  private upSince = 0;
  private cancelRestart: (() => void) | undefined;
  private cancelRelist: (() => void) | undefined;
  private isClosed = false;

  constructor(definition: Definition, around: Surroundings) {
    this.definition = definition;
    this.state = definition.enabled ? "off" : "disabled";
    this.around = around;
    this.pins = new Pins(definition, around.tell);
  }

  get name(): string {
    return this.definition.name;
  }

  /** Starts it unless it runs or is starting. Rejects with MCP_START, which is also told to people. */
  start(): Promise<Connection> {
    if (this.connection) return Promise.resolve(this.connection);
    this.starting ??= this.open().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  /** Ends it, if it runs, and starts it. */
  async restart(): Promise<void> {
    await this.starting?.catch(() => {});
    const { connection } = this;
    this.connection = undefined;
    this.restarts = 0;
    await connection?.close();
    await this.start();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelRestart?.();
    this.cancelRelist?.();
    const connection = this.connection ?? (await this.starting?.catch(() => undefined));
    this.become("off");
    await connection?.close();
  }

  /** Calls a tool, after waiting for a server that is starting. Throws errors that a model can act on. */
  async call(
    tool: string,
    args: Record<string, unknown>,
    options: Omit<CallOptions, "timeoutMs">,
  ): Promise<CallResult> {
    const { timeoutMs } = this.definition;
    const call = async () => {
      const connection = await untilAborted(this.start(), options.signal);
      return connection.call(tool, args, { ...options, timeoutMs });
    };
    try {
      return await call().catch(async (thrown: unknown) => {
        if (!isForgotten(thrown)) throw thrown;
        // The server has not looked at the call, so it is made once more, in a new session.
        await untilAborted(this.restart(), options.signal);
        return call();
      });
    } catch (thrown) {
      options.signal.throwIfAborted();
      throw this.failureOf(thrown, tool);
    }
  }

  /** The server as people see it; `tools` are the names that the model sees. */
  row(tools: readonly string[]): McpServerRow {
    const { name, place, way } = this.definition;
    const target = "url" in way ? withoutSecrets(way.url) : this.redact([way.command, ...way.args].join(" "));
    return {
      ...{ name, place, target, state: this.state, tools: [...tools] },
      ...(this.version !== undefined && { version: this.version }),
      ...(this.problem !== undefined && { problem: this.problem }),
    };
  }

  private failureOf(thrown: unknown, tool: string): Error {
    const server = this.name;
    if ((thrown as { code?: unknown }).code === "REQUEST_TIMEOUT")
      return errors.MCP_TIMEOUT({ server, tool, seconds: this.definition.timeoutMs / 1_000 }, { cause: thrown });
    const ended = this.connection === undefined && this.problem !== undefined;
    const reason = ended
      ? `it ended before it answered (${this.problem}). Whether the call took effect is not known`
      : this.redact(clause(httpReason(thrown)).slice(0, 2_000));
    return errors.MCP_CALL({ server, tool, reason }, { cause: thrown });
  }

  private async open(): Promise<Connection> {
    this.cancelRestart?.();
    this.become(this.restarts > 0 ? "restarting" : "starting");
    let current: Connection | undefined;
    try {
      const { connection, redact } = await this.around.open(this, {
        changed: () => this.relistSoon(),
        closed: (how) => this.ended(current, how),
      });
      current = connection;
      this.redact = redact;
      const { tools, isCut } = await connection.list();
      this.up(connection, tools, isCut);
      return connection;
    } catch (thrown) {
      await current?.close();
      throw this.failed(thrown);
    }
  }

  private up(connection: Connection, tools: readonly ListedTool[], isCut: boolean): void {
    this.connection = connection;
    this.learn(tools);
    this.version = clause(connection.version).slice(0, 100);
    this.problem = isCut ? `only its first ${tools.length} tools are used` : undefined;
    this.upSince = this.around.now();
    this.become("up");
  }

  /** Takes the present tools, and tells people of those that are not what was accepted, once. */
  private learn(tools: readonly ListedTool[]): void {
    this.listed = tools;
    const changed = this.pins.see(tools).map((tool) => clause(tool).slice(0, 64));
    const fresh = changed.filter((tool) => !this.told.has(tool));
    for (const tool of fresh) this.told.add(tool);
    if (fresh.length > 0) this.around.tell(errors.MCP_CHANGED({ server: this.name, tools: fresh }));
  }

  private failed(thrown: unknown): Error {
    this.problem = this.redact(clause(messageOf(thrown))).slice(0, 2_000);
    const error = errors.MCP_START({ server: this.name, reason: this.problem }, { cause: thrown });
    if (this.isClosed) return error;
    // One that was up before is tried again; one that never was is told at once.
    if (this.restarts > 0) this.startLater(this.problem);
    else this.give(error);
    return error;
  }

  /** The connection has ended by itself. Before it was up, that is a failed start. */
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
    this.around.tell(problem);
  }

  /** Asks for the tools anew, but only so often: a server may say without end that they have changed. */
  private relistSoon(): void {
    this.cancelRelist ??= this.around.after(RELIST_MS, () => {
      this.cancelRelist = undefined;
      void this.relist();
    });
  }

  private async relist(): Promise<void> {
    const { connection } = this;
    if (!connection) return;
    try {
      const { tools } = await connection.list();
      if (this.connection !== connection) return;
      this.learn(tools);
      this.around.changed(this);
    } catch (thrown) {
      // If it has ended, that is told elsewhere; else its tools stay those that are known.
      if (this.connection === connection) this.problem = this.redact(clause(messageOf(thrown))).slice(0, 500);
    }
  }

  private become(state: ServerState): void {
    this.state = state;
    this.around.changed(this);
  }
}
