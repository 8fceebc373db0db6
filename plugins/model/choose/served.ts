import { messageOf } from "@scorel/kernel";
import { flawOfUrl } from "@scorel/kit/schema/model-table";
import { plainText } from "@scorel/kit/text/plain";
import { z } from "zod";
import type { ServedModels } from "../contract.ts";
import { errors } from "../errors.ts";
import { httpFetch } from "../wire/http-fetch.ts";
import { ollamaWindow, tokens } from "./local-window.ts";

/** Milliseconds that a server may take to list its models. */
const PATIENCE = 10_000;
const MOST_BYTES = 5_000_000;

const listed = z.object({
  data: z.array(
    z.object({ id: z.string(), max_model_len: tokens, context_length: tokens, max_context_length: tokens }),
  ),
});

/**
 * Lists the models of a server that speaks the api of OpenAI. The address may be written without `http://` and without `/v1`.
 * Throws MODEL_SERVER_LIST.
 */
export async function served(address: string, key: string | undefined): Promise<ServedModels> {
  const given = (/^https?:\/\//i.test(address) ? address : `http://${address}`).replace(/\/+$/, "");
  const flaw = flawOfUrl(given);
  if (flaw !== undefined) throw errors.MODEL_SERVER_LIST({ address: withoutSecrets(given), reason: `it ${flaw}` });
  const tried = /\/v\d+\w*$/.test(given) ? [given] : [`${given}/v1`, given];
  let reason = "";
  for (const baseUrl of tried) {
    try {
      return { baseUrl, models: await list(baseUrl, key) };
    } catch (thrown) {
      reason ||= reasonOf(thrown);
    }
  }
  throw errors.MODEL_SERVER_LIST({ address: `${tried[0]}/models`, reason });
}

/** The window of a model whose server does not tell it with its list: Ollama is asked, for others it is assumed. */
export async function servedWindow(baseUrl: string, id: string): Promise<number> {
  return (await ollamaWindow(new URL(baseUrl).origin, id)).contextWindow;
}

async function list(baseUrl: string, key: string | undefined): Promise<ServedModels["models"]> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await httpFetch(`${baseUrl}/models`, { headers, signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok) throw new Error(statusText(response.status));
  const { data } = listed.parse(JSON.parse(await textOf(response)));
  return data.flatMap(({ id, ...windows }) => {
    // A name that cannot be shown as it is would be written into the configuration unseen.
    if (id === "" || id.length > 200 || plainText(id) !== id) return [];
    const contextWindow = windows.max_model_len ?? windows.context_length ?? windows.max_context_length;
    return [{ id, ...(contextWindow !== undefined && { contextWindow }) }];
  });
}

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_BYTES) throw new Error("its answer is too long for a list of models");
  }
  return text;
}

function statusText(status: number): string {
  if (status === 401 || status === 403) return `it wants a key, or refuses the one that was sent (${status})`;
  return status === 404 ? "it has no list of models there (404)" : `it answered with status ${status}`;
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof z.ZodError || thrown instanceof SyntaxError) return "its answer is no list of models";
  const { name, cause } = thrown as Error;
  if (name === "TimeoutError") return `it did not answer within ${PATIENCE / 1_000} seconds`;
  return messageOf(cause ?? thrown);
}

function withoutSecrets(address: string): string {
  return address.replace(/\/\/[^/]*@/, "//…@");
}
