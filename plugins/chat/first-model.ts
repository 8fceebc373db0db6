import type { Invocation } from "@scorel/cli/contract";
import type { Client, SessionStatus } from "@scorel/host/contract";
import { ScorelError } from "@scorel/kernel";
import { agrees } from "@scorel/kit/terminal/answer";
import type { LocalModel } from "@scorel/model/contract";
import type { ModelsService } from "@scorel/models/contract";
import type { Plainly } from "./relocate.ts";

const OFFLINE = "offline/demo";

/** Opens the session again with the given model. */
type Reopen = (model: string) => Promise<SessionStatus>;

/**
 * Offers a user without a configured model a local one or the offline demonstration. Resolves with undefined when they decline.
 * Throws the error instead if a program reads the output. Nothing has been written at this point.
 */
export async function withModel(
  client: Client,
  invocation: Invocation,
  status: SessionStatus,
  { models, reopen, plainly }: { models: ModelsService | undefined; reopen: Reopen; plainly: Plainly },
): Promise<SessionStatus | undefined> {
  const { modelError, sessionId } = status;
  if (!modelError) return status;
  const { stdin, stdout, cwd } = invocation;
  if (modelError.code !== "MODEL_NONE" || !stdin.isTTY || !stdout.isTTY)
    throw new ScorelError(modelError.code, modelError.message);
  const local = (await models?.local(cwd)) ?? [];
  const chosen = await plainly(() => choose(invocation, modelError.message, local));
  if (chosen === undefined) return undefined;
  await client.request("close_session", { sessionId });
  return reopen(chosen);
}

/** Makes each offer once. */
async function choose(
  invocation: Invocation,
  problem: string,
  local: readonly LocalModel[],
): Promise<string | undefined> {
  const [first, ...others] = local;
  if (first && (await agrees(offer(first, others), invocation))) return nameOf(first);
  const question = `${problem}\n\nTry the offline demonstration model for now? [y/N] `;
  return (await agrees(question, invocation)) ? OFFLINE : undefined;
}

function offer(first: LocalModel, others: readonly LocalModel[]): string {
  const more = others.map((model) => `  scorel --model ${nameOf(model)}\n`).join("");
  return (
    `No model is configured, but ${first.server} runs on this machine (${first.baseUrl}).\n` +
    `${more === "" ? "" : `There are also:\n${more}`}Use ${nameOf(first)} for now? [y/N] `
  );
}

function nameOf({ provider, id }: LocalModel): string {
  return `${provider}/${id}`;
}
