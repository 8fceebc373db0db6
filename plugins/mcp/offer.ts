import { messageOf } from "@scorel/kernel";
import { clause } from "@scorel/kit/text/one-line";
import { onAbort } from "@scorel/kit/values/abort";
import type { Tool } from "@scorel/tools/contract";
import { errors } from "./errors.ts";
import type { Server } from "./servers/server.ts";
import { isAwaited, isUnknown, type Servers } from "./servers/servers.ts";
import { isChosen, toolNames } from "./tools/names.ts";
import { resourceTools } from "./tools/resources.ts";
import { createSearch } from "./tools/search.ts";
import { Selection, textOf, tokensOf } from "./tools/selection.ts";
import { toolOf } from "./tools/tool.ts";

/** Connects an Offer to its session. */
export interface Outlet {
  /** Offers these tools to the model. Returns a function that withdraws them. */
  contribute(tools: Tool[]): () => unknown;
  /** Whether an offered tool can be used: the configuration may forbid it. */
  isUsable(name: string): boolean;
  /** Most tokens that the descriptions of all tools together may have; undefined for no limit. */
  budget(): number | undefined;
  /** Names of the tools that were found earlier in this session. */
  found(): readonly string[];
  /** Shows a problem to people. */
  tell(problem: Error): void;
  /** Milliseconds that the first turn waits for servers that are starting. */
  waitMs: number;
  /** Calls `work` after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
}

/**
 * The tools of the servers that the model is offered. They change only before the first request of a turn, because each change makes the
 * provider process the whole conversation again. Only tools that the model finds are added at once.
 */
export class Offer {
  private readonly servers: Servers;
  private readonly outlet: Outlet;
  private takeBack: (() => unknown) | undefined;
  private selection: Selection | undefined;
  private offered: readonly Tool[] = [];
  private isChanged = true;
  private waited: Promise<void> | undefined;
  private waiting = new Set<() => void>();
  private readonly told = new Set<string>();
  private readonly toldCut = new Set<string>();

  constructor(servers: Servers, outlet: Outlet) {
    this.servers = servers;
    this.outlet = outlet;
  }

  /** Called when the tools or the state of a server have changed. */
  changed(): void {
    this.isChanged = true;
    for (const look of this.waiting) look();
  }

  /** Names of a server's tools that the model has to find first; undefined until the first turn has decided whether it has to. */
  deferredOf(server: Server): string[] | undefined {
    if (!this.selection) return undefined;
    const offered = new Set(this.offered.map(({ name }) => name));
    return this.selection.isDeferred ? namesOf(server).filter((name) => !offered.has(name)) : [];
  }

  /** Estimated tokens of the descriptions of all tools of a server. */
  tokensOf(server: Server): number {
    const tools = this.toolsOf(server);
    return tools.length === 0 ? 0 : tokensOf(tools);
  }

  /** Updates the offered tools. To be called before the first request of a turn. */
  async beforeTurn(signal: AbortSignal): Promise<void> {
    this.waited ??= this.wait(signal);
    await this.waited;
    this.publish();
    for (const server of this.cut()) this.tellCut(server);
  }

  /** Waits up to `waitMs` for servers that are starting. Shows once which ones are not running by then. */
  private async wait(signal: AbortSignal): Promise<void> {
    const awaited = () => this.servers.enabled.filter(isAwaited);
    if (awaited().length > 0) await this.settled(() => awaited().length === 0, signal);
    const late = this.servers.enabled.filter(isUnknown).map(({ name }) => name);
    if (late.length > 0 && !signal.aborted) this.outlet.tell(errors.MCP_STARTING({ servers: late }));
  }

  /**
   * Starts the servers whose tools are only known from an earlier session, and waits for their lists. Returns false if there are no such
   * servers.
   */
  private async renew(signal: AbortSignal): Promise<boolean> {
    if (this.servers.confirm().length === 0) return false;
    await this.settled(() => this.servers.enabled.every(({ isUnconfirmed }) => !isUnconfirmed), signal);
    this.selection?.renew(this.servers.enabled.flatMap((server) => this.toolsOf(server)));
    return true;
  }

