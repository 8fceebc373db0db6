import type { IncomingMessage } from "node:http";
import { isDeeper } from "@scorel/kit/text/json-depth";
import { errors } from "./errors.ts";

const MAX_BODY = 16 * 1024 * 1024;
const MAX_DEPTH = 64;
/** The most bytes of all requests that are being read or answered, for one token and in total. */
const MAX_HELD = { token: 3 * MAX_BODY, all: 8 * MAX_BODY };
/** Milliseconds for a body to arrive. Less than the web server gives a whole request. */
export const ARRIVAL_MS = 60_000;

/**
 * The bodies of requests that are being read or answered. They are in memory, so all bodies of one token share a limit: otherwise many
 * bodies that never end would fill the memory.
 */
export class Bodies {
  private readonly limitMs: number;
  private readonly held = new Map<string, number>();
  private all = 0;

  constructor(limitMs = ARRIVAL_MS) {
    this.limitMs = limitMs;
  }

  /**
   * Reads the JSON object in a request's body, {} for an empty one, and calls `use` with it. Throws HTTP_TYPE, HTTP_TOO_LARGE, HTTP_FULL,
   * HTTP_SLOW and HTTP_BODY.
   */
  async with<R>(
    request: IncomingMessage,
    token: string,
    use: (body: Record<string, unknown>) => Promise<R>,
  ): Promise<R> {
    // Pages of other sites can send forms without a CORS preflight, but not this type.
    if (!/^application\/json(; *charset=utf-8)?$/i.test(request.headers["content-type"] ?? ""))
      throw errors.HTTP_TYPE();
    if (Number(request.headers["content-length"]) > MAX_BODY) throw errors.HTTP_TOO_LARGE({ max: MAX_BODY });
    let length = 0;
    try {
      const bytes = await arrival(request, this.limitMs, (more) => {
        this.hold(token, more);
        length += more;
        if (length > MAX_BODY) throw errors.HTTP_TOO_LARGE({ max: MAX_BODY });
      });
      return await use(objectIn(bytes.toString("utf8")));
    } finally {
      this.hold(token, -length, false);
    }
  }

  private hold(token: string, bytes: number, isChecked = true): void {
    const own = (this.held.get(token) ?? 0) + bytes;
    if (isChecked && (own > MAX_HELD.token || this.all + bytes > MAX_HELD.all)) throw errors.HTTP_FULL();
    this.all += bytes;
    if (own > 0) this.held.set(token, own);
    else this.held.delete(token);
  }
}

/** Reads a body. Calls `admit` with the size of each piece before it is kept; if `admit` throws, reading ends with that error. */
function arrival(request: IncomingMessage, limitMs: number, admit: (bytes: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const end = (settle: () => void) => {
      clearTimeout(limit);
      request.off("data", take).off("end", whole).off("error", fail).off("close", cut).pause();
      settle();
    };
    const fail = (thrown: unknown) => end(() => reject(thrown));
    const whole = () => end(() => resolve(Buffer.concat(chunks)));
    const cut = () => fail(errors.HTTP_BODY({ problem: "its connection was closed" }));
    const take = (chunk: Buffer) => {
      try {
        admit(chunk.length);
        chunks.push(chunk);
      } catch (thrown) {
        fail(thrown);
      }
    };
    const limit = setTimeout(() => fail(errors.HTTP_SLOW({ seconds: limitMs / 1_000 })), limitMs);
    request.on("data", take).once("end", whole).once("error", fail).once("close", cut);
  });
}

function objectIn(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  if (isDeeper(text, MAX_DEPTH)) throw errors.HTTP_BODY({ problem: `it has more than ${MAX_DEPTH} levels` });
  const value = parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw errors.HTTP_BODY({ problem: "it is not an object" });
  return value as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw errors.HTTP_BODY({ problem: "it is not JSON" });
  }
}
