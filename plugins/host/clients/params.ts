import { issueText } from "@scorel/kit/values/issue-text";
import type { SessionOption } from "@scorel/workspace/contract";
import { z } from "zod";
import type { Operation } from "../contract.ts";
import { errors } from "../errors.ts";

const sessionId = z.string();
const text = z.string().optional();
const flag = z.boolean().optional();
const count = z.number().int().min(0).optional();
/** The operation checks this itself and throws its own error. */
const anyNumber = z.number().optional();
const session = () => z.strictObject({ sessionId });

type Shape = Record<string, z.ZodType>;

function shapeOf(rows: readonly SessionOption[]): Shape {
  return Object.fromEntries(rows.map(({ key, kind }) => [key, schemaOf(kind).optional()]));
}

function schemaOf(kind: SessionOption["kind"]): z.ZodType {
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

/** Parameter schemas of the operations that open sessions, which take the options of the session as well. */
const openingSchemas = {
  create_session: (options) => z.strictObject({ cwd: z.string(), name: text, unsaved: flag, ...options }),
  clone_session: (options) =>
    z.strictObject({ sessionId, eventId: text, unsaved: flag, atOnce: flag, messageId: text, ...options }),
  load_session: (options) => z.strictObject({ sessionId, ...options }),
  continue_session: (options) => z.strictObject({ cwd: z.string(), ...options }),
} satisfies { [O in Operation]?: (options: Shape) => z.ZodType };

/** Parameter schemas of the host's other operations. */
const schemas = {
  ping: () => z.strictObject({}),
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

/** Validates params of the host's own operations; throws HOST_PARAMS_INVALID. `options` returns those of sessions. */
export function assertParams(operation: Operation, params: unknown, options: () => readonly SessionOption[]): void {
  const schema = schemaFor(operation, options);
  if (!schema) return;
  // Compiling the schema costs more than it saves for a few requests.
  const checked = schema.safeParse(params, { jitless: true });
  if (!checked.success) throw errors.HOST_PARAMS_INVALID({ operation, problems: problemsOf(checked.error) });
}

/** Creates the schema on first use, or when an extension's options have changed since. */
function schemaFor(operation: string, options: () => readonly SessionOption[]): z.ZodType | undefined {
  if (Object.hasOwn(openingSchemas, operation)) {
    const rows = options();
    const name = JSON.stringify([operation, rows]);
    return remembered(name, () => openingSchemas[operation as keyof typeof openingSchemas](shapeOf(rows)));
  }
  return Object.hasOwn(schemas, operation)
    ? remembered(operation, schemas[operation as keyof typeof schemas])
    : undefined;
}

function remembered(name: string, create: () => z.ZodType): z.ZodType {
  const schema = made.get(name) ?? create();
  made.set(name, schema);
  return schema;
}

/** Formats validation problems, each with its key. */
export function problemsOf({ issues }: z.ZodError): string {
  return issues.map((issue) => `${issue.path.map(String).join(".") || "params"}: ${issueText(issue)}`).join("; ");
}
