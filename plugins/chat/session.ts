import type { Client } from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import type { Screen } from "./screen.ts";

const COMMAND = /^\/([A-Za-z][\w:-]*)(?:\s+([\s\S]*))?$/;

/** One conversation: takes lines, shows what comes of them. Whoever feeds it decides whether to wait in between. */
export class ChatSession {
  /** Turns that ended in an error. */
  failed = 0;
  /** Something was said, so there is a session to come back to. */
  begun = false;
  /** The user asked to leave. */
  left = false;
  private readonly client: Client;
  private readonly sessionId: string;
  private readonly screen: Screen;
  private readonly turns = new Set<Promise<void>>();
  /** Messages that wait behind the running turn. */
  private readonly queued = new Set<string>();
  private shown: string | null = null;

  constructor(client: Client, sessionId: string, screen: Screen) {
    this.client = client;
    this.sessionId = sessionId;
    this.screen = screen;
  }

  get busy(): boolean {
    return this.turns.size > 0;
  }

  /** Takes a line: a slash command, or words for the agent. Throws what keeps a turn from starting. */
  async take(line: string): Promise<void> {
    if (line.trim() === "") return;
    const [, command, args = ""] = COMMAND.exec(line.trim()) ?? [];
    if (command === undefined) return this.send(line);
    if (command === "exit") this.left = true;
    else if (command === "help") await this.help();
    else await this.run(command, args.trim());
  }

  /** Ends the running turn and takes back what waits behind it; what had arrived is kept. */
  async cancel(): Promise<void> {
    const { sessionId } = this;
    await this.client.request("cancel", { sessionId });
    if (this.queued.size === 0) return;
    this.queued.clear();
    await this.client.request("rewrite_queue", { sessionId, items: [] });
    await this.screen.line("(what was waiting is taken back)");
  }

  /** Resolves when no turn runs any more; an interrupt cancels the one that does. */
  async idle(interrupt?: AbortSignal): Promise<void> {
    let refused: Promise<void> | undefined;
    const cancel = () => {
      refused = this.cancel();
      // Told below, when the turns have ended.
      refused.catch(() => {});
    };
    if (interrupt?.aborted && this.busy) cancel();
    interrupt?.addEventListener("abort", cancel, { once: true });
    try {
      while (this.turns.size > 0) await Promise.all(this.turns);
      await refused;
    } finally {
      interrupt?.removeEventListener("abort", cancel);
    }
  }

  private async send(content: string): Promise<void> {
    const { sessionId } = this;
    const { id, status } = await this.client.request("send_message", { sessionId, content });
    this.begun = true;
    if (status === "queued") this.queued.add(id);
    const turn = this.follow(id, status === "queued").finally(() => this.turns.delete(turn));
    this.turns.add(turn);
    if (status === "queued") await this.screen.line("(queued: it follows the present turn; Ctrl-C cancels both)");
  }

  /** A queued message is served by a turn that is shown once, for all its messages. */
  private async follow(id: string, queued: boolean): Promise<void> {
    const { sessionId } = this;
    const outcome = await this.client.request("wait_turn", { sessionId, id });
    if (queued && !this.queued.delete(id)) return;
    await this.client.drained(sessionId);
    if (outcome.leafId !== null && outcome.leafId === this.shown) return;
    this.shown = outcome.leafId;
    if (outcome.reason === "error") this.failed++;
    await this.screen.turn(outcome);
  }

  private async help(): Promise<void> {
    const { commands } = await this.client.request("list_commands", { sessionId: this.sessionId });
    const rows = commands.map(({ name, description }) => [name, description] as const);
    const all = [["help", "Show this"], ["exit", "Leave; the session is kept"], ...rows] as const;
    await this.screen.line(all.map(([name, description]) => `/${name}  ${description}`).join("\n"));
  }

  private async run(name: string, args: string): Promise<void> {
    try {
      const { output } = await this.client.request("run_command", { sessionId: this.sessionId, name, args });
      if (output) await this.screen.line(output);
    } catch (thrown) {
      await this.screen.line(`${codeOf(thrown)}: ${messageOf(thrown)}`);
    }
  }
}
