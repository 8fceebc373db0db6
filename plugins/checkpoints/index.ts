import { existsSync } from "node:fs";
import type {} from "@scorel/agent/contract";
import { definePlugin } from "@scorel/kernel";
import { config } from "./config.ts";
import type { Context } from "./context.ts";
import type {} from "./contract.ts";
import { operations } from "./operations.ts";
import { Watch } from "./record/watch.ts";
import { journalOf } from "./restore/journal-path.ts";
import { KeptLists } from "./restore/kept-lists.ts";

/** Records what tools change, so that files can be restored along with the conversation. */
export default definePlugin({
  id: "checkpoints",
  name: "Checkpoints",
  version: "0.1.0",
  needs: ["agent", "tools", "blobs"],
  config,

  activate(ctx) {
    const watch = new Watch(ctx);
    const lists = new KeptLists();
    const loadFiles = filesOf(ctx);
    /** Loads the file operations, after all changes are recorded and an interrupted restore is finished. */
    const settled = () => watch.settle().then(loadFiles);
    if (existsSync(journalOf(ctx))) {
      const undo = ctx.subscribe(async ({ type }) => {
        // A session that is only viewed does not start, and must not change files.
        if (type !== "session_start") return;
        await loadFiles();
        await undo();
      });
    }
    return {
      hooks: {
        transformContext(messages) {
          watch.round(messages.at(-1)?.role === "user");
          return messages;
        },
        beforeToolCall: { level: "late", handler: (call) => watch.before(call).then(() => undefined) },
        afterToolCall: { level: "late", handler: (outcome) => watch.after(outcome).then(() => undefined) },
      },
      operations: operations(ctx, settled, lists),
      dispose() {
        lists.clear();
        return watch.stop();
      },
    };
  },
});

/** Loads the file operations after finishing an interrupted restore. Concurrent calls share one run of it. */
function filesOf(ctx: Context) {
  let finishing: Promise<void> | undefined;
  return async () => {
    const files = await import("./restore/files.ts");
    finishing ??= files.finishRestore(ctx).finally(() => {
      finishing = undefined;
    });
    await finishing;
    return files;
  };
}
