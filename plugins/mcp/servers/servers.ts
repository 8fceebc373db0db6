import { pathToFileURL } from "node:url";
import { type BaseContext, messageOf, ScorelError } from "@scorel/kernel";
import { Tokens } from "../auth/tokens.ts";
import type { McpAsk } from "../contract.ts";
import { errors } from "../errors.ts";
import { type Connection, type ConnectOptions, connect, START_MS } from "../wire/connection.ts";
import { httpReason, httpTransport, isUnauthorized, sayFarewell } from "../wire/http.ts";
import { type Program, ServerProcesses } from "../wire/processes.ts";
import { StdioTransport } from "../wire/stdio.ts";
import { type Address, type Definition, hasKey } from "./definitions.ts";
import { lastWords } from "./last-words.ts";
import { serverLog } from "./log.ts";
import { Logins } from "./logins.ts";
import { serverRequests } from "./requests.ts";
import { Server } from "./server.ts";
import type { Opened, Surroundings } from "./surroundings.ts";
import { baseEnvironment, expanded, type Sources, userVariables } from "./variables.ts";

type Told = Parameters<Surroundings["open"]>[1];
type About = Omit<ConnectOptions, "transport" | "onChanged" | "onClose">;
type Redact = (text: string) => string;

/**
 * Milliseconds after the start of a session until servers are started whose tools are known. By then the first request is on its way,
 * which else would share the processor with all of them.
 */
const KNOWN_MS = 500;
/**
 * Milliseconds that servers get at the end of a session to say what they offer: those that were never known, and those whose list an earlier
 * session has kept. The kernel gives a plugin 5 s to end.
 */
const LAST_CHANCE_MS = 4_000;
const CONFIRM_MS = 1_000;

/** What the servers of a session depend on. */
export interface Session {
  ctx: BaseContext;
  /** Servers may ask for calls of the model. */
  sampling: boolean;
  /** Names of variables that servers of projects may use. */
  allowed: readonly string[];
  clock: Pick<Surroundings, "after" | "now">;
  changed(): void;
}

/** The servers of a session. */
export class Servers {
  readonly all: readonly Server[];
  readonly logins = new Logins(() => this.sources());
  private readonly session: Session;
  private readonly processes: ServerProcesses;
  private readonly asked = new Map<string, Set<McpAsk>>();
  private cancelStart: (() => void) | undefined;
  private readonly ending = new AbortController();

  constructor(definitions: readonly Definition[], session: Session) {
    this.session = session;
    const { ctx, clock, changed } = session;
    this.processes = new ServerProcesses(ctx.session.id, (thrown) => ctx.report("processes", thrown));
    const around: Surroundings = {
      ...clock,
      changed,
      open: (definition, told) => this.open(definition, told),
      // An empty place makes it a notice: the fault is the server's.
      tell: (problem) => ctx.report("", problem),
    };
    this.all = definitions.map((definition) => new Server(definition, around));
  }

  /** Those that are used. */
  get enabled(): Server[] {
    return this.all.filter(({ definition }) => definition.enabled);
  }

  /**
   * Starts all, together; those whose tools are known from an earlier session a little later. Problems are told to people.
   */
  start(): void {
    for (const server of this.enabled) server.recall();
    const known = this.enabled.filter(({ listed }) => listed);
    const begin = (servers: readonly Server[]) => {
      for (const server of servers) void server.start().catch(() => {});
    };
    begin(this.enabled.filter(({ listed }) => !listed));
    if (known.length > 0) this.cancelStart = this.session.clock.after(KNOWN_MS, () => begin(known));
  }

  /** The server of this name. Throws MCP_UNKNOWN. */
  named(name: string): Server {
    const found = this.all.find((server) => server.name === name);
    if (!found) throw errors.MCP_UNKNOWN({ server: name, known: this.all.map((server) => server.name) });
    return found;
  }

  /** What a server has asked for. */
  askedBy(server: string): McpAsk[] {
    return [...(this.asked.get(server) ?? [])];
  }

  private noteAsk(server: string, what: McpAsk): void {
    this.asked.set(server, new Set([...(this.asked.get(server) ?? []), what]));
  }

  /**
   * Ends all. With `lateOnes`, those that have not said yet what they offer get a little more time, so that the next session knows it: else a
   * server that is slower than each of many short sessions would never be of use, nor would tools that it has added. Not each time: only once in a
   * while for what was confirmed, or was too late, not long ago.
   */
  async close(lateOnes = false): Promise<void> {
    this.cancelStart?.();
    if (lateOnes) {
      const unknown = this.enabled.filter(isAwaited);
      const unconfirmed = this.unconfirmed().filter(({ catalog }) => !catalog.isYoung);
      await Promise.all([this.settled(unknown, LAST_CHANCE_MS), this.settled(unconfirmed, CONFIRM_MS)]);
      for (const { catalog } of unknown.filter(isUnknown)) catalog.noteLate();
    }
    this.ending.abort();
    await Promise.all(this.all.map((server) => server.close()));
    this.processes.close();
  }

