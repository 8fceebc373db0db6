import { expect, it } from "vitest";
import { basicActions } from "../../../plugins/terminal/app/basic-actions.ts";
import { unsentStrip } from "../../../plugins/terminal/app/strip.ts";
import { submit } from "../../../plugins/terminal/app/submit.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
import { none } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";

/** The texts that name a key, when these keys are set. */
async function texts(settings: Parameters<typeof createKeys>[0]) {
  const keys = createKeys(settings);
  const told: string[] = [];
  let work = Promise.resolve();
  const app = {
    ...{ keys, words: en, transcript: { toEnd() {} }, questions: {}, reader: { stop: () => false }, looks: {} },
    ...{ queueKeys: { takes: () => false, leave: () => false }, early: { hold: () => false }, actions: {}, add() {} },
    session: { isLost: true },
    conversation: {
      unsent: { recall: () => false },
      async command() {
        throw Object.assign(new Error("A turn is running."), { code: "COMMAND_BUSY" });
      },
    },
    tell: (text: string) => void told.push(text),
    attempt(run: () => Promise<void>) {
      work = run().catch((thrown: Error) => void told.push(thrown.message));
    },
  };
  basicActions(app as never).interrupt?.();
  submit(app as never, { mode: "command", text: "undo", attachments: [] }, "follow_up");
  await work;
  const look = { theme: themeOf("none", none), words: en, keys };
  const [waiting] = unsentStrip({ isAway: true, texts: ["hello"] }, 80, look);
  return [...told, waiting];
}

it.each([
  [{}, "Esc", "Ctrl-C"],
  [{ interrupt: "f5", clear: "f6" }, "F5", "F6"],
])("with the keys %j, %s interrupts and takes back, and %s leaves", async (settings, interrupt, clear) => {
  expect(await texts(settings as never)).toEqual([
    `There is no connection to the host, so nothing can be interrupted. Press ${clear} twice to leave. If the host is stopped, \`scorel host serve\` on its computer starts it.`,
    `A turn is running, so /undo is not possible now. Wait until the turn ends, or interrupt it with ${interrupt}.`,
    `Sent when the host is back (${interrupt} takes it back):`,
  ]);
});
