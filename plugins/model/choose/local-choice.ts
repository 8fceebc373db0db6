import type { LocalModel } from "../contract.ts";
import { errors } from "../errors.ts";
import { type Choice, custom } from "./choice.ts";
import { modelsOf } from "./local.ts";
import type { LocalServer } from "./local-servers.ts";
import { ollamaWindow, PATIENCE } from "./local-window.ts";
import { nearest } from "./near.ts";

/** Resolves a model of a local server; throws MODEL_LOCAL_ABSENT and MODEL_UNKNOWN. */
export async function localChoice(server: LocalServer, id: string): Promise<Choice> {
  const { provider, name, port } = server;
  const models = await modelsOf(server, PATIENCE.chosen);
  if (models.length === 0) throw errors.MODEL_LOCAL_ABSENT({ provider, server: name, port });
  const found = models.find((model) => model.id === id);
  const ids = models.map((model) => model.id);
  if (!found) throw errors.MODEL_UNKNOWN({ provider, id, near: nearest(id, ids) });
  const { baseUrl } = found;
  const { contextWindow, windowFrom } = await windowNow(found);
  const table = { type: "custom", api: "openai-completions", provider, id, baseUrl, contextWindow } as const;
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const more = { maxTokens: Math.ceil(contextWindow / 4), reasoning: false, cost } as const;
  return { ...custom({ ...table, ...more, input: ["text"] }), ownServer: "found", ...(windowFrom && { windowFrom }) };
}

/** Returns the context window. Ollama's list of models does not contain it, so Ollama is asked again. */
async function windowNow(model: LocalModel): Promise<Pick<LocalModel, "contextWindow" | "windowFrom">> {
  return model.provider === "ollama" ? ollamaWindow(new URL(model.baseUrl).origin, model.id) : model;
}
