import type { ContentBlock, StopReason } from "@agentclientprotocol/sdk";
import { damageIn } from "@scorel/host/client";
import type { Anchor, Client, Delivered, SessionStatus, Subscription } from "@scorel/host/contract";
import { isEvent, messageOf } from "@scorel/kernel";
import { onAbort, untilAborted } from "@scorel/kit/values/abort";
import type { TrustService } from "@scorel/trust/contract";
import { Buffers } from "./buffers.ts";
import { type Prompt, promptOf } from "./content.ts";
import type { Editor } from "./editor.ts";
import { Happenings } from "./happenings.ts";
import { conversationOf } from "./history.ts";
import { Questions } from "./questions.ts";
import { Settings } from "./settings.ts";
import { commandIn, commandsOf, isKnown, runCommand, type Typed } from "./slash-commands.ts";
import { askForTrust, type Declined } from "./trust-question.ts";
import { Turns, untilConnected } from "./turns.ts";
import { Updates } from "./updates.ts";

/** Shared by all sessions of an editor. */
export interface Shared {
  client: Client;
  editor: Editor;
  trust: TrustService | undefined;
  declined: Declined;
  /** Writes a line to stderr. */
  log(text: string): void;
}

/** A session that is open in an editor. */
export class Session {
  readonly id: string;
  readonly settings: Settings;
  private readonly cwd: string;
  private readonly shared: Shared;
  private readonly updates: Updates;
  private readonly turns: Turns;
  private readonly questions: Questions;
  private readonly happenings: Happenings;
  private readonly buffers: Buffers;
  /** Prompts that have not been sent yet. */
  private readonly unsent = new Set<AbortController>();
  /** Running slash commands. Some of them take long. */
  private readonly commands = new Set<AbortController>();
  private subscription: Subscription | undefined;
  private begun: Promise<void> = Promise.resolve();
  /** The choices that the editor has, as JSON, to detect changes. */
  private shownChoices = "";

  constructor(shared: Shared, sessionId: string, cwd: string) {
    this.id = sessionId;
    this.cwd = cwd;
    this.shared = shared;
    const { client, editor, log } = shared;
    this.updates = new Updates(cwd);
    this.turns = new Turns(client, sessionId);
    this.settings = new Settings(client, sessionId);
    this.happenings = new Happenings(editor, sessionId);
    this.buffers = new Buffers({ sessionId, cwd, client, editor });
    this.questions = new Questions({ sessionId, cwd, client, editor, log, calls: this.updates.calls });
  }

  /** Sends the editor the messages so far. */
  async replay(status: SessionStatus): Promise<void> {
    for (const delivered of await conversationOf(this.shared.client, status)) await this.show(delivered, false);
    if (status.running) return;
    for (const update of this.updates.calls.closed()) await this.shared.editor.update(this.id, update);
  }

  /** Follows the session from a status on, after the answer that is given to the editor now. Messages in progress are announced again. */
  begin(status: SessionStatus): void {
    const anchor = { ...status.anchor, streamSeq: -1 };
    this.begun = new Promise((resolve) => setImmediate(resolve)).then(() => this.follow(status, anchor));
    this.later(() => this.begun);
  }

  private async follow(status: SessionStatus, anchor: Anchor): Promise<void> {
    const { client } = this.shared;
    const hear = (delivered: Delivered) => this.hear(delivered);
    this.subscription = await client.subscribe(this.id, hear, { joined: true, anchor });
    await this.tell(status);
    await this.showCommands();
    await this.questions.attend();
    await this.happenings.look(await client.request("follow_status", { sessionId: this.id }));
  }

  /** Answers a prompt. Resolves when all updates of its turn have been sent. `signal` cancels it. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const prompt = promptOf(blocks);
    const prepared = await this.prepared(prompt, signal);
    if (!prepared) return "cancelled";
    // Repeated before each prompt, since a restarted host has lost the offer. It is sent before the prompt.
    this.later(() => this.buffers.offer());
    return prepared.command ? this.run(prepared.command, signal) : this.turns.send(prompt, signal);
  }

  /** The slash command in a prompt. An unknown one is sent to the model as text, and the person is told so. */
  private async commandIn({ typed }: Prompt): Promise<Typed | undefined> {
    const command = typed === undefined ? undefined : commandIn(typed);
    if (!command || (await isKnown(this.shared.client, this.id, command))) return command;
    // Messages load skills by themselves, so this needs no command.
    if (!command.name.startsWith("skill:"))
      await this.say(`There is no slash command /${command.name} in this session, so the model gets it as text.\n\n`);
    return undefined;
  }

