import type { ClientMessage } from "@scorel/host/client";
import { isDeeper } from "@scorel/kit/text/json-depth";
import { z } from "zod";
import { errors } from "./errors.ts";

const number = z.int().nonnegative();
const requestId = number;
const subscription = number;
const text = z.string().max(256);

const anchor = z.strictObject({
  epoch: text,
  persistentSeq: number,
  persistentId: text.nullable(),
  activation: text,
  streamSeq: z.int().min(-1),
});

const schema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("prove"),
    id: z.string().regex(/^[\da-f]{16}$/),
    nonce: z.string().regex(/^[\da-f]{64}$/),
    authority: text,
  }),
  z.strictObject({
    type: z.literal("hello"),
    protocol: z.int(),
    version: text,
    name: text.optional(),
    token: z.string().max(1_024).optional(),
    resume: z.strictObject({ clientId: text, secret: text }).optional(),
  }),
  z.strictObject({ type: z.literal("request"), requestId, operation: text, params: z.record(z.string(), z.unknown()) }),
  z.strictObject({
    type: z.literal("subscribe"),
    requestId,
    subscription,
    sessionId: text,
    options: z.strictObject({
      capacity: z.int().min(1).max(100_000).optional(),
      joined: z.boolean().optional(),
      anchor: anchor.optional(),
      tail: z.union([number, z.literal("all")]).optional(),
    }),
  }),
  z.strictObject({
    type: z.literal("watch"),
    requestId,
    subscription,
    capacity: z.int().min(1).max(100_000).optional(),
  }),
  z.strictObject({ type: z.literal("unsubscribe"), requestId, subscription }),
  z.strictObject({ type: z.literal("drain"), requestId, sessionId: text }),
  z.strictObject({ type: z.literal("processed"), characters: number }),
  z.strictObject({ type: z.literal("ping"), answered: number }),
  z.strictObject({ type: z.literal("leave") }),
]);

/** Reads a message of a client. Throws GATEWAY_MESSAGE. */
export function readMessage(message: string): ClientMessage {
  const value = parsed(message);
  const { data, error } = schema.safeParse(value, { jitless: true });
  if (data) return data as ClientMessage;
  const problems = error.issues.map(({ path, message: problem }) =>
    [path.join("."), problem].filter(Boolean).join(": "),
  );
  throw errors.GATEWAY_MESSAGE({ problems: problems.slice(0, 3).join("; ") });
}

/** The protocol version and the program version of a hello; undefined if its protocol version is `own`. */
export function otherProtocol(message: string, own: number): { protocol: number; version: string } | undefined {
  const { type, protocol, version } = (parsed(message) ?? {}) as Record<string, unknown>;
  if (type !== "hello" || !Number.isInteger(protocol) || protocol === own) return undefined;
  return { protocol: protocol as number, version: typeof version === "string" ? version.slice(0, 256) : "unknown" };
}

/** The most nested levels of arrays and objects in a message. */
const MAX_DEPTH = 64;

function parsed(message: string): unknown {
  if (isDeeper(message, MAX_DEPTH)) throw errors.GATEWAY_MESSAGE({ problems: `it has more than ${MAX_DEPTH} levels` });
  try {
    return JSON.parse(message);
  } catch {
    throw errors.GATEWAY_MESSAGE({ problems: "it is not JSON" });
  }
}
