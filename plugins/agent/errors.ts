import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  AGENT_BUSY: () => "A turn is running. Use steer() or followUp(), or wait for it with waitForIdle().",
  AGENT_MESSAGE: (a: { reason: string }) => `The message cannot be sent: ${a.reason}. Send text, or text with images.`,
  AGENT_MODEL: (a: { reason: string; advice?: string | undefined }) =>
    `The model call failed: ${a.reason}${a.advice === undefined ? "" : `${/[.?!]$/.test(a.reason) ? "" : "."} ${a.advice}`}`,
  AGENT_OVERFLOW: (a: { model: string; reason: string }) =>
    `The conversation no longer fits into the context window of ${a.model}: ${a.reason}. Send a shorter message, go back to an earlier one, start a new session, or use a model with a larger window.`,
  AGENT_NO_TOOLS: (a: { model: string; reason: string }) =>
    `${a.model} cannot call tools: ${a.reason}. Use another model, or a preset without tools (--preset none).`,
  AGENT_STREAM_CUT: (a: { provider: string }) =>
    `The reply of ${a.provider} ended without its finish marker: the connection was cut. Send the message again.`,
  AGENT_STREAM_IDLE: (a: { provider: string; seconds: number }) =>
    `${a.provider} sent nothing for ${a.seconds} seconds. Try again, or raise idleTimeout in [agent].`,
  AGENT_REPLY_SIZE: (a: { provider: string; limit: number }) =>
    `The reply of ${a.provider} is longer than ${a.limit} characters and was stopped: the model repeats itself, or this is not a model server. Ask for less, or use another model.`,
  AGENT_LENGTH: () =>
    "The reply reached the model's output limit before it was complete; none of its calls was run. Raise maxTokens in [model], or ask for smaller steps.",
  AGENT_QUEUE_UNKNOWN: (a: { id: string; deliveredAs?: string }) =>
    a.deliveredAs === undefined
      ? `There is no queued message "${a.id}": it was delivered or removed. Read the queue again.`
      : `Message "${a.id}" is no longer queued: it was delivered as event ${a.deliveredAs}. The queue was not changed; read it again.`,
  AGENT_QUEUE_CONFLICT: (a: { expected: number; actual: number }) =>
    `The queue has changed: its seq is ${a.actual}, not ${a.expected}. Nothing was changed; read the queue again, then repeat your change.`,
  AGENT_STOPPED: () => "The session was closed before this message was sent; it is still in the queue.",
  AGENT_REMOVED: () => "The message was removed from the queue.",
  AGENT_INTERRUPTED: () => "The turn that answered this message did not finish. Send a new message to continue.",
  AGENT_HOOK_ANSWER: (a: { hook: string; wanted: string; unknown?: string; meant?: string }) =>
    `A layer of "${a.hook}" must return ${a.wanted}${a.unknown === undefined ? "" : `, but it returned a field "${a.unknown}"${a.meant === undefined ? "" : `. Did you mean "${a.meant}"?`}`}${a.meant === undefined ? "." : ""}`,
  AGENT_REQUEST_HEADER: (a: { header: string; reason: string }) =>
    `A layer of "modelRequest" set the header "${a.header}", ${a.reason}.`,
  AGENT_REQUEST_SECRET: () =>
    'The request was not sent: layers of "modelPayload" put a key into it. Scorel sends a key only to its own provider, in a header; remove it from the payload.',
  AGENT_NOT_STORED: (a: { what: string }) =>
    `${a.what} was not stored, because a plugin that must check it first has failed. The user was told which one.`,
  AGENT_CALL_JSON: (a: { tool: string; reason: string; text: string }) =>
    `The call of "${a.tool}" was not run, since its arguments are not valid JSON: ${a.reason}. Call it again with valid JSON. You wrote:\n${a.text}`,
  AGENT_CALL_ARGUMENTS: (a: { tool: string; where: string; what: string }) =>
    `The call of "${a.tool}" was not run, since its arguments are not JSON data: ${a.where || "the whole"} is ${a.what}. Plugins that change arguments may use plain objects, arrays, strings, finite numbers, booleans and null.`,
  AGENT_CALL_LIMIT: (a: { tool: string; calls: number; limit: number }) =>
    `The call of "${a.tool}" was not run: the reply contains ${a.calls} calls, and only the first ${a.limit} are run. Make this call in a later reply, with fewer calls at once.`,
  AGENT_NO_TOOL: (a: { tool: string }) =>
    `There is no tool "${a.tool}" in this session. Choose a preset or [tools] settings that offer it.`,
  AGENT_CALL_REFUSED: (a: { tool: string; reason: string }) => `Not run: ${a.reason}`,
  AGENT_TOOL_GONE: (a: { tool: string }) => `The tool "${a.tool}" was removed before its call could run.`,
  AGENT_CANCELLED: () => "Cancelled by the user.",
  AGENT_HOST_STOPPED: () => "The host was stopped before this ended.",
  AGENT_LIMIT: (a: { limit: "rounds" | "cost" }) =>
    `The turn has reached the limit of its ${a.limit === "rounds" ? "model calls" : "cost"}. Send a message with a higher limit to continue.`,
  AGENT_REPEATS: (a: { times: number }) =>
    `The model made the same tool calls ${a.times} times in a row and got the same results, so the turn was ended. Send a message that says what to do instead.`,
  AGENT_SESSION_CLOSED: () => "The session was closed before this ended.",
});
