import { codeOf } from "@scorel/kernel";
import { enteredIn, joined, marked } from "../input/line-mode.ts";
import type { Keys } from "../keys.ts";
import type { Field, Submission, Surroundings } from "../parts.ts";
import { userLines } from "../rows/display.ts";
import type { Words } from "../words/words.ts";
import type { Actions } from "./actions.ts";
import type { Contributed } from "./contributed.ts";
import type { Conversation } from "./conversation.ts";
import type { EarlyEntries } from "./early-entries.ts";
import { meantBy, ownCommand } from "./own-commands.ts";
import type { Questions } from "./questions.ts";
import type { QueueKeys } from "./queue-keys.ts";
import type { ShownSession } from "./shown-session.ts";
import type { Transcript } from "./transcript.ts";

type Running = "follow_up" | "steer";

/** The parts of the application that handle submissions. */
interface Receiver extends Pick<Surroundings, "tell"> {
  readonly early: Pick<EarlyEntries, "hold">;
  readonly session: Pick<ShownSession, "isLost" | "isRunning" | "rights" | "wasDeleted">;
  readonly conversation: Pick<Conversation, "send" | "command" | "shell">;
  readonly questions: Questions;
  readonly queueKeys: Pick<QueueKeys, "takes">;
  readonly transcript: Transcript;
  readonly contributed: Pick<Contributed, "open" | "has"> | undefined;
  readonly words: Words;
  readonly keys: Keys;
  readonly actions: Actions;
  readonly field: Pick<Field, "text" | "mode" | "silent" | "attachments" | "setText"> | undefined;
  add: Transcript["add"];
  attempt(work: () => Promise<unknown>): void;
  leave(): void;
}

/** Handles a submission: answers a question, runs a command, or sends a message. `running` says how to send a message during a turn. */
export function submit(app: Receiver, submission: Submission, running: Running): void {
  const { questions } = app;
  app.transcript.toEnd();
  if (questions.takesText) {
    // As it was typed: an answer may begin with `/` or `!`.
    const { text, mode, silent, attachments } = submission;
    if (!questions.type(marked(submission))) app.field?.setText(text, mode, silent, attachments);
  } else if (app.queueKeys.takes(submission)) return;
  else enter(app, submission, running);
}

/** Runs a command or sends a message. Whatever needs the session waits until that is open. */
export function enter(app: Receiver, submission: Submission, running: Running): void {
  const { mode, text, silent = false } = submission;
  const isDone = text.trim() === "" || (mode === "command" && commandHere(app, text));
  if (isDone) return;
  if (app.early.hold(submission, running)) app.tell(app.words.heldUntilOpen);
  else if (mode === "command") command(app, text);
  else if (!app.session.rights.write) keep(app, submission);
  else if (mode === "shell") app.attempt(() => app.conversation.shell(text, silent));
  else {
    if (isCommand(app, text)) app.tell(app.words.sentAsText);
    app.attempt(() => send(app, submission, running));
  }
}

/** Whether the text of a message looks like a command. It was pasted or recalled, so it is sent as text. */
function isCommand({ contributed }: Receiver, text: string): boolean {
  const [, line = "", name = ""] = /^\s*\/((\S+).*)\s*$/.exec(text) ?? [];
  return name !== "" && (ownCommand(line) !== undefined || contributed?.has(name) === true);
}

function send({ session, conversation }: Receiver, submission: Submission, running: Running): Promise<void> {
  return conversation.send(submission, session.isRunning ? running : "follow_up");
}

/** Puts a submission back into the field, and says that this user may only read. */
function keep(app: Receiver, submission: Submission): void {
  const other = enteredIn(app.field);
  const { text, mode, silent, attachments } = other.text === "" ? enteredIn(submission) : joined([other, submission]);
  app.field?.setText(text, mode, silent, attachments);
  app.tell(app.words.onlyReads, "warning");
}

/** Runs a command that the application carries out itself. Returns false for any other. */
function commandHere(app: Receiver, line: string): boolean {
  const own = ownCommand(line.replace(/^\?\s*$/, "help"));
  const action = own?.action && app.actions[own.action];
  if (own?.leaves) app.leave();
  else if (action) action();
  else return false;
  return true;
}

function command(app: Receiver, line: string): void {
  const own = ownCommand(line);
  const show = () => app.add((width, look) => userLines(`/${line}`, { label: "" }, width, look));
  const meant = own?.standsFor === undefined ? line : line.replace(own.name, own.standsFor);
  const { isLost, wasDeleted } = app.session;
  // A command that waits for the host is shown above the field until it is sent.
  if (!isLost) show();
  const run = () => app.attempt(() => runCommand(app, meant, isLost ? show : undefined));
  // A deleted session has no lists to choose from. `/restore` without a name restores this session.
  if (app.contributed && !wasDeleted) app.contributed.open(meant, run);
  else run();
}

/**
 * Runs a command of the host. For an unknown command that other tools have, the error names the one that does the same here. An error
 * about a running turn names the key that interrupts it.
 */
async function runCommand({ conversation, words, keys }: Receiver, line: string, begun?: () => void): Promise<void> {
  try {
    await conversation.command(line, begun);
  } catch (thrown) {
    const [name = ""] = line.split(/\s/);
    // The host does not know the user's keys.
    if (codeOf(thrown) === "COMMAND_BUSY") throw new Error(words.commandBusy(name, keys.label("interrupt")));
    if (codeOf(thrown) !== "COMMAND_UNKNOWN") throw thrown;
    const meant = meantBy(name);
    throw meant === undefined ? thrown : new Error(words.meant(name, meant));
  }
}
