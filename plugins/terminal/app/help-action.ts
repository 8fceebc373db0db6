import { type KeyAction, keyGroups } from "../keys.ts";
import type { Actions } from "./actions.ts";
import type { Application } from "./application.ts";
import { Help } from "./help.ts";
import { withOwn } from "./own-commands.ts";

/** Actions that the field and the lists carry out themselves. */
const OF_FIELD = (["writing", "editing", "lists"] as const).flatMap(
  (group) => Object.keys(keyGroups[group]) as KeyAction[],
);

/** The action that shows the help: all keys that do something, and the commands of the session. */
export function helpAction(app: Application): Actions {
  return {
    help: () =>
      app.attempt(async () => {
        const { sessionId, client, theme, keys, words } = app;
        const actions = new Set([...OF_FIELD, ...(Object.keys(app.actions) as KeyAction[])]);
        const listed = sessionId === undefined ? [] : (await client.request("list_commands", { sessionId })).commands;
        const commands = withOwn(listed, words);
        app.show(
          new Help({ theme, words, keys, actions, commands, rows: () => app.rows, close: () => app.show(undefined) }),
        );
      }),
  };
}
