import {
  type DisplayAction,
  type EventDefinition,
  type EventOf,
  type Events,
  isEvent,
  type ProjectionDefinition,
  type StoredEvent,
  type TransientDefinition,
  type TransientOf,
  type Transients,
} from "@scorel/kernel";
import { attributed } from "@scorel/kit/text/attributed";
import { z } from "zod";
import { VOID } from "./closed.ts";
import type { OpenRequest } from "./contract.ts";

const text = z.string();

/** A question is a side event, which is synced before any client sees it. */
export const approvalRequest: EventDefinition<Events["approval_request"]> = {
  schema: z.strictObject({
    requestId: text.min(1),
    plugin: text,
    kind: z.enum(["select", "confirm", "input"]),
    title: text,
    body: z.array(z.custom<DisplayAction>((value) => typeof value === "object" && value !== null)).optional(),
    options: z
      .array(
        z.strictObject({
          value: text,
          label: text,
          kind: z.enum(["allow_once", "allow_always", "reject_once", "reject_always"]).optional(),
          lasting: z.boolean().optional(),
          needs: z.string().optional(),
          message: z.union([text, z.literal(true)]).optional(),
        }),
      )
      .optional(),
    fallback: text.optional(),
    data: z.unknown().optional(),
    from: z.strictObject({ sessionId: text, requestId: text, plugin: text }).optional(),
  }),
  durable: true,
  inFlight: { work: "request", id: "requestId" },
  leaf: (_event, current) => current,
  convertToDisplay: ({ title, body = [] }: EventOf<"approval_request">) => ({
    display: "card",
    title,
    status: "running",
    text: "",
    body,
  }),
};

/** An answer takes effect when it is synced. */
export const approvalAnswer: EventDefinition<Events["approval_answer"]> = {
  schema: z.strictObject({ requestId: text.min(1), answer: text.nullable(), reason: text.optional() }),
  durable: true,
  inFlight: { work: "request", id: "requestId", effect: "end" },
  leaf: (_event, current) => current,
  convertToDisplay({ answer, reason }: EventOf<"approval_answer">): DisplayAction {
    if (answer !== null) return { display: "hidden" };
    if (reason === VOID)
      return {
        display: "notice",
        level: "warning",
        text: "Scorel stopped while it was asking you. Ask again if it is still needed.",
      };
    return { display: "notice", level: "info", text: `Not answered: ${reason ?? "nobody was there"}` };
  },
};

export const requestDefaulted: TransientDefinition<Transients["request_defaulted"]> = {
  transient: true,
  schema: z.strictObject({
    plugin: text,
    kind: z.enum(["select", "confirm", "input"]),
    title: text,
    answer: text.nullable(),
  }),
  convertToDisplay: (defaulted: TransientOf<"request_defaulted">) => ({
    display: "notice",
    level: "info",
    text: `Nobody was there to answer ${defaultText(defaulted)}`,
  }),
};

/** The question, and the default that applied. */
function defaultText({ plugin, kind, title, answer }: Transients["request_defaulted"]): string {
  const words = kind === "confirm" ? { y: "yes", n: "no" }[answer ?? ""] : answer;
  return `"${title}" (${plugin}): ${words ?? "no answer"}`;
}

export const notification: TransientDefinition<Transients["notification"]> = {
  transient: true,
  schema: z.strictObject({ plugin: text, level: z.enum(["info", "warning", "error"]), text }),
  convertToDisplay: ({ plugin, level, text: told }: TransientOf<"notification">) => ({
    display: "notice",
    level,
    text: `${plugin}: ${told}`,
  }),
};

export const pluginStatus: TransientDefinition<Transients["plugin_status"]> = {
  transient: true,
  // A cleared status stays as an event without text.
  inFlight: { work: "status", id: "plugin", effect: "replace" },
  schema: z.strictObject({ plugin: text, text: text.optional(), shipped: z.literal(true).optional() }),
  convertToDisplay: ({ text: standing, ...by }: TransientOf<"plugin_status">): DisplayAction =>
    standing === undefined
      ? { display: "hidden" }
      : { display: "notice", level: "info", text: attributed({ ...by, text: standing }) },
};

export const pluginPanel: TransientDefinition<Transients["plugin_panel"]> = {
  transient: true,
  inFlight: { work: "panel", id: "plugin", effect: "replace" },
  schema: z.strictObject({ plugin: text, lines: z.array(text).optional() }),
  // Clients that print lines would print the panel again at each change.
  convertToDisplay: (): DisplayAction => ({ display: "hidden" }),
};

export const openRequests: ProjectionDefinition<Readonly<Record<string, OpenRequest>>> = {
  over: "log",
  reads: ["approval_request", "approval_answer"],
  init: () => ({}),
  update(open, event: StoredEvent & Partial<OpenRequest>) {
    if (isEvent(event, "approval_request")) {
      const { requestId, plugin, kind, title, body, options, fallback, data, from } = event;
      const asked = { requestId, plugin, kind, title, ...(body && { body }), ...(options && { options }) };
      const rest = {
        ...(fallback !== undefined && { fallback }),
        ...(data !== undefined && { data }),
        ...(from && { from }),
      };
      return { ...open, [requestId]: { ...asked, ...rest } };
    }
    if (event.type !== "approval_answer" || event.requestId === undefined) return open;
    const { [event.requestId]: _answered, ...others } = open;
    return others;
  },
};
