import { createField, draftOf } from "../input/create-field.ts";
import type { PromptField } from "../input/field.ts";
import { createPickers, type PickerHost, type Pickers } from "../pickers/actions.ts";
import { pickersEn, pickersZh } from "../words/pickers.ts";
import { Twice } from "./actions.ts";
import type { Application } from "./application.ts";
import { Contributed } from "./contributed.ts";

/** Puts the field in place, with its draft, and the lists that keys open. */
export function furnishField(app: Application): Pickers {
  const { field, walk } = createField(app);
  app.takeField(field);
  keepDraft(app, field);
  const pickers = createPickers(pickerHost(app, field), walk);
  contribute(app, field);
  const twice = new Twice();
  const { interrupt } = app.actions;
  app.actions = {
    ...app.actions,
    ...pickers.actions,
    interrupt: () => {
      const { isRunning, runningLine } = app.conversation;
      const isIdle = !isRunning && runningLine === undefined && field.text === "";
      if (isIdle && twice.again(performance.now())) pickers.rewind();
      else interrupt?.();
    },
  };
  return pickers;
}

/** Takes keys and lists of plugins in, now and whenever another session is shown. */
function contribute(app: Application, field: PromptField): void {
  const contributed = new Contributed({
    client: app.client,
    keys: app.keys,
    sessionId: () => app.sessionId,
    run: (line) => app.attempt(() => app.conversation.command(line)),
    place: () => pickerHost(app, field),
    show: (picker) => app.show(picker),
    attempt: (work) => app.attempt(work),
  });
  app.contributed = contributed;
  app.attempt(() => contributed.load());
}

/** Keeps the draft with the session that is shown; before anything was said in it, with the project. */
function keepDraft(app: Application, field: PromptField): void {
  const follow = (isBegun: boolean) => field.useDraft(draftOf(app, isBegun ? app.sessionId : undefined));
  let begun = app.conversation.isBegun;
  app.onEntered = () => {
    begun = app.conversation.isBegun;
    follow(begun);
  };
  if (app.sessionId !== undefined) follow(begun);
  const { onSubmit } = field;
  field.onSubmit = (submission) => {
    onSubmit(submission);
    if (begun || submission.mode !== "message") return;
    begun = true;
    follow(true);
  };
}

function pickerHost(app: Application, field: PromptField): PickerHost {
  const pickerWords = app.words.language === "zh" ? pickersZh : pickersEn;
  const { client, cwd, env, keys } = app;
  return {
    client,
    cwd,
    env,
    keys,
    field,
    pickerWords,
    get sessionId() {
      return app.sessionId;
    },
    get status() {
      return app.status;
    },
    get queue() {
      return app.queue;
    },
    get theme() {
      return app.theme;
    },
    get rows() {
      return app.rows;
    },
    redraw: () => app.redraw(),
    tell: (text, level) => app.tell(text, level),
    suspended: (work) => app.suspended(work),
    show: (part) => app.show(part),
    attempt: (work) => app.attempt(work),
    enter: (status) => app.conversation.enter(status),
  };
}
