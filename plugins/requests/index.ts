import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/workspace/contract";
import { PASSED, VOID } from "./closed.ts";
import type {} from "./contract.ts";
import {
  approvalAnswer,
  approvalRequest,
  notification,
  openRequests,
  pluginPanel,
  pluginStatus,
  requestDefaulted,
} from "./events.ts";
import { Notices } from "./notices.ts";
import { operations } from "./operations.ts";
import { Requests } from "./requests.ts";
import { createService } from "./service.ts";
import { createUi } from "./ui.ts";

/** Events with which a conversation goes on without an answer to the open question of its last turn. */
const moves: ReadonlySet<string> = new Set(["message", "custom_message", "rewind", "branch", "compact"]);

/** Plugin `requests`: questions and notices of plugins to the people who watch a session. Questions and answers are stored in its log. */
export default definePlugin({
  id: "requests",
  name: "Requests",
  version: "0.1.0",
  provides: ["requests", "ui"],
  // Set by clients, not by users.
  sessionOptions: () => [{ key: "attending", kind: "switch" }],
  events: {
    approval_request: approvalRequest,
    approval_answer: approvalAnswer,
    request_defaulted: requestDefaulted,
    notification,
    plugin_status: pluginStatus,
    plugin_panel: pluginPanel,
  },
  projections: { openRequests },

  activate(ctx) {
    const requests = new Requests(ctx);
    const notices = new Notices(ctx);
    /** The state that a new client needs. */
    const present = () => {
      notices.listen();
      return { requests: requests.open(), statuses: notices.list(), panels: notices.listPanels() };
    };
    ctx.provide("requests", createService(requests));
    ctx.provide("ui", createUi({ requests, notices }, ctx));
    ctx.beforeStop(() => requests.close());
    return {
      async onEvent({ type }) {
        if (type === "session_start" || type === "session_abandoned") await requests.voidLeftovers(VOID);
        if (moves.has(type)) await requests.voidLeftovers(PASSED);
        // A pending question would keep the session from closing.
        if (type === "session_end") await requests.close();
        if (type !== "prompt_submit") return;
        // A client that sends a message also listens to notices.
        notices.listen();
        await requests.expectNoMore();
      },
      operations: operations(ctx, requests, present),
      dispose: () => notices.close(),
    };
  },
});
