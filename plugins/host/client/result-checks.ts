import { isAnchor, isDelivered, isList, isNumber, isText } from "./checks.ts";

type Check = (value: unknown) => boolean;

/** Checks that a value is an object whose fields pass these checks. Other fields are ignored. */
const has =
  (fields: Record<string, Check>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([key, check]) => check(value[key]));
const list =
  (check: Check): Check =>
  (value) =>
    isList(value, check);
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const texts = (...keys: string[]) => has(Object.fromEntries(keys.map((key) => [key, isText])));
const status = has({
  sessionId: isText,
  running: isFlag,
  meta: isObject,
  anchor: isAnchor,
  problems: list(has({ line: isNumber, offset: isNumber, reason: isText })),
  notices: list(texts("origin", "code", "message")),
  present: maybe(list(texts("clientId", "name"))),
  clients: maybe(isNumber),
  waiting: maybe(isNumber),
  model: maybe(isText),
  modelFoundBy: maybe(isText),
  modelError: maybe(texts("code", "message")),
});
const summary = has({ sessionId: isText, title: isText, cwd: isText, updatedAt: isNumber, name: maybe(isText) });
const request = has({
  requestId: isText,
  plugin: isText,
  kind: isText,
  title: isText,
  options: maybe(list(texts("value", "label"))),
  body: maybe(list(texts("display"))),
});
const requests = has({ requests: list(request), statuses: list(texts("plugin", "text")) });
const queue = has({ seq: isNumber, items: list(texts("id", "mode", "clientId")) });
const begun = { more: isFlag, anchor: isAnchor };
const info = has({ eventId: isText, meta: isObject, text: isText });

/** The form of results that clients rely on, by operation. Other results are unchecked data, which callers must not trust. */
const checks: Record<string, Check> = {
  subscribe: has({ ...begun, mode: isMode, status }),
  get_rights: has({ write: isFlag, answer: isFlag }),
  create_session: status,
  clone_session: status,
  load_session: status,
  continue_session: status,
  get_status: status,
  reload_session: status,
  list_sessions: has({ sessions: list(summary) }),
  list_operations: has({ operations: list(texts("name")) }),
  send_message: texts("status", "id"),
  wait_turn: has({
    reason: isText,
    text: isText,
    stopReason: isText,
    usage: isObject,
    error: maybe(texts("code", "message")),
  }),
  get_events: has({ ...begun, header: isObject, events: list(isDelivered) }),
  get_context: has({ messages: list(texts("role")) }),
  get_queue: queue,
  close_session: has({ notices: list(texts("origin", "code", "message")) }),
  list_requests: requests,
  attend_requests: requests,
  update_info: info,
  rename_session: info,
  archive_session: info,
  set_model: info,
  set_thinking: info,
};

/** Whether a result has the form that the client and its user interfaces rely on. */
export function isUsableResult(operation: string, result: unknown): boolean {
  return !Object.hasOwn(checks, operation) || (checks[operation] as Check)(result);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function isMode(value: unknown): boolean {
  return value === "stream_resume" || value === "persistent_fallback" || value === "full_reload";
}
