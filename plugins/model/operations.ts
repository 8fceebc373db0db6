import type { BaseContext, Contributions, Projections } from "@scorel/kernel";
import { changeInfo, earlierChange } from "@scorel/kit/session/change-info";
import { z } from "zod";
import type { ModelService } from "./contract.ts";

/** The operation that changes the model of a session. */
export function operations(ctx: BaseContext) {
  return {
    list_models: {
      summary: "Lists the models that a session can use, with their windows and prices, the configured ones first.",
      readOnly: true,
      size: "pages",
      params: () =>
        z.strictObject({
          sessionId: z.string().min(1),
          filter: z.string().max(1_000).optional().describe("Words that `provider/id` must contain."),
          ready: z.boolean().optional().describe("Lists only models with a key or a subscription."),
        }),
      result: async () => (await import("./operation-results.ts")).results.list_models,
      run: async (asked) => ({ models: await (await import("./choose/rows.ts")).modelRows(ctx, asked) }),
    },
    set_model: {
      summary: "Changes the model for the next requests of a session.",
      params: () =>
        z.strictObject({ sessionId: z.string().min(1), model: z.string().min(1), messageId: z.string().optional() }),
      result: async () => (await import("./operation-results.ts")).results.set_model,
      run: async ({ model: name, messageId }, { clientId }) => {
        const asked = { operation: "set_model", clientId, messageId };
        const done = earlierChange<Projections["sessionMeta"]>(ctx.session, asked);
        if (done) return done;
        const service = ctx.find("model") as ModelService;
        await service.choose(name);
        const { provider, id } = service.current();
        const model = `${provider}/${id}`;
        const workspace = ctx.find("workspace");
        // A choice made in the session overrides the option that it was opened with.
        if (workspace?.model !== undefined) workspace.model = model;
        return changeInfo<Projections["sessionMeta"]>(ctx.session, { model, chosenModel: model }, asked);
      },
    },
  } satisfies Contributions["operations"];
}
