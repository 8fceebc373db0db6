import { basename } from "node:path";
import { z } from "zod";
import type { LocalModel } from "../contract.ts";
import { httpFetch } from "../wire/http-fetch.ts";
import { jsonOf } from "./local-answer.ts";
import type { LocalServer } from "./local-servers.ts";
import { PATIENCE, tokens, windowOf } from "./local-window.ts";

type Found = Pick<LocalModel, "id" | "contextWindow" | "windowFrom">;

const ollama = z.object({ models: z.array(z.object({ name: z.string(), digest: z.string() })) });
const lmStudio = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      max_context_length: tokens,
      loaded_context_length: tokens,
    }),
  ),
});
const llamaCpp = z.object({
  total_slots: z.number(),
  model_path: z.string().optional(),
  default_generation_settings: z.object({ n_ctx: tokens }),
});

/** Parsers of each server's answer, by provider. They throw on other answers. */
const readers: Readonly<Record<string, (answer: unknown) => Found[]>> = {
  ollama: (answer) => ollama.parse(answer).models.map(({ name }) => ({ id: name, ...windowOf() })),
  lmstudio: (answer) =>
    lmStudio
      .parse(answer)
      .data.filter(({ type }) => type !== "embeddings")
      .map(({ id, loaded_context_length: loaded, max_context_length: largest }) => ({
        id,
        ...windowOf(loaded, undefined, largest),
      })),
  llamacpp(answer) {
    const { model_path, default_generation_settings } = llamaCpp.parse(answer);
    const id = model_path === undefined ? "default" : basename(model_path);
    return [{ id, ...windowOf(default_generation_settings.n_ctx) }];
  },
};

/**
 * Lists the models of all servers running on this machine. Asks in parallel; a server that does not answer counts as
 * absent.
 */
export async function findLocal(servers: readonly LocalServer[]): Promise<LocalModel[]> {
  return (await Promise.all(servers.map((server) => modelsOf(server, PATIENCE.looking)))).flat();
}

/**
 * Lists the models of one kind of server; empty when it is not running, does not answer within so many milliseconds, or something else
 * answers at its port.
 */
export async function modelsOf(server: LocalServer, patience: number): Promise<LocalModel[]> {
  const { provider, name, port, path } = server;
  const address = `http://127.0.0.1:${port}`;
  try {
    const response = await httpFetch(`${address}${path}`, { signal: AbortSignal.timeout(patience) });
    const found = readers[provider]?.(await jsonOf(response)) ?? [];
    return found.map((model) => ({ ...model, provider, server: name, baseUrl: `${address}/v1` }));
  } catch {
    // Absent, too slow, or another server.
    return [];
  }
}
