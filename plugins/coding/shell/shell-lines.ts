import { type EventId, type Events, isEvent, messageOf, newId, type PluginContext, type Session } from "@scorel/kernel";
import { eventIdFor } from "@scorel/kit/session/change-info";
import { assertSameRequest, bodyHash } from "@scorel/kit/session/message-id";
import { linkedTo } from "@scorel/kit/values/abort";
import type { ToolResultMessage } from "@scorel/messages/contract";
import { textOf } from "../display.ts";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";

/** The longest time limit that Bash accepts: a person ends a shell line that takes too long. */
const MAX_SECONDS = 3_600;
const MAX_RUNNING = 16;
const INTERRUPTED =
  "[interrupted: the host ended while the command ran; its output is lost, and what the command has done is unknown]";

export interface ShellLine {
  command: string;
  /** Whether the line is kept from the model. */
  silent: boolean;
  clientId: string;
  messageId?: string | undefined;
  /** Whether the client could answer questions about the command. */
  answers: boolean;
}

interface Running {
  clientId: string;
  control: AbortController;
  stored: Promise<void>;
}

/** Runs shell lines that people type, and stores their results. */
export class ShellLines {
  private readonly ctx: PluginContext<unknown, "agent" | "files" | "processes">;
  private readonly env: Environment;
  private readonly running = new Map<EventId, Running>();

  constructor(ctx: ShellLines["ctx"], env: Environment) {
    this.ctx = ctx;
    this.env = env;
  }

  /**
   * Starts a shell line, and resolves with the id of its event when the command has started. A repeated request with
   * the same id only returns that id, even after the process was killed. Throws MESSAGE_ID_REUSED for a different
   * request with the same id.
   */
  async start(line: ShellLine): Promise<{ eventId: EventId }> {
    const eventId = eventIdFor("run_shell", line.messageId) ?? newId();
    if (this.isKnown(eventId, line)) return { eventId };
    if (this.running.size >= MAX_RUNNING) throw errors.SHELL_MANY({ running: this.running.size });
    const control = new AbortController();
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const done = this.run(eventId, line, control.signal, begin);
    const stored = done.catch(() => {}).finally(() => this.running.delete(eventId));
    this.running.set(eventId, { clientId: line.clientId, control, stored });
    await Promise.race([begun, done]);
    return { eventId };
  }

  /** The id of the client that started a running line. */
  ownerOf(eventId: EventId): string | undefined {
    return this.running.get(eventId)?.clientId;
  }

  /** Kills a line's command. Resolves when its result is stored, with whether it was running. */
  end(eventId: EventId): Promise<boolean> {
    const line = this.running.get(eventId);
    return endLines(line ? [line] : []);
  }

  /** Kills the commands of all lines, or of one client's lines. Resolves like `end`. */
  endAll(clientId?: string): Promise<boolean> {
    const all = [...this.running.values()];
    return endLines(all.filter((line) => clientId === undefined || line.clientId === clientId));
  }

  /**
   * Stores lines that were running when the process was killed as interrupted, and gives the model those that it does
   * not have yet.
   */
  async recover(): Promise<void> {
    for (const { line, ...flags } of this.session.projection("openShellLines"))
      if (!this.running.has(line)) {
        const end = { output: INTERRUPTED, exitCode: null, durationMs: 0, failed: true as const };
        await this.store(line, { ...flags, ...end });
      }
    for (const line of this.session.projection("untoldShellLines")) await this.session.append("shell_told", { line });
  }

  private get session(): Session {
    return this.ctx.session;
  }

  private isKnown(eventId: EventId, { command, silent, messageId }: ShellLine): boolean {
    const { tree } = this.session;
    const begun = tree.get(beginningOf(messageId) ?? "");
    const isSame =
      !isEvent(begun, "shell_begun") || begun.hash === undefined || begun.hash === bodyHash({ command, silent });
    assertSameRequest(isSame, { operation: "run_shell", messageId });
    return begun !== undefined || this.running.has(eventId) || tree.has(eventId);
  }

  /** Rejects only if the command was not started. */
  private async run(eventId: EventId, line: ShellLine, ended: AbortSignal, begin: () => void): Promise<void> {
    const { clientId, answers, messageId, command: typed } = line;
    const command = await this.storable(typed);
    const flags = { command, ...(line.silent && { silent: true as const }) };
    // If the stored command differs from the typed one, a hash could reveal what was removed.
    const hash = command === typed && { hash: bodyHash({ command, silent: line.silent }) };
    let startedAt = 0;
    const { signal, end } = linkedTo(ended, this.session.stopping);
    const call = { toolCallId: eventId, tool: "Bash", args: { command: typed, timeout: MAX_SECONDS } };
    const result = await this.ctx.agent
      .callTyped(call, {
        typed: answers ? "allowed" : "asking",
        typedBy: clientId,
        signal,
        onStart: async () => {
          const id = beginningOf(messageId);
          const begun = { line: eventId, ...flags, ...(messageId !== undefined && hash) };
          await this.session.append("shell_begun", begun, { clientId, ...(id !== undefined && { id }) });
          startedAt = performance.now();
          this.session.emit("shell_line_start", { eventId, ...flags }, { clientId });
          begin();
        },
        onUpdate: (partial) => this.session.emit("shell_line_update", { eventId, partial }, { clientId }),
      })
      .catch((thrown: unknown) => {
        if (startedAt === 0) throw thrown;
        return { content: [{ type: "text" as const, text: `[${messageOf(thrown)}]` }], isError: true };
      })
      .finally(() => end());
    await this.store(eventId, { ...flags, ...outcomeOf(result, performance.now() - startedAt) }, clientId);
  }

  /** Stores a line. During a turn it is a side event, and is added to the conversation as soon as possible. */
  private async store(id: EventId, line: Events["shell_line"], clientId?: string): Promise<void> {
    const { session } = this;
    const aside = session.held;
    const by = clientId === undefined ? {} : { clientId };
    try {
      await session.append("shell_line", { ...line, ...(aside && { aside }) }, { id, ...by });
      if (aside && !line.silent) await session.append("shell_told", { line: id }, by);
    } catch (thrown) {
      this.ctx.report("storing a shell line", thrown);
    } finally {
      session.emit("shell_line_end", { eventId: id }, by);
    }
  }

  private async storable(command: string): Promise<string> {
    const text = this.env.redact(command);
    return (await this.env.storable()?.(text)) ?? text;
  }
}

async function endLines(lines: readonly Running[]): Promise<boolean> {
  for (const { control } of lines) control.abort(errors.SHELL_ENDED());
  await Promise.all(lines.map(({ stored }) => stored));
  return lines.length > 0;
}

/** The id of the `shell_begun` event for a request, by which a repeated request is recognised. */
function beginningOf(messageId: string | undefined): EventId | undefined {
  return eventIdFor("run_shell begun", messageId);
}

function outcomeOf(
  result: Pick<ToolResultMessage, "content" | "isError" | "details">,
  measuredMs: number,
): Omit<Events["shell_line"], "command"> {
  const { exitCode, durationMs } = Object(result.details) as { exitCode?: unknown; durationMs?: unknown };
  const code = typeof exitCode === "number" ? exitCode : null;
  const failed = result.isError || (exitCode !== undefined && code !== 0);
  return {
    output: textOf(result),
    exitCode: code,
    durationMs: Math.round(typeof durationMs === "number" ? durationMs : measuredMs),
    ...(failed && { failed }),
  };
}