  /** Starts those whose kept lists they have not confirmed. Returns their names. */
  confirm(): string[] {
    const servers = this.unconfirmed();
    for (const server of servers) void server.confirmed();
    return servers.map(({ name }) => name);
  }

  private unconfirmed(): Server[] {
    return this.enabled.filter(({ isUnconfirmed }) => isUnconfirmed);
  }

  /** Waits until these servers have started, or could not, but not for long. */
  private async settled(servers: readonly Server[], ms: number): Promise<void> {
    if (servers.length === 0) return;
    const starts = Promise.allSettled(servers.map((server) => server.start()));
    await new Promise<void>((resolve) => {
      const cancel = this.session.clock.after(ms, resolve);
      void starts.then(() => {
        cancel();
        resolve();
      });
    });
  }

  private async open(definition: Definition, told: Told): Promise<Opened> {
    const { ctx } = this.session;
    const { way, secrets } = expanded(definition, this.sources());
    const tokens = "url" in way && !hasKey(way) ? new Tokens(definition.name, way) : undefined;
    const redact = redactor(() => [...secrets, ...(tokens?.secrets ?? [])], ctx);
    const about = this.about(definition.name, redact);
    const connection =
      "url" in way
        ? await this.openAddress(way, told, redact, about, tokens)
        : await this.openProgram(way, told, redact, about);
    return { connection, redact };
  }

  private async openProgram(way: Program, told: Told, redact: Redact, about: About): Promise<Connection> {
    const env = { ...baseEnvironment(this.sources()), ...way.env };
    const transport = new StdioTransport({ ...way, env }, this.processes);
    const onClose = () => told.closed(redact(withSaid(transport.how ?? "it was closed", transport.stderr)));
    try {
      return await connect({ ...about, transport, onChanged: told.changed, onClose });
    } catch (thrown) {
      // Read before `close`, which ends the program by a signal.
      const { how } = transport;
      await transport.close();
      throw new Error(redact(faultOf(thrown, how, transport)), { cause: thrown });
    }
  }

  private async openAddress(
    way: Address,
    told: Told,
    redact: Redact,
    about: About,
    tokens?: Tokens,
  ): Promise<Connection> {
    const transport = await httpTransport(way.url, way.headers, tokens);
    const onClose = () => told.closed("the connection was closed");
    try {
      const connection = await connect({ ...about, transport, onChanged: told.changed, onClose });
      const close = async () => {
        await sayFarewell(transport);
        await connection.close();
      };
      return { ...connection, close };
    } catch (thrown) {
      await transport.close();
      // A server without a key of its own is told as one that needs a login.
      if (thrown instanceof ScorelError || (tokens && isUnauthorized(thrown))) throw thrown;
      throw new Error(redact(httpReason(thrown)), { cause: thrown });
    }
  }

  private about(server: string, redact: Redact): About {
    const { ctx, sampling } = this.session;
    const root = ctx.find("workspace")?.root ?? process.cwd();
    return {
      version: ctx.find("launch")?.version ?? "0",
      roots: [pathToFileURL(root).href],
      signal: this.ending.signal,
      clock: this.session.clock,
      onAsked: (what) => this.noteAsk(server, what),
      onLog: serverLog(ctx, server, redact),
      ...serverRequests(ctx, server, sampling),
    };
  }

  private sources(): Sources {
    const { ctx, allowed } = this.session;
    const user = userVariables(ctx.find("workspace")?.environment);
    return { user, allowed, commands: ctx.find("secrets")?.childEnv(user) ?? user };
  }
}

/** Whether it is starting, and no session has learned yet what it offers. */
export const isUnknown = ({ state, listed }: Server): boolean => state === "starting" && !listed;

/** Whether sessions wait for the server: it is starting, its tools are not known, and no recent session has waited in vain. */
export const isAwaited = (server: Server): boolean => isUnknown(server) && !server.catalog.wasLate;

/** Takes the secrets of a server, and those of Scorel, out of a text. */
function redactor(secrets: () => readonly string[], ctx: BaseContext): Redact {
  return (text) => {
    const longest = [...new Set(secrets())].sort((a, b) => b.length - a.length);
    const own = longest.reduce((kept, secret) => kept.replaceAll(secret, "[redacted]"), text);
    return ctx.find("secrets")?.redact(own) ?? own;
  };
}

/** Why a program could not be used, with what it wrote to its standard error about that. */
function faultOf(thrown: unknown, how: string | undefined, { stderr }: StdioTransport): string {
  const { code } = thrown as { code?: unknown };
  const isEnd = code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED";
  const what = code === "REQUEST_TIMEOUT" ? `it did not answer for ${START_MS / 1_000} s` : reasonOf(thrown);
  return withSaid((isEnd ? how : undefined) ?? what, stderr);
}

function withSaid(what: string, stderr: string): string {
  const said = lastWords(stderr);
  return said === "" ? what : `${what}; it wrote: ${said}`;
}

function reasonOf(thrown: unknown): string {
  const { code, path } = thrown as { code?: unknown; path?: unknown };
  return code === "ENOENT" ? `there is no program ${String(path)}` : messageOf(thrown);
}
