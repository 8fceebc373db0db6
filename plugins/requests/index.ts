import type {} from "@scorel/host/contract";
import { type BaseContext, definePlugin } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";
import { approvalAnswer, approvalRequest, openRequests } from "./events.ts";
import { createService, Requests } from "./requests.ts";

/** One for each open session. */
const opened = new WeakMap<BaseContext["session"], Requests>();
const of = (ctx: BaseContext) => opened.get(ctx.session) as Requests;
const sessionId = z.string();
const id = z.string().min(1);

/** Questions of plugins to the people who watch a session; the answers are in its log. */
export default definePlugin({
  id: "requests",
  name: "Requests",
  version: "0.1.0",
  provides: ["requests"],
  events: { approval_request: approvalRequest, approval_answer: approvalAnswer },
  projections: { openRequests },

  activate(ctx) {
    const requests = new Requests(ctx);
    opened.set(ctx.session, requests);
    ctx.provide("requests", createService(requests));
    return () => requests.close();
  },

  // A session that is only looked at does not start, and nothing is written to it.
  onEvent: (event, ctx) => (event.type === "session_start" ? of(ctx).voidLeftovers() : undefined),

  operations: (ctx) => ({
    attend_requests: {
      params: z.strictObject({ sessionId, attending: z.boolean().optional() }),
      run: async ({ attending = true }, { clientId }) => {
        await of(ctx).attend(clientId, attending);
        return { requests: of(ctx).open() };
      },
    },
    list_requests: { params: z.strictObject({ sessionId }), run: () => ({ requests: of(ctx).open() }) },
    answer_request: {
      params: z.strictObject({
        sessionId,
        requestId: id,
        answer: z.string().max(10_000),
        reason: z.string().max(10_000).optional(),
        messageId: id.optional(),
      }),
      run: ({ sessionId: _here, ...given }, { clientId }) => of(ctx).answer({ ...given, clientId }),
    },
  }),
});
