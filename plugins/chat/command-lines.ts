import type {} from "@scorel/commands/contract";
import { type Obeyed, obeyed } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import { errors } from "./errors.ts";
import type { Screen } from "./screen.ts";

/** The parts of the conversation that running a slash command uses. */
export interface CommandPlace {
  readonly session: {
    readonly sessionId: string;
    /** Registers for questions again after the session was reloaded, and shows the open ones. */
    attendAgain(): Promise<void>;
  };
  /** Shows the result of a command. */
  done(result: Obeyed): Promise<void>;
}

/** Runs slash commands. When one reloads the session, questions are shown after the command's output. */
export class CommandLines {
  private readonly client: Client;
  private readonly screen: Screen;
  private readonly place: CommandPlace;
  /** Whether a command of the user runs, and whether the session was reloaded while it ran. */
  private state: "none" | "running" | "reloaded" = "none";

  constructor(client: Client, screen: Screen, place: CommandPlace) {
    this.client = client;
    this.screen = screen;
    this.place = place;
  }

  /** Whether a command of the user runs. */
  get isRunning(): boolean {
    return this.state !== "none";
  }

  /** Cancels the command that runs, if one does. */
  async cancel(): Promise<void> {
    if (this.isRunning) await this.client.request("cancel_commands", { sessionId: this.place.session.sessionId });
  }

  /** Whether questions have to wait for a command's output. */
  get holdsQuestions(): boolean {
    return this.state === "reloaded";
  }

  /** Throws CHAT_COMMAND_SEALED for a command that only a person may run. */
  async refuseSealed(name: string): Promise<void> {
    const { sessionId } = this.place.session;
    const { commands } = await this.client.request("list_commands", { sessionId }).catch((thrown: unknown) => {
      // Without the plugin for commands, there is none to refuse.
      if (codeOf(thrown) === "HOST_OPERATION_UNKNOWN") return { commands: [] };
      throw thrown;
    });
    if (commands.some((each) => each.name === name && each.sealed)) throw errors.CHAT_COMMAND_SEALED({ name });
  }

  async run(name: string, args: string): Promise<void> {
    this.state = "running";
    try {
      const { sessionId } = this.place.session;
      const result = await this.client.request("run_command", { sessionId, name, args });
      // Print notifications before the command's output.
      await this.client.drained(sessionId);
      await this.place.done(obeyed(name, result));
    } catch (thrown) {
      await this.screen.line(messageOf(thrown));
    } finally {
      const { holdsQuestions } = this;
      this.state = "none";
      if (holdsQuestions) await this.place.session.attendAgain();
    }
  }

  /** Called when the session was reloaded. */
  async reloaded(): Promise<void> {
    if (this.state === "none") await this.place.session.attendAgain();
    else this.state = "reloaded";
  }

  /** Called when a session was entered, which shows its questions anyway. */
  entered(): void {
    if (this.state === "reloaded") this.state = "running";
  }
}
