import type { BaseContext, Transients } from "@scorel/kernel";
import type { NoticeLevel, PluginStatus } from "./contract.ts";
import { harmless, oneLine } from "./words.ts";

const STATUS = 80;
const NOTICE = 4_000;
/** What is told before anyone listens; of more than this the earliest is dropped. */
const HELD = 100;

/** What plugins tell the people who watch one open session, beside its log. */
export class Notices {
  private readonly ctx: BaseContext;
  private readonly statuses = new Map<string, string>();
  /** Told before a client listened: a plugin may speak as the session opens. */
  private held: Transients["notification"][] | undefined = [];
  private closed = false;

  constructor(ctx: BaseContext) {
    this.ctx = ctx;
  }

  /** A client listens from now on: it hears what was told before. */
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

  /** Nobody hears anything any more. */
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
