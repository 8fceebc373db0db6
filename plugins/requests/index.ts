import type {} from "@scorel/host/contract";
import { type BaseContext, definePlugin } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";
import {
  approvalAnswer,
  approvalRequest,
  notification,
  openRequests,
  pluginStatus,
  requestDefaulted,
} from "./events.ts";
import { Notices } from "./notices.ts";
import { createService, Requests } from "./requests.ts";
import { createUi } from "./ui.ts";

/** One entry per open session. */
const opened = new WeakMap<BaseContext["session"], { requests: Requests; notices: Notices }>();
const of = ({ session }: BaseContext) => opened.get(session) as { requests: Requests; notices: Notices };
const sessionId = z.string();
const id = z.string().min(1);

/** The state that a new client needs. */
function present(ctx: BaseContext) {
  const { requests, notices } = of(ctx);
  notices.listen();
  return { requests: requests.open(), statuses: notices.list() };
}

/** Questions and notices of plugins to the people who watch a session. Questions and answers are in its log. */
export default definePlugin({
  id: "requests",
  name: "Requests",
  version: "0.1.0",
  provides: ["requests", "ui"],
  events: {
    approval_request: approvalRequest,
    approval_answer: approvalAnswer,
    request_defaulted: requestDefaulted,
    notification,
    plugin_status: pluginStatus,
  },
  projections: { openRequests },

  activate(ctx) {
    const parts = { requests: new Requests(ctx), notices: new Notices(ctx) };
    opened.set(ctx.session, parts);
    ctx.provide("requests", createService(parts.requests));
    ctx.provide("ui", createUi(parts, ctx));
    ctx.beforeStop(() => parts.requests.close());
    return () => parts.notices.close();
  },

  async onEvent({ type }, ctx) {
    const { requests, notices } = of(ctx);
    // A session that is only viewed does not start, and must not be written to.
    if (type === "session_start") await requests.voidLeftovers();
    // A pending question would keep the session from closing.
    if (type === "session_end") await requests.close();
    if (type !== "prompt_submit") return;
    // A client that sends a message also listens.
    notices.listen();
    await requests.expectNoMore();
  },

  operations: (ctx) => ({
    attend_requests: {
      params: z.strictObject({ sessionId, attending: z.boolean().optional() }),
      run: async ({ attending = true }, { left }) => {
        const { requests } = of(ctx);
        const gone = left(ctx.session.id);
        if (attending) gone.addEventListener("abort", () => void requests.attend(gone, false), { once: true });
        await requests.attend(gone, attending);
        return present(ctx);
      },
    },
    list_requests: { params: z.strictObject({ sessionId }), run: () => present(ctx) },
    answer_request: {
      params: z.strictObject({
        sessionId,
        requestId: id,
        answer: z.string().max(10_000).nullable(),
        reason: z.string().max(10_000).optional(),
        messageId: id.optional(),
      }),
      run: ({ sessionId: _here, ...given }, { clientId }) => of(ctx).requests.answer({ ...given, clientId }),
    },
  }),
});