  private settled(isOver: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.waiting.delete(look);
        ignore();
        resolve();
      };
      const look = () => {
        if (isOver()) end();
      };
      const cancel = this.outlet.after(this.outlet.waitMs, end);
      const ignore = onAbort(signal, () => end());
      this.waiting.add(look);
      look();
    });
  }

  /** Offers the current tools, if they differ from those that are offered. */
  private publish(): void {
    if (!this.isChanged) return;
    this.isChanged = false;
    const all = this.servers.enabled.flatMap((server) => this.toolsOf(server));
    this.selection ??= this.newSelection();
    const others = resourceTools(this.servers);
    this.present([...this.selection.of(all), ...others]);
    const search = this.selection.isDeferred ? this.offered[0] : undefined;
    if (!search || this.outlet.isUsable(search.name)) return;
    this.selection.giveUp();
    this.present([...this.selection.of(all), ...others]);
  }

  private present(tools: readonly Tool[]): void {
    if (textOf(tools) === textOf(this.offered)) return;
    this.offered = tools;
    this.takeBack?.();
    this.takeBack = this.outlet.contribute([...tools]);
  }

  private newSelection(): Selection {
    const search = createSearch({
      servers: this.servers.enabled.map(({ name }) => name),
      searchable: () => this.selection?.searchable ?? [],
      offer: (names) => {
        this.present([...this.offered, ...(this.selection?.add(names) ?? [])]);
        return names.filter((name) => this.outlet.isUsable(name));
      },
      starting: () => this.servers.enabled.filter(isUnknown).map(nameOf),
      cut: () => this.cut().map(nameOf),
      renew: (signal) => this.renew(signal),
    });
    return new Selection({ budget: this.outlet.budget, found: this.outlet.found(), search });
  }

  private toolsOf(server: Server): Tool[] {
    const listed = chosen(server);
    const names = toolNames(
      server.name,
      listed.map(({ name }) => name),
    );
    // Of two tools with the same name, the first one is used.
    const byName = new Map(listed.toReversed().map((tool) => [tool.name, tool]));
    const problems = [...(server.inventory?.flawed ?? [])];
    const tools = [...names].flatMap(([own, name]) => {
      const tool = byName.get(own);
      try {
        return tool ? [toolOf(server, tool, name)] : [];
      } catch (thrown) {
        problems.push(`${clause(own).slice(0, 80)}: ${messageOf(thrown)}`);
        return [];
      }
    });
    this.tellOnce(server.name, problems);
    return tools;
  }

  /** Servers that have more tools than are read. */
  private cut(): Server[] {
    return this.servers.enabled.filter(({ inventory }) => inventory?.isCut);
  }

  /** Shows once that a server has more tools than are read. */
  private tellCut({ name, listed = [] }: Server): void {
    if (this.toldCut.has(name)) return;
    this.toldCut.add(name);
    this.outlet.tell(errors.MCP_CUT({ server: name, used: listed.length }));
  }

  private tellOnce(server: string, problems: readonly string[]): void {
    const [first] = problems;
    if (first === undefined || this.told.has(server)) return;
    this.told.add(server);
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    this.outlet.tell(errors.MCP_TOOLS({ server, reason: first + more }));
  }
}

/** Names under which a server's tools are offered now, or from the next turn on. */
export function namesOf(server: Server): string[] {
  const names = toolNames(
    server.name,
    chosen(server).map(({ name }) => name),
  );
  return [...names.values()].sort();
}

/** The server's own name of the tool that is offered as `name`. */
export function ownNameOf(server: Server, name: string): string | undefined {
  const names = toolNames(
    server.name,
    chosen(server).map((tool) => tool.name),
  );
  return [...names].find(([, offered]) => offered === name)?.[0];
}

const nameOf = ({ name }: Server) => name;

function chosen({ listed = [], definition }: Server) {
  return listed.filter(({ name }) => isChosen(name, definition.only));
}
