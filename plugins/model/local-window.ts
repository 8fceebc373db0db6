import { z } from "zod";
import { httpFetch } from "./http-fetch.ts";

/** Tokens a model may hold, and what says so: `loaded`, its own `setting`, or nothing, and the number is `assumed`. */
export interface LocalWindow {
  contextWindow: number;
  windowFrom: "loaded" | "setting" | "assumed";
}

/** How long a server on this machine may take to answer, in milliseconds. */
export const PATIENCE = 150;
/** What servers that choose a window when they load a model often give it. */
const ASSUMED = 16_384;

/** A server's number of tokens; undefined for what cannot be one. */
export const tokens = z.number().int().positive().optional().catch(undefined);

/** What is known first counts; what is taken for granted is never more than the model was made for. */
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

/** Asks Ollama for a model's window: as it is loaded now, else as its own settings will have it loaded. */
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
    const response = await httpFetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE) });
    return schema.parse(await response.json());
  } catch {
    // An older server, or a slow one: then the window is assumed, and said to be.
    return undefined;
  }
}
