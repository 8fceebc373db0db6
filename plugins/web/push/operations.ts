import type { OperationContext } from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "../contract.ts";
import { errors } from "../errors.ts";
import type { Pusher } from "./pusher.ts";

/** Contact for push services if the page's URL is not usable as one. */
const NOBODY = "mailto:scorel@localhost";
const MOST_CHARACTERS = 2_048;
const store = () => import("./store.ts");

export interface PushOptions {
  further: readonly string[];
  contact: string | undefined;
  pusher(): Promise<Pusher>;
}

/** Operations with which pages subscribe to pushes. For clients that may answer questions in all sessions. */
export function pushOperations({ further, contact, pusher }: PushOptions) {
  const id = z.string().max(64);
  return {
    get_push_key: {
      summary: "Returns the public key by which push services know this host.",
      checksOperations: true,
      params: () => z.strictObject({}),
      result: () => z.strictObject({ key: z.string() }),
      run: async (_params, context) => {
        await assertMayAnswer(context, "get_push_key");
        return { key: await (await store()).publicPushKey() };
      },
    },
    subscribe_push: {
      summary: "Lets the host push, without any content, to a browser when a session waits or a long turn has ended.",
      checksOperations: true,
      params: () =>
        z.strictObject({
          endpoint: z.string().max(MOST_CHARACTERS),
          page: z.string().regex(/^[\da-f]{16}$/),
          origin: z.url({ protocol: /^https?$/ }).max(MOST_CHARACTERS),
        }),
      result: () => z.strictObject({ id: z.string() }),
      run: async ({ endpoint, page, origin }, context) => {
        await assertMayAnswer(context, "subscribe_push");
        const url = (await import("./services.ts")).endpointIn(endpoint, further);
        if (!url) throw errors.WEB_PUSH_SERVICE({ origin: originOf(endpoint) });
        const found = contact ?? (origin.startsWith("https:") ? new URL(origin).origin : NOBODY);
        const added = await (await store()).addSubscription({ endpoint: url.href, page, contact: found });
        (await pusher()).begin();
        return { id: added.id };
      },
    },
    tell_sight: {
      summary:
        "Tells the host whether a page of a subscribed browser is visible; to be repeated every 30 seconds while it is.",
      checksOperations: true,
      params: () => z.strictObject({ id, inSight: z.boolean() }),
      result: () => z.strictObject({}),
      run: async (params, context) => {
        await assertMayAnswer(context, "tell_sight");
        const { sight } = await pusher();
        if (params.inSight) sight.come(context.clientId, params.id);
        else sight.leave(context.clientId);
        return {};
      },
    },
    unsubscribe_push: {
      summary: "Ends the pushes to a browser.",
      checksOperations: true,
      params: () => z.strictObject({ id }),
      result: () => z.strictObject({ ended: z.boolean() }),
      run: async (params, context) => {
        await assertMayAnswer(context, "unsubscribe_push");
        return { ended: await (await pusher()).remove([params.id]) };
      },
    },
    attend_by_push: {
      summary: "Keeps the questions of a session open after its pages were closed, for people who get pushes.",
      checksOperations: true,
      params: () => z.strictObject({ sessionId: z.string().max(64), id }),
      result: () => z.strictObject({ attended: z.boolean() }),
      run: async ({ sessionId, id: subscription }, context) => {
        await assertMayAnswer(context, "attend_by_push");
        const isKnown = (await store()).readSubscriptions().some((each) => each.id === subscription);
        if (isKnown) await (await pusher()).attend(context.resolve(sessionId));
        return { attended: isKnown };
      },
    },
  } satisfies Contributions["operations"];
}

/** Throws HOST_FORBIDDEN for clients that may not see all sessions: they must not learn when one of them waits. */
async function assertMayAnswer({ assertOperations, assertSession }: OperationContext, what: string): Promise<void> {
  assertOperations(["answer_request"], what);
  await assertSession();
}

function originOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).origin : "an address that cannot be read";
}
