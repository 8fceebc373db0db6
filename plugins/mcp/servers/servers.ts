import { pathToFileURL } from "node:url";
import { type BaseContext, messageOf, ScorelError } from "@scorel/kernel";
import { isFolderAt } from "@scorel/kit/files/readable";
import { ownPath } from "@scorel/kit/process/programs";
import { Tokens } from "../auth/tokens.ts";
import type { McpAsk } from "../contract.ts";
import { errors } from "../errors.ts";
import { type Connection, type ConnectOptions, connect, START_MS } from "../wire/connection.ts";
import { endSession, httpReason, httpTransport, isUnauthorized } from "../wire/http.ts";
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
 * Milliseconds after the start of a session until servers whose tools are known are started. By then the first request has been sent;
 * otherwise their start would compete with it for the processor.
 */
const KNOWN_MS = 500;
/**
 * Milliseconds that servers have at the end of a session to report what they offer: those that were never known, and those known from an
 * earlier session. The kernel allows a plugin 5 s to stop.
 */
const LAST_CHANCE_MS = 4_000;
const CONFIRM_MS = 1_000;

/** The parts of the session that MCP servers use. */
export interface Session {
  ctx: BaseContext;
  /** Whether servers may ask for calls of the model. */
  sampling: boolean;
  /** Names of variables that servers of projects may use. */
  allowed: readonly string[];
  clock: Pick<Surroundings, "after" | "now">;
  changed(): void;
}

/** The MCP servers of a session. */
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
      // With an empty place it becomes a notice, since the server has caused the problem.
      tell: (problem) => ctx.report("", problem),
    };
    this.all = definitions.map((definition) => new Server(definition, around));
  }

  /** Servers that are not disabled. */
  get enabled(): Server[] {
    return this.all.filter(({ definition }) => definition.enabled);
  }

  /** Starts all servers together, but those whose tools are known from an earlier session a little later. Shows problems to people. */
  start(): void {
    for (const server of this.enabled) server.recall();
    const known = this.enabled.filter(({ listed }) => listed);
    const begin = (servers: readonly Server[]) => {
      for (const server of servers) void server.start().catch(() => {});
    };
    begin(this.enabled.filter(({ listed }) => !listed));
    if (known.length > 0) this.cancelStart = this.session.clock.after(KNOWN_MS, () => begin(known));
  }

  /** The server with this name. Throws MCP_UNKNOWN. */
  named(name: string): Server {
    const found = this.all.find((server) => server.name === name);
    if (!found) throw errors.MCP_UNKNOWN({ server: name, known: this.all.map((server) => server.name) });
    return found;
  }

  /** The kinds of requests that a server has made since the session was opened. */
  askedBy(server: string): McpAsk[] {
    return [...(this.asked.get(server) ?? [])];
  }

  private noteAsk(server: string, what: McpAsk): void {
    this.asked.set(server, new Set([...(this.asked.get(server) ?? []), what]));
  }

  /**
   * Stops all servers. With `lateOnes`, those that have not reported yet what they offer get a little more time, so that the next session
   * knows it. Otherwise a server that takes longer to start than short sessions last would never be used, nor would its new tools. Servers
   * that were confirmed, or were too late, within the last hour are not waited for.
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

  /** Starts the servers whose tools are only known from an earlier session. Returns their names. */
  confirm(): string[] {
    const servers = this.unconfirmed();
    for (const server of servers) void server.confirmed();
    return servers.map(({ name }) => name);
  }

  private unconfirmed(): Server[] {
    return this.enabled.filter(({ isUnconfirmed }) => isUnconfirmed);
  }

  /** Waits until these servers have started or failed, at most `ms` milliseconds. */
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
    const about = this.about(definition.name, redact, told.signal);
    const connection =
      "url" in way
        ? await this.openAddress(way, told, redact, about, tokens)
        : await this.openProgram(way, definition, told, redact, about);
    return { connection, redact };
  }

  private async openProgram(
    way: Program,
    { ofProject }: Definition,
    told: Told,
    redact: Redact,
    about: About,
  ): Promise<Connection> {
    const base = baseEnvironment(this.sources());
    // A project that is not trusted must not replace the user's servers, such as `npx`, by programs of its own.
    const env = { ...base, ...(!ofProject && { PATH: ownPath(base.PATH, way.cwd) }), ...way.env };
    const transport = new StdioTransport({ ...way, env }, this.processes);
    const onClose = () => told.closed(redact(withSaid(transport.how ?? "it was closed", redact(transport.stderr))));
    try {
      return await connect({ ...about, transport, onChanged: told.changed, onClose });
    } catch (thrown) {
      // Read before `close`, which ends the program with a signal.
      const { how } = transport;
      await transport.close();
      throw new Error(redact(faultOf(thrown, way, how, redact(transport.stderr))), { cause: thrown });
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
        await endSession(transport);
        await connection.close();
      };
      return { ...connection, close };
    } catch (thrown) {
      await transport.close();
      // Passed on unchanged, since `loginFault` recognizes it and asks for a login.
      if (thrown instanceof ScorelError || (tokens && isUnauthorized(thrown))) throw thrown;
      throw new Error(redact(httpReason(thrown)), { cause: thrown });
    }
  }

  private about(server: string, redact: Redact, signal: AbortSignal): About {
    const { ctx, sampling } = this.session;
    const root = ctx.find("workspace")?.root ?? process.cwd();
    return {
      version: ctx.find("launch")?.version ?? "0",
      roots: [pathToFileURL(root).href],
      signal: AbortSignal.any([this.ending.signal, signal]),
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

/** Whether the server is starting, and its tools are not known from an earlier session. */
export const isUnknown = ({ state, listed }: Server): boolean => state === "starting" && !listed;

/** Whether the first turn waits for the server: its tools are not known, and no recent session has waited for it without success. */
export const isAwaited = (server: Server): boolean => isUnknown(server) && !server.catalog.wasLate;

/** Makes a function that removes the secrets of a server, and those of Scorel, from text. */
function redactor(secrets: () => readonly string[], ctx: BaseContext): Redact {
  return (text) => {
    const longest = [...new Set(secrets())].sort((a, b) => b.length - a.length);
    const own = longest.reduce((kept, secret) => kept.replaceAll(secret, "[redacted]"), text);
    return ctx.find("secrets")?.redact(own) ?? own;
  };
}

/** Why a program could not be used, including what it has written about that to its standard error, which is `stderr` without secrets. */
function faultOf(thrown: unknown, { cwd }: Program, how: string | undefined, stderr: string): string {
  const { code } = thrown as { code?: unknown };
  const isEnd = code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED";
  const what = code === "REQUEST_TIMEOUT" ? `it did not answer for ${START_MS / 1_000} s` : reasonOf(thrown, cwd);
  return withSaid((isEnd ? how : undefined) ?? what, stderr);
}

function withSaid(what: string, stderr: string): string {
  const said = lastWords(stderr);
  return said === "" ? what : `${what}; it wrote: ${said}`;
}

function reasonOf(thrown: unknown, cwd: string): string {
  const { code, path } = thrown as { code?: unknown; path?: unknown };
  // Node.js names the program also when the folder to start it in is missing.
  if ((code === "ENOENT" || code === "ENOTDIR") && !isFolderAt(cwd)) return `there is no folder ${cwd}`;
  return code === "ENOENT" ? `there is no program ${String(path)}` : messageOf(thrown);
}
