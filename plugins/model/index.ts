import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/workspace/contract";
import { type LocalServer, localServers } from "./choose/local-servers.ts";
import { type ModelConfig, modelConfig } from "./config.ts";
import type {} from "./contract.ts";
import { readStored, secretsOf } from "./keys/auth-file.ts";
import { createSecrets } from "./keys/secrets.ts";
import { operations } from "./operations.ts";

/** Creates the plugin `model`, which looks for local models at `servers`. */
export function modelPlugin(servers: readonly LocalServer[] = localServers) {
  return definePlugin({
    id: "model",
    name: "Model",
    version: "0.1.0",
    provides: ["model", "modelAdmin", "secrets"],
    config: modelConfig,
    // `--model` is an option of every command.
    sessionOptions: () => [{ key: "model", kind: "text" }],

    operations,

    async activate(ctx) {
      const named = ctx.find("modelTables")?.tables ?? {};
      const tables = [ctx.config, ...Object.values(named)];
      const secrets = createSecrets(tables.map(sourcesOf), Object.values(readStored()).flatMap(secretsOf));
      ctx.provide("secrets", secrets, { sealed: true });
      const [{ createModel }, { Providers }] = await Promise.all([
        import("./model.ts"),
        import("./providers/registry.ts"),
      ]);
      const from = { env: process.env, stored: readStored, servers, served: () => ctx.find("launch")?.served };
      const providers = new Providers(ctx, from, secrets);
      const run = ctx.calls.run.bind(ctx.calls);
      const asked = ctx.find("workspace")?.model;
      const model = await createModel(
        { config: ctx.config, asked, named, from, providers, run, stopping: ctx.session.stopping },
        secrets,
      );
      ctx.provide("model", model);
      const admin = async () => (await import("./choose/admin.ts")).createAdmin(model, { ...from, tables }, providers);
      ctx.provide("modelAdmin", {
        list: async (filter) => (await admin()).list(filter),
        check: async (signal) => (await admin()).check(signal),
        reach: async (limit) => (await admin()).reach(limit),
        local: async () => (await admin()).local(),
        served: async (address, key) => (await admin()).served(address, key),
        servedWindow: async (baseUrl, id) => (await admin()).servedWindow(baseUrl, id),
        serverName: async (baseUrl, wanted) => (await admin()).serverName(baseUrl, wanted),
        login: async (provider, key) => (await admin()).login(provider, key),
        signIn: async (provider, dialog) => (await admin()).signIn(provider, dialog),
        logout: async (provider) => (await admin()).logout(provider),
        waysIn: async (provider) => (await admin()).waysIn(provider),
      });
    },
  });
}

export default modelPlugin();

function sourcesOf(table: ModelConfig) {
  return table.type === undefined ? {} : table;
}
