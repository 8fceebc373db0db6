import { messageOf } from "@scorel/kernel";
import { flawOfUrl } from "@scorel/kit/schema/model-table";
import { beginningOf } from "@scorel/kit/text/cut";
import { lineOf } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import { z } from "zod";
import type { ServedModels } from "../contract.ts";
import { errors } from "../errors.ts";
import { isKey } from "../keys/key.ts";
import { httpFetch } from "../wire/http-fetch.ts";
import { ollamaWindow, tokens } from "./local-window.ts";

/** Milliseconds that a server may take to list its models. */
const PATIENCE = 10_000;
const MOST_BYTES = 5_000_000;

/** Maximum number of characters of a server's answer that an error quotes. */
const MOST_SAID = 300;
const NOT_THERE = "it has no list of models there (404)";
const ADDRESS = "Is the address that of its api, as in http://127.0.0.1:8000/v1?";

interface Failure {
  reason: string;
  advice: string;
}

/** Thrown if the server does not answer with a list. */
class Refusal extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.reason);
    this.failure = failure;
  }
}

const listed = z.object({
  data: z.array(
    z.object({ id: z.string(), max_model_len: tokens, context_length: tokens, max_context_length: tokens }),
  ),
});

/**
 * Lists the models of a server that speaks the api of OpenAI. The address may be written without `http://` and without `/v1`.
 * Throws MODEL_SERVER_LIST and MODEL_KEY_INVALID.
 */
export async function served(address: string, key: string | undefined): Promise<ServedModels> {
  // The error about a header that cannot be sent would quote the key.
  if (key !== undefined && !isKey(key)) throw errors.MODEL_KEY_INVALID({ place: "the named variable" });
  const given = (/^https?:\/\//i.test(address) ? address : `http://${address}`).replace(/\/+$/, "");
  const flaw = flawOfUrl(given);
  if (flaw !== undefined)
    throw errors.MODEL_SERVER_LIST({ address: withoutSecrets(given), reason: `it ${flaw}`, advice: ADDRESS });
  const tried = /\/v\d+\w*$/.test(given) ? [given] : [`${given}/v1`, given];
  const failures: (Failure & { address: string })[] = [];
  for (const baseUrl of tried) {
    try {
      return { baseUrl, models: await list(baseUrl, key) };
    } catch (thrown) {
      failures.push({ address: `${baseUrl}/models`, ...failureOf(thrown) });
    }
  }
  // A refusal says more than the missing path of an address that was only a guess.
  const telling = failures.find(({ reason }) => reason !== NOT_THERE) ?? failures[0];
  throw errors.MODEL_SERVER_LIST(telling as Failure & { address: string });
}

/** The context window of a model whose server did not list it: asks Ollama for it, and assumes a default for other servers. */
export async function servedWindow(baseUrl: string, id: string): Promise<number> {
  return (await ollamaWindow(new URL(baseUrl).origin, id)).contextWindow;
}

async function list(baseUrl: string, key: string | undefined): Promise<ServedModels["models"]> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await httpFetch(`${baseUrl}/models`, { headers, signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok) throw new Refusal(await refused(response, key));
  const { data } = listed.parse(JSON.parse(await textOf(response)));
  return data.flatMap(({ id, ...windows }) => {
    // Names with invisible characters are left out, because users could not see what is written into their configuration.
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

async function refused(response: Response, key: string | undefined): Promise<Failure> {
  const { status } = response;
  if (status === 401 || status === 403) return keyRefused(status, key);
  if (status === 404) return { reason: NOT_THERE, advice: ADDRESS };
  const said = lineOf(await textOf(response).catch(() => "")).replaceAll(key || "\0", "…");
  const short = said.length > MOST_SAID ? `${beginningOf(said, MOST_SAID)}…` : said;
  const advice = status >= 500 ? "The server itself has a problem: its log may show more." : ADDRESS;
  return { reason: `it answered with status ${status}${short && `: ${short}`}`, advice };
}

function keyRefused(status: number, key: string | undefined): Failure {
  if (key === undefined)
    return { reason: `it requires a key (${status})`, advice: "Set a variable to the key, and enter its name." };
  return { reason: `it refused the key (${status})`, advice: "Is this the key of this server?" };
}

function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Refusal) return thrown.failure;
  if (thrown instanceof z.ZodError || thrown instanceof SyntaxError)
    return { reason: "its answer is not a list of models", advice: ADDRESS };
  const { name, cause } = thrown as Error;
  const late = name === "TimeoutError" && `it did not answer within ${PATIENCE / 1_000} seconds`;
  return { reason: late || messageOf(cause ?? thrown), advice: `Is it running? ${ADDRESS}` };
}

function withoutSecrets(address: string): string {
  return address.replace(/\/\/[^/]*@/, "//…@");
}