  /** Cancels all prompts of the editor, with the questions that are open at this time. */
  async cancel(): Promise<void> {
    for (const controller of this.unsent) controller.abort();
    // A turn that only other clients wait for goes on, and so do its questions.
    if (!this.turns.isWaiting && this.commands.size === 0) return;
    const decline = this.questions.withdraw();
    for (const command of this.commands) command.abort();
    await this.turns.cancel();
    await decline();
  }

  /** Cancels the slash commands that the editor runs. A turn that runs meanwhile may be that of another client or prompt, so it goes on. */
  private async cancelCommands(): Promise<void> {
    await this.shared.client.request("cancel_commands", { sessionId: this.id });
  }

  /** Prepares a prompt, and finds the slash command in it. Undefined if the prompt was cancelled meanwhile. */
  private async prepared(prompt: Prompt, signal: AbortSignal): Promise<{ command: Typed | undefined } | undefined> {
    const controller = new AbortController();
    const either = AbortSignal.any([signal, controller.signal]);
    this.unsent.add(controller);
    try {
      await this.begun;
      await this.askForTrust(either);
      // While the host is away, the client queues requests, and a queued request cannot be cancelled. So nothing is sent before.
      await untilAborted(untilConnected(this.shared.client), either);
      return { command: await untilAborted(this.commandIn(prompt), either) };
    } catch (thrown) {
      if (either.aborted) return undefined;
      throw thrown;
    } finally {
      this.unsent.delete(controller);
    }
  }

  private async run(command: Typed, signal: AbortSignal): Promise<StopReason> {
    const running = new AbortController();
    const cancelled = AbortSignal.any([signal, running.signal]);
    this.commands.add(running);
    const ignore = onAbort(cancelled, () => this.later(() => this.cancelCommands()));
    const { text, turn } = await runCommand(this.shared.client, this.id, command).finally(ignore);
    await this.say(text).finally(() => this.commands.delete(running));
    // A turn that the command has begun is cancelled like that of a message.
    if (turn !== undefined) return this.turns.follow(async () => turn, cancelled);
    return cancelled.aborted ? "cancelled" : "end_turn";
  }

  /** Shows text as if it were the agent's answer. */
  private async say(text: string): Promise<void> {
    const content = { type: "text" as const, text };
    if (text !== "") await this.shared.editor.update(this.id, { sessionUpdate: "agent_message_chunk", content });
  }

  /** Cancels what the editor has started, and closes the session in this client. It stays open for others. */
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

  /** Handles events one after the other. While the editor reads slowly, the host waits and merges events. */
  private async hear(delivered: Delivered): Promise<void> {
    const { event } = delivered;
    this.questions.hear(event);
    this.later(() => this.buffers.hear(event));
    await this.show(delivered, isEvent(event, "message") && this.turns.isOwn(event));
    await this.happenings.hear(delivered);
    if (event.type === "session_start") this.later(() => this.reloaded());
    if (event.type === "status_change" && changesChoices(event)) this.later(() => this.showChoices());
  }

  private async show(delivered: Delivered, isOwn: boolean): Promise<void> {
    const updates = this.updates.take(delivered, isOwn);
    await Promise.all(updates.map((update) => this.shared.editor.update(this.id, update)));
  }

  /** Runs work that waits for the host. Events must not wait for it. */
  private later(work: () => Promise<void>): void {
    work().catch((thrown) => this.shared.log(messageOf(thrown)));
  }

  private async reloaded(): Promise<void> {
    await this.questions.attend();
    await this.showCommands();
  }

  private async showCommands(): Promise<void> {
    const { client, editor } = this.shared;
    const availableCommands = await commandsOf(client, this.id);
    await editor.update(this.id, { sessionUpdate: "available_commands_update", availableCommands });
  }

  /** Sends the choices to the editor if another client has changed them. */
  private async showChoices(): Promise<void> {
    const { editor } = this.shared;
    const { modes, configOptions } = await this.settings.read();
    const shown = JSON.stringify({ modes, configOptions });
    if (shown === this.shownChoices) return;
    this.shownChoices = shown;
    const currentModeId = modes?.currentModeId;
    if (currentModeId !== undefined)
      await editor.update(this.id, { sessionUpdate: "current_mode_update", currentModeId });
    await editor.update(this.id, { sessionUpdate: "config_option_update", configOptions });
  }

  /** Shows what was left out when the session was opened, and damage in its log. */
  private async tell(status: SessionStatus): Promise<void> {
    for (const text of [...this.happenings.warnings.untold(status.notices), ...damageIn(status)])
      await this.shared.editor.notice(this.id, "warning", text.replace(/^warning: /, ""));
  }
}

function changesChoices(event: object): boolean {
  const { changes } = event as { changes?: unknown };
  return ["model", "thinking", "permission"].some((key) => key in Object(changes));
}
