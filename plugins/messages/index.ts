import { definePlugin, isEvent, type StoredEvent } from "@scorel/kernel";
import type { SessionMeta } from "./contract.ts";
import { createCustomDisplay } from "./custom-display.ts";
import { isMessage } from "./message.ts";
import { persistent } from "./persistent.ts";
import { mergeMessage } from "./reminder.ts";
import { transients } from "./transient.ts";

/** Plugin `messages`: the event types of a conversation, with how models read them and how they are displayed. */
export default definePlugin({
  id: "messages",
  name: "Messages",
  version: "0.1.0",
  provides: ["mergeMessage", "isMessage", "customDisplay"],
  events: { ...persistent, ...transients },
  projections: {
    sessionMeta: {
      over: "log",
      reads: ["session_info"],
      init: (): SessionMeta => ({}),
      update: (state: SessionMeta, event: StoredEvent) =>
        isEvent(event, "session_info") ? { ...state, ...event.changes } : state,
    },
  },
  activate(ctx) {
    ctx.provide("mergeMessage", mergeMessage);
    ctx.provide("isMessage", isMessage);
    ctx.provide("customDisplay", createCustomDisplay(ctx));
  },
});
