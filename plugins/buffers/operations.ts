import type { BaseContext, Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";
import type { Offers } from "./offers.ts";
import { MOST_BYTES } from "./texts.ts";

const sessionId = z.string();
const requestId = z.string().min(1);

/** Operations with which a client lets tools use its buffers. */
export function operations(ctx: BaseContext, offers: Offers) {
  return {
    offer_buffers: {
      summary: "Lets tools read and write files of the session through this client, such as an editor.",
      params: () => z.strictObject({ sessionId, reads: z.boolean(), writes: z.boolean() }),
      result: () => z.strictObject({ offered: z.boolean() }),
      run: ({ reads, writes }, { clientId, left }) => {
        offers.offer({ clientId, reads, writes }, left(ctx.session.id));
        return { offered: reads || writes };
      },
    },
    take_buffer_request: {
      summary: "Returns a request to this client, which has offered its buffers.",
      params: () => z.strictObject({ sessionId, requestId }),
      result: () => z.strictObject({ path: z.string(), write: z.string().optional() }),
      run: ({ requestId: id }, { clientId }) => offers.take(id, clientId),
    },
    answer_buffer_request: {
      summary: "Answers a request to this client: with the text, that it is saved, or why not.",
      params: () =>
        z.strictObject({
          sessionId,
          requestId,
          text: z.string().max(MOST_BYTES).optional(),
          reason: z.string().max(10_000).optional(),
        }),
      result: () => z.strictObject({ answered: z.boolean() }),
      run: ({ requestId: id, text, reason }, { clientId }) => {
        offers.answer(id, clientId, { text, reason });
        return { answered: true };
      },
    },
  } satisfies Contributions["operations"];
}
