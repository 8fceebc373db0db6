import { messageOf, type PluginContext } from "@scorel/kernel";
import type { Settings } from "../config.ts";
import type { TerminalStart } from "../contract.ts";
import { createKeys } from "../input/keys.ts";
import type { Pickers } from "../pickers/actions.ts";
import { wordsFor } from "../words/words.ts";
import { Application } from "./application.ts";
import { basicActions } from "./basic-actions.ts";

const CANCELLED = 130;

type Context = PluginContext<Settings, never>;

/** Runs a conversation on the whole screen, for `TerminalService.run`. Draws the first frame before the session is open. */
export async function runTerminal(ctx: Context, start: TerminalStart): Promise<number | undefined> {
  const {
    invocation,
    client,
    open,
    choosesSession,
    prompt,
    rights,
    comeBack = resumeCommand,
    isHere = () => false,
  } = start;
  const { config: settings } = ctx;
  const words = await wordsFor(settings.language, invocation.env);
  const keys = createKeys(settings.keys);
  const version = ctx.find("launch")?.version ?? "";
  const app = new Application({ client, invocation, settings, words, keys, version, rights });
  app.actions = basicActions(app, isHere);
  app.early.hasMessage = prompt !== undefined;
  const { interrupt } = invocation;
  const leave = () => app.leave();
  /** Gives the terminal back after an uncaught error, so that its report is readable, and says how to return to the session. */
  const crash = () => {
    app.device.close();
    if (app.sessionId !== undefined) process.stderr.write(`${words.goOn(comeBack(app.sessionId))}\n`);
  };
  interrupt.addEventListener("abort", leave, { once: true });
  process.on("uncaughtExceptionMonitor", crash);
  let isOpened = false;
  try {
    app.open();
    const rest = loadRest(app);
    const left = app.ended.then(() => null);
    const chosen = choosesSession ? await Promise.race([rest.then(({ choose }) => choose()), left]) : undefined;
    const opened = () => open((work) => app.suspended(work), chosen ?? undefined);
    const status = chosen === null ? null : await Promise.race([opened(), left]);
    if (status === undefined) return undefined;
    const isEntered = status !== null && (await Promise.race([app.session.enter(status).then(() => true), left]));
    if (isEntered) {
      isOpened = true;
      if (prompt !== undefined) app.attempt(() => app.conversation.send({ text: prompt }));
      app.release();
      await rest;
      await app.ended;
    }
  } finally {
    interrupt.removeEventListener("abort", leave);
    // Edited and waiting messages go to the field, which keeps them as a draft.
    app.queueKeys.keepInDraft();
    if (isOpened) await app.conversation.takeQueueAlong();
    app.conversation.unsent.recall(true);
    if (!isOpened) app.onUnopened();
    const problem = await app.field?.close().then(() => undefined, messageOf);
    app.close();
    process.off("uncaughtExceptionMonitor", crash);
    if (problem !== undefined) process.stderr.write(`${problem}\n`);
  }
  await sayGoodbye(app, isOpened, { ...start, comeBack, isHere });
  return interrupt.aborted ? CANCELLED : 0;
}

/** Prints what goes on in the session without the terminal, and how to come back. */
async function sayGoodbye(
  { session, words }: Application,
  isOpened: boolean,
  { invocation, atWork, comeBack, isHere }: TerminalStart & Pick<Required<TerminalStart>, "comeBack" | "isHere">,
): Promise<void> {
  const { stdout, interrupt } = invocation;
  const { sessionId, isBegun, isRunning } = session;
  const endsHere = sessionId !== undefined && isHere(sessionId);
  const isGone = isOpened && isBegun && (await session.isDeleted());
  // If the host has not answered `isDeleted`, it would not answer this either. It closes the session by itself.
  const left = isOpened && isGone === false ? await session.leave(atWork) : undefined;
  // In this process, the turn is finished before if other clients are in the session.
  if (left && isRunning && !interrupt.aborted && endsHere === left.closed)
    stdout.write(`${left.closed ? words.turnStopped : words.turnGoesOn}\n`);
  if (left && left.background !== "") {
    const stillOpen = endsHere ? words.endsHere : words.atWork;
    stdout.write(`${(left.closed ? words.ended : stillOpen)(left.background)}\n`);
  }
  if (isBegun && !isGone && sessionId !== undefined) stdout.write(`${words.goOn(comeBack(sessionId))}\n`);
}

function resumeCommand(sessionId: string): string {
  return `scorel --session ${sessionId}`;
}

/** Loads everything that the first frame does not need: the field, the highlighter, the help. */
async function loadRest(app: Application): Promise<Pick<Pickers, "choose">> {
  const { setUpField } = await import("./pickers.ts");
  const pickers = setUpField(app);
  const [{ loadHighlighter }, { helpAction }] = await Promise.all([
    import("../rows/highlight.ts"),
    import("./help-action.ts"),
  ]);
  app.actions = { ...app.actions, ...helpAction(app) };
  app.looks.colourCode(await loadHighlighter());
  return pickers;
}
