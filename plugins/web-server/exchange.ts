import type { IncomingMessage } from "node:http";
import { z } from "zod";

/** The path at which a code is exchanged for a token. */
export const EXCHANGE = "/access";
const MAX_BODY = 1_024;

const schema = z.strictObject({ code: z.string().max(256) });

/** Reads the code from the body of a request. Returns a status instead if the request is refused. */
export async function codeIn(request: IncomingMessage): Promise<string | number> {
  if (request.method !== "POST") return 405;
  // Browsers send a form of another site without asking the server first, but not a body of this type.
  if (!/^application\/json(; *charset=utf-8)?$/i.test(request.headers["content-type"] ?? "")) return 415;
  let text = "";
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    text += chunk.toString("latin1");
    if (text.length > MAX_BODY) return 413;
  }
  try {
    return schema.parse(JSON.parse(text), { jitless: true }).code;
  } catch {
    return 400;
  }
}
