import type { ContentBlock, StopReason } from "@agentclientprotocol/sdk";
import { damageIn, Warnings } from "@scorel/host/client";
import type { Anchor, Client, Delivered, SessionStatus, Subscription } from "@scorel/host/contract";
import type { TrustService } from "@scorel/trust/contract";
import type { Notice } from "@scorel/workspace/contract";
import { promptOf } from "./content.ts";
import type { Editor } from "./editor.ts";
import { Questions } from "./questions.ts";
import { askForTrust, type Declined } from "./trust-question.ts";
import { Turns } from "./turns.ts";
import { Updates } from "./updates.ts";

/** What the sessions of an editor share. */
export interface Shared {
  client: Client;
  editor: Editor;
  trust: TrustService | undefined;
  declined: Declined;
  /** Writes a line to stderr. */
  log(text: string): void;
}

/** A session that an editor has open. */
export class Session {
  readonly id: string;
  readonly updates: Updates;
  private readonly cwd: string;
  private readonly shared: Shared;
  private readonly turns: Turns;
  private readonly questions: Questions;
  private readonly warnings = new Warnings();
  /** Prompts that were not sent yet. */
  private readonly unsent = new Set<AbortController>();
  private subscription: Subscription | undefined;
  private begun: Promise<void> | undefined;

  constructor(shared: Shared, sessionId: string, cwd: string) {
    this.id = sessionId;
    this.cwd = cwd;
    this.shared = shared;
    const { client, editor, log } = shared;
    this.updates = new Updates(cwd);
    this.turns = new Turns(client, sessionId);
    this.questions = new Questions({ sessionId, cwd, client, editor, log, calls: this.updates.calls });
  }

  /** Follows the session from a position on. What is in flight there is announced anew. */
  begin(status: SessionStatus, anchor: Anchor): Promise<void> {
    this.begun ??= this.follow(status, anchor);
    return this.begun;
  }

  private async follow(status: SessionStatus, anchor: Anchor): Promise<void> {
    const { client } = this.shared;
    const hear = (delivered: Delivered) => this.hear(delivered);
    this.subscription = await client.subscribe(this.id, hear, { joined: true, anchor });
    await this.tell(status);
    await this.questions.attend();
  }

  /** Answers a prompt. Resolves when everything that came of it was sent. `signal` cancels it. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const prompt = promptOf(blocks);
    if (await this.isCancelledBefore(signal)) return "cancelled";
    return this.turns.send(prompt, signal);
  }

  /** Cancels all prompts of the editor. */
  async cancel(): Promise<void> {
    for (const controller of this.unsent) controller.abort();
    await this.turns.cancel();
  }

  /** Does what comes before a prompt is sent, and returns whether the prompt was cancelled meanwhile. */
  private async isCancelledBefore(signal: AbortSignal): Promise<boolean> {
    const controller = new AbortController();
    const either = AbortSignal.any([signal, controller.signal]);
    this.unsent.add(controller);
    try {
      await this.begun;
      await this.askForTrust(either);
      return either.aborted;
    } catch (thrown) {
      if (either.aborted) return true;
      throw thrown;
    } finally {
      this.unsent.delete(controller);
    }
  }

  /** Ends what the editor has begun, and closes the session here. Other clients may go on. */
  async close(): Promise<void> {
    const { client } = this.shared;
    this.questions.end();
    await this.cancel();
    await this.subscription?.();
    await client.request("close_session", { sessionId: this.id });
  }

  private async askForTrust(signal: AbortSignal): Promise<void> {
    const { trust, editor, declined, client } = this.shared;
    if (!trust || !(await askForTrust(trust, this.cwd, { sessionId: this.id, editor, declined, signal }))) return;
    await this.tell(await client.request("reload_session", { sessionId: this.id }));
  }

  /** Events are handled in order: the host waits while the editor reads slowly, and joins what arrives meanwhile. */
  private async hear(delivered: Delivered): Promise<void> {
    const { event } = delivered;
    const { editor, log } = this.shared;
    this.questions.hear(event);
    const isOwn = event.type === "message" && this.turns.isOwn(event as never);
    await Promise.all(this.updates.take(delivered, isOwn).map((update) => editor.update(this.id, update)));
    const warning = this.warnings.heard(event);
    if (warning !== undefined) log(warning);
    if (event.type === "session_start")
      this.questions.attend().catch((thrown) => log(`Questions are not asked here: ${String(thrown)}`));
  }

  /** Says what was left out when the session was opened, and where its log is damaged. */
  private async tell({
    notices,
    ...status
  }: Pick<SessionStatus, "sessionId" | "problems"> & { notices: readonly Notice[] }) {
    for (const text of [...this.warnings.untold(notices), ...damageIn(status)])
      await this.shared.editor.notice(this.id, "warning", text.replace(/^warning: /, ""));
  }
}
