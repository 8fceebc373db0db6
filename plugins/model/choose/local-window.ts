import { z } from "zod";
import { httpFetch } from "../wire/http-fetch.ts";
import { jsonOf } from "./local-answer.ts";

/** A local model's context window in tokens, and where the number comes from. */
export interface LocalWindow {
  contextWindow: number;
  windowFrom: "loaded" | "setting" | "assumed";
}

/**
 * Milliseconds that a local server may take to answer: `looking` while servers are looked for, and `chosen` when a model of the server was
 * chosen. A server that is absent refuses at once; one that computes a reply for somebody may be slow.
 */
export const PATIENCE = { looking: 1_000, chosen: 10_000 };
/** Common default of servers that choose the window when loading a model. */
const ASSUMED = 16_384;

/** A server's token count; undefined when it is invalid. */
export const tokens = z.number().int().positive().optional().catch(undefined);

/** Prefers the loaded window, then the setting, then the assumption, which is capped at the model's maximum. */
export function windowOf(loaded?: number, setting?: number, largest?: number): LocalWindow {
  if (loaded !== undefined) return { contextWindow: loaded, windowFrom: "loaded" };
  const within = (count: number) => Math.min(count, largest ?? count);
  if (setting !== undefined) return { contextWindow: within(setting), windowFrom: "setting" };
  return { contextWindow: within(ASSUMED), windowFrom: "assumed" };
}

const running = z.object({ models: z.array(z.object({ name: z.string(), context_length: tokens })) });
const shown = z.object({
  parameters: z.string().optional().catch(undefined),
  model_info: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

/** Asks Ollama for a model's window: the loaded one, else the one in its settings. */
export async function ollamaWindow(address: string, id: string): Promise<LocalWindow> {
  const [loaded, about] = await Promise.all([
    answer(`${address}/api/ps`, running),
    answer(`${address}/api/show`, shown, { method: "POST", body: JSON.stringify({ model: id }) }),
  ]);
  const setting = /^num_ctx\s+(\d{1,9})\s*$/m.exec(about?.parameters ?? "")?.[1];
  const largest = Object.entries(about?.model_info ?? {}).find(([key]) => key.endsWith(".context_length"))?.[1];
  return windowOf(
    loaded?.models.find(({ name }) => name === id)?.context_length,
    setting === undefined ? undefined : tokens.parse(Number(setting)),
    tokens.parse(largest),
  );
}

async function answer<T>(url: string, schema: z.ZodType<T>, init: RequestInit = {}): Promise<T | undefined> {
  try {
    const response = await httpFetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE.chosen) });
    return schema.parse(await jsonOf(response));
  } catch {
    // An old or slow server: the window is then reported as `assumed`.
    return undefined;
  }
}
