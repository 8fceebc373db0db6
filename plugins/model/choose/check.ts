import type { AssistantMessage, Context } from "@mariozechner/pi-ai";
import type { ModelCheck, RequestFailure } from "../contract.ts";
import { adviceOnKey } from "../keys/refused-key.ts";
import type { OwnModel } from "../model.ts";
import { adviceOnCertificate, adviceOnSilence } from "../wire/explain.ts";

const question: Context = { messages: [{ role: "user", content: "Answer with the word ok.", timestamp: 0 }] };
/** Maximum tokens of the answer. Some apis refuse less than 16. */
const MAX_TOKENS = 64;
const PATIENCE = 60_000;

/** Sends one small request to a model and reports the result. Throws when there is no model or no key. */
export async function check(model: OwnModel, signal?: AbortSignal): Promise<ModelCheck> {
  const credential = model.credential();
  const windowFrom = model.windowFrom();
  const { provider, id, api, baseUrl, contextWindow } = model.current();
  const begun = performance.now();
  const limit = AbortSignal.timeout(PATIENCE);
  const options = { maxTokens: MAX_TOKENS, signal: signal ? AbortSignal.any([signal, limit]) : limit };
  const reply = await (await model.stream(question, options)).result();
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : "no host";
  const asked = { model: `${provider}/${id}`, api, host, credential, ms: Math.round(performance.now() - begun) };
  const window = windowFrom && { window: { contextWindow, windowFrom } };
  return { ...asked, ...window, ...problemOf(reply, limit.aborted, { provider, host, credential }) };
}

function problemOf(
  { stopReason, errorMessage = "it failed without a word", ...reply }: AssistantMessage,
  late: boolean,
  at: At,
): Pick<ModelCheck, "problem" | "advice"> {
  if (stopReason !== "error" && stopReason !== "aborted") return {};
  const failure = (reply as { failure?: RequestFailure }).failure ?? {};
  const problem = late ? `no answer within ${PATIENCE / 1000} seconds` : errorMessage;
  const advice = adviceFor(failure, at);
  return { problem, ...(advice !== undefined && { advice }) };
}

type At = Pick<ModelCheck, "host" | "credential"> & { provider: string };

/** Returns the most likely remedy for the server's answer. */
function adviceFor({ status, unreached }: RequestFailure, { provider, host, credential }: At) {
  if (unreached === "ECONNREFUSED") return adviceOnSilence(host);
  if (unreached === "ENOTFOUND" || unreached === "EAI_AGAIN")
    return `No such host as ${host}: is baseUrl right, and is there a network?`;
  if (unreached !== undefined)
    return adviceOnCertificate(host, unreached) ?? `Is ${host} right, and is a proxy needed (HTTPS_PROXY)?`;
  const refused = adviceOnKey(status, provider, credential);
  if (refused !== undefined) return refused;
  if (status === 404)
    return `There is no such model, or baseUrl is wrong: scorel model list ${provider} lists the known ones.`;
  if (status === 429) return "Too many requests, or the account has no credit left.";
  return status !== undefined && status >= 500 ? "The server itself has a problem: try again later." : undefined;
}
