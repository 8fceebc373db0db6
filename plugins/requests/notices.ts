import type { BaseContext, Transients } from "@scorel/kernel";
import type { NoticeLevel, PluginPanel, PluginStatus } from "./contract.ts";
import { harmless, oneLine } from "./words.ts";

const STATUS = 80;
const NOTICE = 4_000;
const PANEL_LINES = 6;
const PANEL_WIDTH = 200;
/** The most notices kept before a client listens; the oldest are dropped. */
const HELD = 100;

/** Notices and status texts of plugins for the people who watch a session; not in its log. */
export class Notices {
  private readonly ctx: BaseContext;
  private readonly statuses = new Map<string, PluginStatus>();
  private readonly panels = new Map<string, readonly string[]>();
  /** Notices from before a client listened, since a plugin may send one while the session opens. */
  private held: Transients["notification"][] | undefined = [];
  private closed = false;

  constructor(ctx: BaseContext) {
    this.ctx = ctx;
  }

  /** Called when the first client listens, which then receives the earlier notices. */
  listen(): void {
    const { held } = this;
    if (!held || this.closed) return;
    this.held = undefined;
    for (const status of this.list()) this.ctx.session.emit("plugin_status", status);
    for (const panel of this.listPanels()) this.ctx.session.emit("plugin_panel", panel);
    for (const notification of held) this.ctx.session.emit("notification", notification);
  }

  list(): PluginStatus[] {
    return [...this.statuses.values()];
  }

  listPanels(): PluginPanel[] {
    return [...this.panels].map(([plugin, lines]) => ({ plugin, lines: [...lines] }));
  }

  /** Stops sending anything. */
  close(): void {
    this.closed = true;
  }

  notify(plugin: string, level: NoticeLevel, text: string): void {
    if (this.closed) return;
    const told = harmless(text).trim();
    const notification = { plugin, level, text: told.length > NOTICE ? `${told.slice(0, NOTICE - 1)}…` : told };
    if (!this.held) this.ctx.session.emit("notification", notification);
    else if (this.held.push(notification) > HELD) this.held.shift();
  }

  status({ plugin, contained }: BaseContext, given: string | undefined): void {
    const text = oneLine(harmless(given ?? ""), STATUS);
    if (this.closed || text === (this.statuses.get(plugin)?.text ?? "")) return;
    const status = { plugin, text, ...(!contained && { shipped: true as const }) };
    if (text === "") this.statuses.delete(plugin);
    else this.statuses.set(plugin, status);
    if (!this.held) this.ctx.session.emit("plugin_status", text === "" ? { plugin } : status);
  }

  panel(plugin: string, given: unknown): void {
    const lines = panelLines(given);
    if (this.closed || areSame(lines, this.panels.get(plugin) ?? [])) return;
    if (lines.length === 0) this.panels.delete(plugin);
    else this.panels.set(plugin, lines);
    if (!this.held) this.ctx.session.emit("plugin_panel", { plugin, ...(lines.length > 0 && { lines: [...lines] }) });
  }
}

/** The lines of a panel without control characters, limited in length and number. */
function panelLines(given: unknown): string[] {
  const all = Array.isArray(given) ? given : given === undefined ? [] : [given];
  const lines = all.slice(0, PANEL_LINES + 1).map((line) => oneLine(harmless(line), PANEL_WIDTH));
  return all.length > PANEL_LINES
    ? [...lines.slice(0, PANEL_LINES - 1), `… ${all.length - PANEL_LINES + 1} more`]
    : lines;
}

function areSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}
