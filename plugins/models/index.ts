import type {} from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { modelTable } from "@scorel/kit/schema/model-table";
import type {} from "@scorel/model/contract";
import { z } from "zod";
import { modelCommands } from "./commands.ts";
import type {} from "./contract.ts";

/** Plugin `models`: the commands `scorel model`, `login` and `logout`, and further models by alias. */
export default definePlugin({
  id: "models",
  name: "Models",
  version: "0.1.0",
  scope: "host",
  needs: ["composition"],
  provides: ["modelTables", "models"],
  config: z.record(
    z.string().regex(/^[a-z][a-z0-9-]*$/, "must be a lower-case name, as in [models.summary]"),
    modelTable,
  ),

  activate(ctx) {
    ctx.provide("modelTables", { tables: ctx.config });
    ctx.provide("models", {
      async local(cwd) {
        const { withAdmin } = await import("./admin.ts");
        return withAdmin(ctx.composition, { cwd }, (admin) => admin.local());
      },
      async reach(at, limit) {
        const { withAdmin } = await import("./admin.ts");
        return withAdmin(ctx.composition, at, (admin) => admin.reach(limit));
      },
    });
  },

  cliCommands: (ctx) => modelCommands(ctx.composition),
  completionSources: ({ composition }) => {
    const known = async (cwd: string) => {
      const { withAdmin } = await import("./admin.ts");
      return withAdmin(composition, { cwd }, (admin) => admin.list());
    };
    return [
      {
        kind: "model",
        async values({ cwd }) {
          const models = await known(cwd);
          const ready = models.filter((model) => model.ready);
          return (ready.length > 0 ? ready : models).map(({ provider, id }) => ({ value: `${provider}/${id}` }));
        },
      },
      {
        kind: "provider",
        async values({ cwd }) {
          const providers = new Set((await known(cwd)).map(({ provider }) => provider));
          return [...providers].map((value) => ({ value }));
        },
      },
    ];
  },
});
