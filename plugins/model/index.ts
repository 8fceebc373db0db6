import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { modelConfig } from "./config.ts";
import type {} from "./contract.ts";
import { createSecrets } from "./secrets.ts";

export default definePlugin({
  id: "model",
  name: "Model",
  version: "0.1.0",
  provides: ["model", "secrets"],
  config: modelConfig,

  async activate(ctx) {
    const secrets = createSecrets(ctx.config.type === undefined ? {} : ctx.config);
    ctx.provide("secrets", secrets);
    const { createModel } = await import("./model.ts");
    ctx.provide("model", await createModel(ctx.config, ctx.find("workspace")?.model, secrets));
  },
});
