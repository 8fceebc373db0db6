import type { ListedCommand } from "@scorel/commands/contract";
import { createField, draftAt, draftPath } from "../input/create-field.ts";
import type { PromptField } from "../input/field.ts";
import { joined } from "../input/line-mode.ts";
import { createPickers, type Pickers } from "../pickers/actions.ts";
import { DoublePress } from "./actions.ts";
import type { Application } from "./application.ts";
import { Contributed } from "./contributed.ts";
import { isKnownAs, withOwn } from "./own-commands.ts";
import { hasArrived } from "./unsent.ts";

/** Sets up the field with its draft, and the pickers that keys open. */
export function setUpField(app: Application): Pickers {
  const all = (listed: readonly ListedCommand[]) => withOwn(listed, app.words);
  const { unsent } = app.conversation;
  const { field, walk } = createField(
    app,
    { all, isKnownAs },
    { waiting: () => unsent.kept, doubtful: () => unsent.doubtful },
  );
  app.takeField(field);
  keepDraft(app, field);
  const pickers = createPickers(app, field, walk);
  contribute(app);
  const [twice, clearing] = [new DoublePress(), new DoublePress()];
  const { interrupt } = app.actions;
  app.actions = {
    ...app.actions,
    ...pickers.actions,
    interrupt: () => {
      const { isRunning, isLost } = app.session;
      const { shellLines } = app.conversation;
      // Without a host, Esc takes back what waits for it, and rewinding is not possible.
      const isBusy = isRunning || isLost || shellLines.running !== undefined || app.reader.isGoingBack;
      const isIdle = !isBusy && app.queueKeys.editing === undefined && app.questions.shown === undefined;
      if (isIdle && field.text !== "") setAside(app, field, clearing.again(performance.now()));
      else if (isIdle && twice.again(performance.now())) pickers.rewind();
      else interrupt?.();
    },
  };
  return pickers;
}

/** Empties the field at the second Esc; the first only asks, since it may be pressed by mistake. The history keeps the text. */
function setAside(app: Application, field: PromptField, isAgain: boolean): void {
  const { keys, words } = app;
  if (isAgain) field.putAside();
  app.tell(isAgain ? words.isSetAside(keys.label("up")) : words.pressToSetAside(keys.label("interrupt")));
}

/** Loads the keys and lists that plugins contribute, now and whenever another session is shown. */
function contribute(app: Application): void {
  const contributed = new Contributed({
    client: app.client,
    keys: app.keys,
    sessionId: () => app.sessionId,
    run: (line) => app.attempt(() => app.conversation.command(line)),
    place: () => app,
    show: (picker) => app.show(picker),
    attempt: (work) => app.attempt(work),
  });
  app.contributed = contributed;
  app.attempt(() => contributed.load());
}

/** Stores the draft with the shown session; as long as nothing was said in it, with the project. */
function keepDraft(app: Application, field: PromptField): void {
  let path: string | undefined;
  const follow = (isBegun: boolean) => {
    const next = draftPath(app, isBegun ? app.sessionId : undefined);
    // Opening the same path again would find it locked by this terminal, as if another one had it.
    if (next !== path) field.useDraft(draftAt(app, next, field.hasUnsent, (id) => hasArrived(app.session.view, id)));
    path = next;
  };
  const isBegun = () => app.session.isBegun || app.early.hasMessage;
  app.onEntered = () => follow(isBegun());
  if (app.sessionId !== undefined) follow(isBegun());
  app.onUnopened = () => {
    const { text, mode, silent, attachments } = joined([app.early.takeBack(), field]);
    if (text.trim() === "") return;
    field.setText(text, mode, silent, attachments);
    follow(false);
  };
  const { onSubmit } = field;
  field.onSubmit = (submission) => {
    onSubmit(submission);
    if (app.sessionId !== undefined) follow(isBegun());
  };
}
