import { issueText } from "@scorel/kit/values/issue-text";
import { z } from "zod";
import type { Operation } from "../contract.ts";
import { errors } from "../errors.ts";
import { kindOf, optionKeys } from "../session-options.ts";

const sessionId = z.string();
const text = z.string().optional();
const flag = z.boolean().optional();
const count = z.number().int().min(0).optional();
/** The operation checks this itself and throws its own error. */
const anyNumber = z.number().optional();
const session = () => z.strictObject({ sessionId });

const options = Object.fromEntries(optionKeys.map((key) => [key, schemaOf(kindOf(key)).optional()]));

function schemaOf(kind: ReturnType<typeof kindOf>): z.ZodType {
  if (kind === "text") return z.string();
  if (kind === "texts") return z.array(z.string());
  return kind === "switch" ? z.boolean() : z.enum(kind);
}

const content = z.union([
  z.string(),
  z.array(
    z.union([
      z.looseObject({ type: z.literal("text"), text: z.string() }),
      z.looseObject({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
    ]),
  ),
]);

/** Parameter schemas of the host's own operations, each created on first use. */
const schemas = {
  ping: () => z.strictObject({}),
  create_session: () => z.strictObject({ cwd: z.string(), name: text, unsaved: flag, ...options }),
  clone_session: () =>
    z.strictObject({ sessionId, eventId: text, unsaved: flag, atOnce: flag, messageId: text, ...options }),
  load_session: () => z.strictObject({ sessionId, ...options }),
  continue_session: () => z.strictObject({ cwd: z.string(), ...options }),
  list_sessions: () => z.strictObject({ cwd: text, project: text, limit: anyNumber }),
  send_message: () =>
    z.strictObject({ sessionId, content, messageId: text, running: z.enum(["follow_up", "steer"]).optional() }),
  wait_turn: () => z.strictObject({ sessionId, id: z.string() }),
  cancel: session,
  get_queue: session,
  rewrite_queue: () =>
    z.strictObject({
      sessionId,
      items: z.array(
        z.strictObject({
          id: z.string(),
          mode: z.enum(["steer", "follow_up"]).optional(),
          content: content.optional(),
        }),
      ),
      expectedSeq: count,
      messageId: text,
    }),
  run_queue: session,
  get_context: session,
  get_events: () => z.strictObject({ sessionId, tail: count }),
  get_status: session,
  reload_session: session,
  check_sessions: () => z.strictObject({ limit: anyNumber }),
  close_session: session,
} satisfies { [O in Operation]?: () => z.ZodType };

const made = new Map<string, z.ZodType>();

/** Validates params of the host's own operations; throws HOST_PARAMS_INVALID. */
export function assertParams(operation: Operation, params: unknown): void {
  if (!Object.hasOwn(schemas, operation)) return;
  const schema = made.get(operation) ?? (schemas as Record<string, () => z.ZodType>)[operation]?.();
  if (!schema) return;
  made.set(operation, schema);
  // Compiling the schema costs more than it saves for a few requests.
  const checked = schema.safeParse(params, { jitless: true });
  if (!checked.success) throw errors.HOST_PARAMS_INVALID({ operation, problems: problemsOf(checked.error) });
}

/** Formats validation problems, each with its key. */
export function problemsOf({ issues }: z.ZodError): string {
  return issues.map((issue) => `${issue.path.map(String).join(".") || "params"}: ${issueText(issue)}`).join("; ");
}
