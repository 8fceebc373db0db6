import type {} from "@scorel/agent/contract";
import type {} from "@scorel/host/contract";
import { type AnyEvent, definePlugin, isEvent, type Missed, type StoredEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type {} from "./contract.ts";

/** Plugin `titles`: lets a model write a title for each session, once, after its first turn. */
export default definePlugin({
  id: "titles",
  name: "Titles",
  version: "0.1.0",
  needs: ["agent"],

  projections: {
    titleAsked: {
      over: "log",
      reads: [{ type: "custom", containing: '"kind":"title"' }],
      init: () => false,
      update: (asked: boolean, event: StoredEvent) => asked || (isEvent(event, "custom") && event.kind === "title"),
    },
  },

  activate(ctx) {
    let begun = false;
    ctx.subscribe(
      async (event) => {
        if (begun || !isCompleted(event)) return;
        begun = true;
        const { isWanted, makeTitle } = await import("./title.ts");
        // Not awaited, so that neither the next event nor the session's end is delayed.
        if (isWanted(ctx)) void makeTitle(ctx).catch((thrown) => ctx.report("title", thrown));
      },
      { joined: true },
    );
  },
});

/** True for a completed turn. A cancelled one may be the end of the process. */
function isCompleted(event: AnyEvent | Missed): boolean {
  return isEvent(event, "runtime_end") && event.reason === "completed";
}
