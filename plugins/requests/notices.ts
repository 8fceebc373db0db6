import type { BaseContext, Transients } from "@scorel/kernel";
import type { NoticeLevel, PluginStatus } from "./contract.ts";
import { harmless, oneLine } from "./words.ts";

const STATUS = 80;
const NOTICE = 4_000;
/** The most notices kept before a client listens; the oldest are dropped. */
const HELD = 100;

/** Notices and status texts of plugins for the people who watch a session; not in its log. */
export class Notices {
  private readonly ctx: BaseContext;
  private readonly statuses = new Map<string, string>();
  /** Notices sent before a client listened, since a plugin may speak while the session opens. */
  private held: Transients["notification"][] | undefined = [];
  private closed = false;

  constructor(ctx: BaseContext) {
    this.ctx = ctx;
  }

  /** A client listens from now on, and receives earlier notices. */
  listen(): void {
    const { held } = this;
    if (!held || this.closed) return;
    this.held = undefined;
    for (const status of this.list()) this.ctx.session.emit("plugin_status", status);
    for (const notification of held) this.ctx.session.emit("notification", notification);
  }

  list(): PluginStatus[] {
    return [...this.statuses].map(([plugin, text]) => ({ plugin, text }));
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

  status(plugin: string, text: string | undefined): void {
    const status = oneLine(harmless(text ?? ""), STATUS);
    if (this.closed || status === (this.statuses.get(plugin) ?? "")) return;
    if (status === "") this.statuses.delete(plugin);
    else this.statuses.set(plugin, status);
    if (!this.held) this.ctx.session.emit("plugin_status", { plugin, ...(status !== "" && { text: status }) });
  }
}
