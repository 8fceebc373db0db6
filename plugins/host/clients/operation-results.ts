import { displayAction } from "@scorel/kit/schema/display-action";
import { sessionMeta } from "@scorel/kit/schema/session-meta";
import { z } from "zod";

const anchor = z.strictObject({
  epoch: z.string(),
  persistentSeq: z.number(),
  persistentId: z.string().nullable(),
  activation: z.string(),
  streamSeq: z.number(),
});
const notice = z.strictObject({
  plugin: z.string().optional(),
  origin: z.string(),
  code: z.string(),
  message: z.string(),
});
const questions = z.array(z.enum(["select", "confirm", "input"])).optional();
const turn = z.literal("waiting").optional();
const glance = {
  model: z.string().optional(),
  modelFoundBy: z.string().optional(),
  modelError: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  thinking: z.enum(["off", "minimal", "low", "medium", "high", "xhigh"]).optional(),
  thinks: z.literal(false).optional(),
  permission: z.string().optional(),
  permissionDefault: z.string().optional(),
  context: z
    .strictObject({ tokens: z.number(), window: z.number().optional(), share: z.number().optional() })
    .optional(),
  spent: z
    .strictObject({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number(),
      cacheWrite: z.number(),
      cachedShare: z.number().optional(),
      cost: z.number().optional(),
    })
    .optional(),
  branch: z.string().optional(),
};
const since = z.number();
const doing = z.discriminatedUnion("state", [
  z.strictObject({ state: z.literal("waiting"), since }),
  z.strictObject({ state: z.literal("asking"), text: z.string() }),
  z.strictObject({
    state: z.literal("retrying"),
    until: z.number(),
    attempt: z.number(),
    of: z.number(),
    reason: z.string(),
  }),
  z.strictObject({ state: z.literal("compacting"), since }),
  z.strictObject({ state: z.literal("tool"), since, tool: z.string(), text: z.string(), calls: z.number() }),
  z.strictObject({ state: z.literal("thinking"), since }),
  z.strictObject({ state: z.literal("answering"), since }),
]);
const sessionStatus = z.strictObject({
  sessionId: z.string(),
  running: z.boolean(),
  turn,
  leafId: z.string().nullable(),
  meta: sessionMeta,
  anchor,
  problems: z.array(z.strictObject({ line: z.number(), offset: z.number(), reason: z.string() })),
  notices: z.array(notice),
  clients: z.number().optional(),
  present: z.array(z.strictObject({ clientId: z.string(), name: z.string() })).optional(),
  waiting: z.number().optional(),
  questions,
  doing: doing.optional(),
  ...glance,
});
const sessionSummary = z.strictObject({
  sessionId: z.string(),
  name: z.string().optional(),
  cwd: z.string(),
  projectId: z.string().optional(),
  createdAt: z.number(),
  updatedAt: z.number(),
  messages: z.number().optional(),
  title: z.string(),
  path: z.string(),
  problem: z.string().optional(),
  parent: z.strictObject({ sessionId: z.string(), toolCallId: z.string().optional() }).optional(),
  kind: z.string().optional(),
  preset: z.string().optional(),
  copied: z.enum(["clone", "import"]).optional(),
  archived: z.literal(true).optional(),
  running: z.boolean().optional(),
  turn,
  questions,
});
const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  totalTokens: z.number(),
  cost: z.strictObject({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
    total: z.number(),
  }),
});
const turnOutcome = z.strictObject({
  reason: z.enum(["completed", "cancelled", "error"]),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  limit: z.enum(["rounds", "cost"]).optional(),
  text: z.string(),
  stopReason: z.string(),
  usage,
  durationMs: z.number(),
  leafId: z.string().nullable(),
});
const attachment = z.literal(true).optional();
const textBlock = z.object({ type: z.literal("text"), text: z.string(), attachment, forPeople: z.string().optional() });
const imageBlock = z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string(), attachment });
const queuedMessage = z.strictObject({
  id: z.string(),
  mode: z.enum(["steer", "follow_up"]),
  content: z.union([z.string(), z.array(z.union([textBlock, imageBlock]))]),
  clientId: z.string(),
  messageId: z.string().optional(),
});
const argumentChange = z.object({
  set: z.record(z.string(), z.unknown()).optional(),
  unset: z.array(z.string()).optional(),
});
const mention = z.object({
  path: z.string(),
  kind: z.enum(["file", "folder", "image"]).optional(),
  problem: z.string().optional(),
  lines: z.tuple([z.number(), z.number(), z.number()]).readonly().optional(),
  cut: z.literal(true).optional(),
  entries: z.number().optional(),
});
const messageMeta = z.looseObject({
  source: z.enum(["steer", "followUp"]).optional(),
  queueItemId: z.string().optional(),
  messageId: z.string().optional(),
  sentHash: z.string().optional(),
  retried: z.literal(true).optional(),
  literal: z.literal(true).optional(),
  limits: z.object({ rounds: z.number().optional(), cost: z.number().optional() }).optional(),
  mentions: z.array(mention).readonly().optional(),
  arguments: argumentChange.optional(),
  refused: z.object({ reason: z.string().optional() }).optional(),
});
const userMessage = z.object({
  role: z.literal("user"),
  content: z.union([z.string(), z.array(z.union([textBlock, imageBlock]))]),
  timestamp: z.number(),
  meta: messageMeta.optional(),
});
const thinkingBlock = z.looseObject({ type: z.literal("thinking"), thinking: z.string() });
const toolCallBlock = z.looseObject({
  type: z.literal("toolCall"),
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
});
const assistantMessage = z.looseObject({
  role: z.literal("assistant"),
  content: z.array(z.union([textBlock, thinkingBlock, toolCallBlock])),
  api: z.string(),
  provider: z.string(),
  model: z.string(),
  usage,
  stopReason: z.enum(["error", "stop", "length", "toolUse", "aborted"]),
  errorMessage: z.string().optional(),
  partial: z.literal(true).optional(),
  timestamp: z.number(),
  meta: messageMeta.optional(),
});
const toolResultMessage = z.object({
  role: z.literal("tool_result"),
  toolCallId: z.string(),
  toolName: z.string(),
  content: z.array(z.union([textBlock, imageBlock])),
  details: z.unknown().optional(),
  isError: z.boolean(),
  usage: usage.extend({ model: z.string().optional(), sessionId: z.string().optional() }).optional(),
  timestamp: z.number(),
  meta: messageMeta.optional(),
});
const internalMessage = z.object({
  role: z.literal("internal"),
  content: z.string(),
  timestamp: z.number(),
  meta: messageMeta.optional(),
});
const sessionHeader = z.object({
  version: z.number(),
  sessionId: z.string(),
  deviceId: z.string(),
  createdAt: z.number(),
  epoch: z.string(),
  checksum: z.literal("crc32").optional(),
  clonedFrom: z.strictObject({ deviceId: z.string(), sessionId: z.string(), eventId: z.string() }).optional(),
  meta: z.record(z.string(), z.unknown()),
});
const storedEvent = z.object({
  id: z.string(),
  parentId: z.string().nullable(),
  type: z.string(),
  seq: z.number(),
  sessionId: z.string(),
  clientId: z.string(),
  ts: z.number(),
});
const envelope = z.object({
  type: z.string(),
  seq: z.number(),
  sessionId: z.string(),
  clientId: z.string(),
  ts: z.number(),
});
const missed = z.object({ type: z.literal("missed"), from: z.number(), to: z.number() });
const delivered = z.strictObject({ event: z.union([storedEvent, envelope, missed]), display: displayAction });
const eventPage = z.strictObject({
  header: sessionHeader,
  events: z.array(delivered),
  more: z.boolean(),
  anchor,
});
const sessionHealth = z.strictObject({
  sessionId: z.string(),
  path: z.string(),
  bytes: z.number(),
  writtenAt: z.number(),
  events: z.number().optional(),
  damage: z.array(z.string()).readonly(),
  notes: z.array(z.string()).readonly(),
  bridged: z.number(),
  problem: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  torn: z.array(z.strictObject({ path: z.string(), bytes: z.number() })).readonly(),
  leftover: z.string().optional(),
  index: z.enum(["none", "whole", "damaged"]),
  lock: z
    .strictObject({
      path: z.string(),
      state: z.enum(["held", "suspended", "stale"]),
      pid: z.number(),
      since: z.string(),
    })
    .optional(),
});
const jsonSchema = z.record(z.string(), z.unknown());
const operationDescription = z.strictObject({
  name: z.string(),
  summary: z.string(),
  plugin: z.string(),
  readOnly: z.boolean(),
  params: jsonSchema,
  result: jsonSchema.optional(),
});

