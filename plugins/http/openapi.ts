import type { JsonSchema, OperationDescription } from "@scorel/host/contract";

const problem = {
  description: "An error with its stable code, also without a token (401) and for unknown paths (404)",
  content: {
    "application/json": {
      schema: {
        type: "object",
        required: ["error"],
        properties: {
          error: {
            type: "object",
            required: ["code", "message"],
            properties: { code: { type: "string" }, message: { type: "string" }, data: { type: "object" } },
          },
        },
      },
    },
  },
};

/** The OpenAPI document of the operations, for programs that generate clients from it. */
export function openApi(version: string, operations: readonly OperationDescription[]): object {
  const posts = operations.map((operation) => [`/operations/${operation.name}`, { post: postOf(operation) }] as const);
  return {
    openapi: "3.1.0",
    info: { title: "Scorel host", version },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    paths: {
      ...Object.fromEntries(posts),
      "/sessions/{sessionId}/events": { get: events },
      "/healthz": { get: health },
    },
  };
}

function postOf({ name, summary, plugin, readOnly, params, result }: OperationDescription): object {
  const answer = result ? { schema: standingAlone(`${name}.result`, result) } : {};
  return {
    operationId: name,
    summary,
    tags: [plugin],
    "x-scorel-read-only": readOnly,
    requestBody: {
      required: true,
      content: { "application/json": { schema: standingAlone(`${name}.params`, params) } },
    },
    responses: { 200: { description: "The result", content: { "application/json": answer } }, default: problem },
  };
}

/** Gives a schema with definitions an id of its own, since references within it are relative to its root. */
function standingAlone(name: string, schema: JsonSchema): JsonSchema {
  const hasReferences = JSON.stringify(schema).includes('"$ref":"#');
  return hasReferences ? { $id: `urn:scorel:${name}`, ...schema } : schema;
}

const events = {
  operationId: "follow_events",
  summary: "Sends a session's events as they happen. The id of each is the position after it, for Last-Event-ID.",
  parameters: [
    { name: "sessionId", in: "path", required: true, schema: { type: "string" } },
    {
      name: "tail",
      in: "query",
      description: "Number of stored events to begin with, or all",
      schema: { type: "string", pattern: "^(\\d{1,6}|all)$" },
    },
    { name: "Last-Event-ID", in: "header", description: "The position to continue from", schema: { type: "string" } },
  ],
  responses: {
    200: {
      description:
        "Server-sent events. `subscribed` comes first. The data of every other one is JSON like `x-scorel-event-data`, and its event is the event's type.",
      content: { "text/event-stream": { schema: { type: "string" } } },
      "x-scorel-event-data": {
        type: "object",
        required: ["event", "display"],
        properties: {
          event: { type: "object", description: "The event as `get_events` returns it" },
          display: { type: "object", description: "How to display it" },
          replay: {
            const: true,
            description:
              "Set for what happened before the stream began or continued. All such events come before live ones.",
          },
        },
      },
    },
    default: problem,
  },
};

const health = {
  operationId: "health",
  summary: "Answers ok.",
  security: [],
  responses: { 200: { description: "ok" } },
};
