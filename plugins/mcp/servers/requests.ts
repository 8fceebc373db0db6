import { type BaseContext, newId } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import { isTable } from "@scorel/kit/values/table";
import type { RequestsService } from "@scorel/requests/contract";
import { errors } from "../errors.ts";
import type { ElicitAnswer, ElicitRequest, SampleAnswer, SampleRequest, ServerRequests } from "../wire/connection.ts";
import { fieldsOf } from "./fields.ts";
import { answerTo } from "./forms.ts";
import type { Value } from "./limits.ts";

/** Most characters of the server's text in a question. */
const MOST_TEXT = 2_000;
/** Most tokens of an answer of the model to a server, and most characters of the request to the model. */
const MOST_TOKENS = 4_000;
const MOST_SENT = 50_000;
/** After this number of declined questions in a row, further questions of the server are declined without asking. */
const MOST_NOES = 5;
const DECLINED: ElicitAnswer = { action: "decline" };

/**
 * Handlers for requests of a server to the people and the model of a session. `sampling`: whether the configuration allows calls of the
 * model; a person is asked about each.
 */
export function serverRequests(ctx: BaseContext, server: string, sampling: boolean): ServerRequests {
  let noes = 0;
  /** Counts the answers in a row that were not a yes. A question that was withdrawn is no answer. */
  const count = (isYes: boolean, signal: AbortSignal) => {
    noes = isYes || signal.aborted ? 0 : noes + 1;
    if (noes === MOST_NOES) ctx.report("", errors.MCP_NO_MORE({ server, times: MOST_NOES }));
  };
  return {
    async elicit(request, signal) {
      const requests = ctx.find("requests");
      if (!requests?.attended) return { action: "cancel" };
      if (noes >= MOST_NOES) return DECLINED;
      const answer = await elicit(requests, server, request, signal);
      count(answer.action === "accept", signal);
      return answer;
    },
    ...(sampling &&
      ctx.find("agent") && {
        async sample(request, signal) {
          const title = questionAbout(server, request);
          const requests = ctx.find("requests");
          if (!requests?.attended || noes >= MOST_NOES) throw new Error(NOT_AGREED);
          const isAgreed = await requests.confirm(title, false, { signal });
          count(isAgreed, signal);
          if (!isAgreed) throw new Error(NOT_AGREED);
          return sample(ctx, request, signal);
        },
      }),
  };
}

/** Asks a person to fill in a form. Forms that cannot be asked are declined. */
async function elicit(
  requests: RequestsService,
  server: string,
  request: ElicitRequest,
  signal: AbortSignal,
): Promise<ElicitAnswer> {
  const said = plainText(request.message).slice(0, MOST_TEXT);
  if (request.mode === "url") return askToOpen(requests, server, said, request.url ?? "", signal);
  const fields = fieldsOf(request.requestedSchema);
  if (!fields) return DECLINED;
  const about = fields.length > 0 ? ` about ${fields.map(({ title }) => title).join(", ")}` : "";
  const title = `The MCP server ${server} asks you something:\n${said}\n\nIt gets your answers${about}. Do not give it passwords. Answer?`;
  const form = { server, id: newId() };
  const question = { kind: "confirm", title, fallback: "n", data: { form: form.id } } as const;
  if ((await requests.ask(question, { signal })).answer !== "y") return DECLINED;
  const content: Record<string, Value> = {};
  for (const field of fields) {
    const value = await answerTo(requests, form, field, signal);
    if (value === null) return { action: "cancel" };
    if (value !== undefined) content[field.name] = value;
  }
  return { action: "accept", content };
}

/** Shows a URL, which only the person can open. */
async function askToOpen(
  requests: RequestsService,
  server: string,
  said: string,
  url: string,
  signal: AbortSignal,
): Promise<ElicitAnswer> {
  const title = `The MCP server ${server} wants you to open an address in your browser:\n${said}\n\n${lineOf(url).slice(0, MOST_TEXT)}\n\nScorel does not open it. Do you agree, and open it yourself?`;
  return (await requests.confirm(title, false, { signal })) ? { action: "accept" } : DECLINED;
}

const NOT_AGREED = "nobody has agreed to it";

/** The question whether the session's model may answer a server. Throws an error for the server if its request is too long. */
function questionAbout(server: string, request: SampleRequest): string {
  const { system, text } = wordsOf(request);
  if (text.length + system.length > MOST_SENT) throw new Error("the messages are too long");
  return `The MCP server ${server} wants your model to answer this, and gets the answer:\n${[system, text].filter(Boolean).join("\n\n")}\n\nSend it?`;
}

/** Lets the session's model answer a server. */
async function sample(ctx: BaseContext, request: SampleRequest, signal: AbortSignal): Promise<SampleAnswer> {
  const agent = ctx.find("agent");
  if (!agent) throw new Error(NOT_AGREED);
  const { system, text } = wordsOf(request);
  const answer = await agent.ask({
    purpose: "mcp-sampling",
    systemPrompt: system,
    text,
    maxTokens: Math.min(request.maxTokens, MOST_TOKENS),
    signal,
  });
  return { role: "assistant", content: { type: "text", text: answer.text }, model: answer.model };
}

/** The texts of a request to the model, as a person sees them and the model gets them. */
function wordsOf({ messages, systemPrompt = "" }: SampleRequest) {
  const texts = messages.map(({ role, content }) => `${role}: ${textIn(content)}`);
  return { system: plainText(systemPrompt), text: plainText(texts.join("\n\n")) };
}

function textIn(content: unknown): string {
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => (isTable(part) && part.type === "text" ? part.text : undefined));
  if (!texts.every((text) => typeof text === "string")) throw new Error("only texts can be sent to the model");
  return texts.join("\n");
}