/** The schemas of the results of the host's own operations. */
export const results = {
  ping: z.strictObject({ pong: z.literal(true) }),
  list_operations: z.strictObject({ operations: z.array(operationDescription) }),
  get_rights: z.strictObject({
    write: z.boolean(),
    answer: z.boolean(),
    lasting: z.boolean().optional(),
    operations: z.union([z.literal("all"), z.array(z.string())]).optional(),
  }),
  create_session: sessionStatus,
  clone_session: sessionStatus,
  load_session: sessionStatus,
  continue_session: sessionStatus,
  list_sessions: z.strictObject({ sessions: z.array(sessionSummary) }),
  send_message: z.strictObject({ status: z.enum(["started", "queued", "duplicate"]), id: z.string() }),
  wait_turn: turnOutcome,
  cancel: z.strictObject({ cancelled: z.boolean() }),
  get_queue: z.strictObject({ seq: z.number(), items: z.array(queuedMessage) }),
  rewrite_queue: z.strictObject({ items: z.array(z.strictObject({ id: z.string() })) }),
  run_queue: z.strictObject({ status: z.enum(["started", "running", "empty"]), id: z.string().optional() }),
  get_context: z.strictObject({
    messages: z.array(z.union([userMessage, assistantMessage, toolResultMessage, internalMessage])),
    more: z.literal(true).optional(),
  }),
  get_events: eventPage,
  get_status: sessionStatus,
  follow_status: z.strictObject(glance),
  reload_session: sessionStatus,
  close_session: z.strictObject({ closed: z.boolean(), notices: z.array(notice) }),
  check_sessions: z.strictObject({ total: z.number(), sessions: z.array(sessionHealth) }),
};
