import type { Mode } from "@scorel/permissions/contract";
import type { Actions } from "./actions.ts";
import type { Application } from "./application.ts";
import { Leaving } from "./leaving.ts";
import { modeOf, modeText } from "./status-line.ts";

const MODES: readonly Mode[] = ["ask", "edits", "plan", "full"];

/** The actions that work from the first frame on, before the rest of the application is loaded. `isHere`: see `TerminalStart`. */
export function basicActions(app: Application, isHere = (_sessionId: string) => false): Actions {
  const { reader, looks } = app;
  const leaving = new Leaving(app, isHere);
  return {
    interrupt: () => interrupt(app),
    clear: () => clear(app, leaving),
    leave: () => app.field?.text === "" && leaving.press("leave"),
    suspend: () => app.device.suspend(),
    redraw: () => {
      app.canvas.forget();
      app.redraw();
    },
    mode: modeAction(app),
    queue: () => app.queueKeys.begin(),
    // An open question is drawn in full, and what lies behind it is not to change unseen.
    expand: () => app.questions.shown === undefined && looks.toggle("isExpanded"),
    thinking: () => looks.toggle("showsThinking"),
    todos: () => {
      app.hidesTodos = !app.hidesTodos;
      app.redraw();
    },
    pageUp: () => reader.page(-1),
    pageDown: () => reader.page(1),
    top: () => reader.toStart(),
    bottom: () => reader.toEnd(),
  };
}

/**
 * Esc, the first of these that applies: stops editing a queued message; stops loading earlier messages; without a host, takes back what
 * waits for it; takes back a half-given answer. Otherwise it declines the open question and ends the running turn; without a question,
 * it ends a running shell line instead of the turn, and if neither runs, cancels the running slash command.
 */
function interrupt(app: Application): void {
  const { questions, session, conversation } = app;
  if (app.queueKeys.leave() || app.reader.stop()) return;
  if (session.isLost) {
    app.tell(conversation.unsent.recall() ? app.words.unsentBack : app.words.hostGone(app.keys.label("clear")));
    return;
  }
  if (!session.rights.write && (session.isRunning || conversation.shellLines.running !== undefined)) {
    app.tell(app.words.onlyReads);
    return;
  }
  if (questions.back()) return;
  const isAsked = questions.decline();
  const line = isAsked ? undefined : conversation.shellLines.running;
  if (line !== undefined) app.attempt(() => conversation.shellLines.end(line));
  else if (session.isRunning) app.attempt(() => conversation.interrupt());
  else if (conversation.isCommanding && !isAsked) app.attempt(() => conversation.cancelCommand());
}

/**
 * Ctrl-C: clears the field; if that is empty, interrupts as Esc does; if nothing runs, or the host has not answered an interruption yet,
 * leaves when it is pressed twice.
 */
function clear(app: Application, leaving: Leaving): void {
  const { field, session, conversation, questions } = app;
  if (field && (field.text !== "" || field.mode !== "message")) field.putAside();
  else if (
    !session.isLost &&
    !conversation.isInterrupting &&
    (conversation.isCommanding || session.rights.write) &&
    (conversation.isCommanding || session.isRunning || conversation.shellLines.running !== undefined || questions.shown)
  )
    interrupt(app);
  else leaving.press("clear");
}

/** Switches to the next permission mode. Key presses that come quickly are handled one after the other. */
function modeAction(app: Application): () => void {
  let work: Promise<unknown> = Promise.resolve();
  const withFull = new Set<string | undefined>();
  return () =>
    app.attempt(() => {
      const step = work.then(() => toNextMode(app, withFull));
      work = step.catch(() => {});
      return step;
    });
}

/** Skips the mode `full`, in which hardly anything is asked, unless this session was in it before. */
async function toNextMode(app: Application, withFull: Set<string | undefined>): Promise<void> {
  const { session, conversation, words } = app;
  const before = modeOf(session.view) ?? "ask";
  if (before === "full") withFull.add(session.sessionId);
  const mayBeFull = withFull.has(session.sessionId);
  const mode = await nextMode(app, before, mayBeFull);
  await conversation.setMode(mode);
  const text = words.mode(modeText(mode, words));
  if (mode === "full") app.tell(text, "warning");
  else app.tell(before === "plan" && !mayBeFull ? `${text} ${words.fullLeftOut}` : text);
}

/** The mode after the current one, of those that the session allows. */
async function nextMode({ conversation }: Application, mode: string, mayBeFull: boolean): Promise<Mode> {
  const modes = (await conversation.modes()).filter((each) => mayBeFull || each !== "full");
  const others = [...MODES.slice(MODES.indexOf(mode as Mode) + 1), ...MODES];
  return others.find((each) => modes.includes(each)) ?? (mode as Mode);
}
