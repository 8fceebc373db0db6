import { everyPage } from "@scorel/host/client";
import type { Client, Delivered, QueuedMessage, ResumeMode, Rights, SessionStatus } from "@scorel/host/contract";
import type { CommandLines } from "./command-lines.ts";
import { follow } from "./following.ts";
import { openQuestions, Questions } from "./questions.ts";
import { rightsText } from "./rights.ts";
import type { Screen } from "./screen.ts";
import type { ShellLines } from "./shell-lines.ts";
import type { Turns } from "./turns.ts";
import { WatchedQuestions } from "./watched-questions.ts";

/** The parts of the conversation that handle the session's events, and facts about the user. */
export interface ShownSessionParts {
  client: Client;
  screen: Screen;
  turns: Turns;
  shell: ShellLines;
  /** The slash commands of the conversation: questions wait for their output. */
  commands: Pick<CommandLines, "holdsQuestions" | "reloaded" | "entered">;
  /** Whether the input is typed by a person at a terminal. */
  person: boolean;
  /** Whether the session's files are on another computer. */
  elsewhere: boolean;
  rights: Rights;
}

/** The session that a conversation shows: first its present state, then each event, and its open questions. */
export class ShownSession {
  /** Whether anything was said in the session, so that it is worth returning to. */
  begun = false;
  /** The questions that the user may answer; undefined when input comes from a program or has ended. */
  questions: Questions | undefined;
  private readonly parts: ShownSessionParts;
  private current = "";
  private stopFollowing: () => Promise<void> = async () => {};

  constructor(parts: ShownSessionParts) {
    this.parts = parts;
  }

  /** The id of the session; "" before the first one is shown. */
  get sessionId(): string {
    return this.current;
  }

  /** Switches to this session. `said` replaces the line that announces it. */
  async enter(status: SessionStatus, said?: string): Promise<void> {
    const { client, screen, turns, commands, person, rights } = this.parts;
    const { sessionId } = status;
    // The conversation is on the screen already if a command has only reloaded the session.
    const isReload = this.current === sessionId;
    await this.leaveFor(sessionId);
    this.current = sessionId;
    this.begun = status.leafId !== null;
    turns.nowRunning(status.running);
    await screen.opened(status, person, said);
    if (person && !isReload) await this.tellRights();
    const questions = person && rights.answer ? new Questions(client, sessionId, screen, rights) : undefined;
    const watched = person && !questions ? new WatchedQuestions(screen) : undefined;
    this.stopFollowing = await this.follow(status, isReload, questions ?? watched);
    this.questions = questions;
    commands.entered();
    if (questions) await questions.attend(true);
    else if (watched) await watched.begin(client, sessionId);
    else await openQuestions(client, sessionId);
  }

  /** Stops showing the former session, and closes it unless it is the next one, too. */
  private async leaveFor(next: string): Promise<void> {
    const { client, screen } = this.parts;
    await this.stopFollowing();
    this.questions?.end();
    this.questions = undefined;
    await screen.answered();
    if (this.current !== "" && this.current !== next)
      await client.request("close_session", { sessionId: this.current });
  }

  private async tellRights(): Promise<void> {
    const told = rightsText(this.parts.rights);
    if (told !== undefined) await this.parts.screen.line(told);
  }

  private follow(
    status: SessionStatus,
    isReload: boolean,
    questions: Questions | WatchedQuestions | undefined,
  ): Promise<() => Promise<void>> {
    const { client, screen, turns, shell, person, elsewhere } = this.parts;
    const { sessionId } = status;
    let past: "first" | "again" | "known" = isReload ? "known" : "first";
    return follow(client, status, {
      past: person,
      took: (delivered) => {
        turns.hear(delivered);
        shell.hear(delivered);
      },
      now: async (view) => {
        const mayWait = view.status.host.waiting !== undefined || view.queue.length > 0;
        const queue = mayWait ? await this.queueIn(sessionId) : [];
        await screen.now(view, { queue, past, elsewhere });
        past = "again";
      },
      hear: (delivered) => this.hear(delivered, questions),
      resumed: (mode, status) => {
        screen.here(status);
        this.resumed(mode, status);
      },
    });
  }

  private async hear(delivered: Delivered, questions: Questions | WatchedQuestions | undefined): Promise<void> {
    const { screen, commands } = this.parts;
    const { type } = delivered.event;
    if (type === "missed") await this.lookAgain();
    await screen.hear(delivered);
    // After a reload by a command, questions are shown once the command's output was printed.
    if (!commands.holdsQuestions) await questions?.hear(delivered.event);
    if (type === "session_start") await commands.reloaded();
  }

  /** Requests whether a turn runs, since the events about it may be among the missed ones. */
  private async lookAgain(): Promise<void> {
    const { running } = await this.parts.client.request("get_status", { sessionId: this.current });
    this.parts.turns.nowRunning(running);
  }

  /** Called when the connection is back. Unless the stream resumes where it was, events in flight are announced again. */
  private resumed(mode: ResumeMode, { running, waiting = 0 }: SessionStatus): void {
    const { client, screen, turns, shell, person } = this.parts;
    if (mode === "stream_resume") return;
    turns.nowRunning(false);
    shell.forget();
    // The end of a turn and the queue are not announced again.
    if (!running)
      void client.drained(this.current).then(
        async () => {
          await screen.endLine();
          // With `full_reload`, the whole session is shown again, including the queue.
          if (waiting > 0 && person && mode === "persistent_fallback")
            await screen.waiting(await this.queueIn(this.current));
        },
        () => {},
      );
  }

  private async queueIn(sessionId: string): Promise<readonly QueuedMessage[]> {
    return (await everyPage((page) => this.parts.client.request("get_queue", { sessionId, ...page }))).items;
  }

  /** Registers for questions again after a reload. */
  async attendAgain(): Promise<void> {
    await this.questions?.attend(true);
  }

  /** Declines further questions, because the input has ended. */
  async declineQuestions(): Promise<void> {
    this.questions?.end();
    await this.questions?.attend(false);
    this.questions = undefined;
  }
}
