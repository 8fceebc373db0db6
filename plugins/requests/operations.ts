import type { RequestsNow } from "@scorel/host/contract";
import type { BaseContext, Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";
import type { Requests } from "./requests.ts";

const sessionId = z.string();
const id = z.string().min(1);

/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;

/** The operations with which clients see and answer questions. `present` returns the state that a new client needs. */
export function operations(ctx: BaseContext, requests: Requests, present: () => RequestsNow) {
  const watched = new WeakSet<AbortSignal>();
  /** Ends the attendance of a client when it leaves. Clients call this often, and may outlive the session. */
  const watch = (gone: AbortSignal) => {
    if (watched.has(gone)) return;
    watched.add(gone);
    gone.addEventListener("abort", () => void requests.attend(gone, false), { once: true, signal: ctx.signal });
  };
  return {
    attend_requests: {
      summary: "Starts or stops answering questions of the session by this client, and returns the open ones.",
      size: { bounded: "Each running call asks one question at a time, and each plugin has one status text." },
      params: () => z.strictObject({ sessionId, attending: z.boolean().optional() }),
      result: async () => (await results()).attend_requests,
      run: async ({ attending = true }, { left }) => {
        const gone = left(ctx.session.id);
        if (attending) watch(gone);
        await requests.attend(gone, attending && !gone.aborted);
        return present();
      },
    },
    list_requests: {
      summary: "Returns the open questions, the status texts and the panels of plugins.",
      readOnly: true,
      size: { bounded: "Each running call asks one question at a time, and each plugin has one status text." },
      params: () => z.strictObject({ sessionId }),
      result: async () => (await results()).list_requests,
      run: present,
    },
    answer_request: {
      summary: "Answers a question, or declines it, so that its default applies.",
      params: () =>
        z.strictObject({
          sessionId,
          requestId: id,
          answer: z.string().max(10_000).nullable(),
          reason: z.string().max(10_000).optional(),
          messageId: id.optional(),
        }),
      result: async () => (await results()).answer_request,
      run: async ({ sessionId: _here, ...given }, { clientId, assertOperations }) => {
        const needed = requests.neededFor(given);
        // A lasting answer changes the user's files, and stays in force when the client's token is revoked.
        if (needed === "all") assertOperations(needed, "answer_request with an answer that lasts");
        else if (needed.length > 0)
          assertOperations(needed, "answer_request with an answer that allows more than this once");
        return requests.answer({ ...given, clientId });
      },
    },
  } satisfies Contributions["operations"];
}
