import { existsSync } from "node:fs";
import type {} from "@scorel/agent/contract";
import { definePlugin } from "@scorel/kernel";
import { closingMs, config } from "./config.ts";
import type {} from "./contract.ts";
import { operations } from "./operations.ts";
import { Watch } from "./record/watch.ts";
import { filesOf } from "./restore/file-access.ts";
import { journalOf } from "./restore/journal-path.ts";
import { KeptLists } from "./restore/kept-lists.ts";

/** Milliseconds in which an aborted scan ends and is noted. */
const GRACE_MS = 5_000;

/** Records what tools change, so that files can be restored along with the conversation. */
export default definePlugin({
  id: "checkpoints",
  name: "Checkpoints",
  version: "0.1.0",
  needs: ["agent", "tools", "blobs"],
  config,

  activate(ctx) {
    const watch = new Watch(ctx);
    const limitMs = closingMs(ctx.config);
    ctx.beforeStop(() => watch.finish(limitMs), limitMs + GRACE_MS);
    const lists = new KeptLists();
    const files = filesOf(ctx);
    /** The file operations, available once all changes are recorded. */
    const settled = () => watch.settle().then(() => files);
    if (existsSync(journalOf(ctx))) {
      const undo = ctx.subscribe(async ({ type }) => {
        // A session that is only viewed does not start, and must not change files.
        if (type !== "session_start") return;
        await files.finish();
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
      operations: operations(settled, lists),
      dispose() {
        lists.clear();
        return watch.stop();
      },
    };
  },
});
