import type { Mode } from "@scorel/permissions/contract";
import { type Actions, Twice } from "./actions.ts";
import type { Application } from "./application.ts";
import { modeOf, modeText } from "./status-line.ts";

const MODES: readonly Mode[] = ["ask", "edits", "plan", "full"];

/** What keys do from the first picture on. */
export function basicActions(app: Application): Actions {
  const { reader, looks } = app;
  const clearing = new Twice();
  return {
    interrupt: () => interrupt(app),
    clear: () => clear(app, clearing),
    leave: () => app.field?.text === "" && app.leave(),
    suspend: () => app.device.suspend(),
    redraw: () => {
      app.canvas.forget();
      app.redraw();
    },
    mode: modeAction(app),
    queue: () => app.queueKeys.begin(),
    expand: () => looks.toggle("isExpanded"),
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

/** Esc: leaves a queued message as it was, takes back what waits for the host, or stops on the way to the beginning, or declines what is asked, and ends a running shell line, else the running turn. */
function interrupt(app: Application): void {
  const { questions, conversation } = app;
  if (app.queueKeys.leave() || app.reader.stop()) return;
  if (conversation.isLost) {
    app.tell(conversation.unsent.recall() ? app.words.unsentBack : app.words.hostGone);
    return;
  }
  if (!conversation.rights.write && (conversation.isRunning || conversation.shellLines.running !== undefined)) {
    app.tell(app.words.onlyReads);
    return;
  }
  if (questions.back()) return;
  const isAsked = questions.decline();
  const line = isAsked ? undefined : conversation.shellLines.running;
  if (line !== undefined) app.attempt(() => conversation.shellLines.end(line));
  else if (conversation.isRunning) app.attempt(() => conversation.interrupt());
}

/** Ctrl-C: clears what is typed, else ends what runs, else leaves when it is pressed twice. */
function clear(app: Application, clearing: Twice): void {
  const { field, conversation, questions } = app;
  if (field && (field.text !== "" || field.mode !== "message")) field.putAside();
  else if (
    !conversation.isLost &&
    conversation.rights.write &&
    (conversation.isRunning || conversation.shellLines.running !== undefined || questions.shown)
  )
    interrupt(app);
  else if (clearing.again(performance.now())) app.leave();
  else app.tell(app.words.pressAgain(app.keys.label("clear")));
}

/** Goes to the next mode; when the key is pressed several times quickly, one after the other. */
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

/** The key leaves out `full`, in which nothing is asked, in sessions where nobody has chosen that otherwise. */
async function toNextMode(app: Application, withFull: Set<string | undefined>): Promise<void> {
  const { conversation, words } = app;
  const before = modeOf(conversation.view) ?? "ask";
  if (before === "full") withFull.add(conversation.sessionId);
  const mayBeFull = withFull.has(conversation.sessionId);
  const mode = await nextMode(app, before, mayBeFull);
  await conversation.setMode(mode);
  const text = words.mode(modeText(mode, words));
  if (mode === "full") app.tell(text, "warning");
  else app.tell(before === "plan" && !mayBeFull ? `${text} ${words.fullLeftOut}` : text);
}

/** The mode after the present one, of those that may be chosen here. */
async function nextMode({ conversation }: Application, mode: string, mayBeFull: boolean): Promise<Mode> {
  const modes = (await conversation.modes()).filter((each) => mayBeFull || each !== "full");
  const others = [...MODES.slice(MODES.indexOf(mode as Mode) + 1), ...MODES];
  return others.find((each) => modes.includes(each)) ?? (mode as Mode);
}
