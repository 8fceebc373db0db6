import type {
  DisplayAction,
  EventDefinition,
  EventOf,
  Events,
  ProjectionDefinition,
  StoredEvent,
} from "@scorel/kernel";
import { z } from "zod";
import type { OpenRequest } from "./contract.ts";

const text = z.string();

/** A question hangs beside the conversation, and is on disk before anybody sees it. */
export const approvalRequest: EventDefinition<Events["approval_request"]> = {
  schema: z.strictObject({
    requestId: text.min(1),
    plugin: text,
    kind: z.enum(["select", "confirm", "input"]),
    title: text,
    body: z.array(z.custom<DisplayAction>((value) => typeof value === "object" && value !== null)).optional(),
    options: z
      .array(z.strictObject({ value: text, label: text, message: z.union([text, z.literal(true)]).optional() }))
      .optional(),
    data: z.unknown().optional(),
  }),
  durable: true,
  leaf: (_event, current) => current,
  convertToDisplay: ({ title, body = [] }: EventOf<"approval_request">) => ({
    display: "card",
    title,
    status: "running",
    text: "",
    body,
  }),
};

/** The answer holds only when it is on disk. */
export const approvalAnswer: EventDefinition<Events["approval_answer"]> = {
  schema: z.strictObject({ requestId: text.min(1), answer: text.nullable(), reason: text.optional() }),
  durable: true,
  leaf: (_event, current) => current,
  convertToDisplay: ({ answer, reason }: EventOf<"approval_answer">) =>
    answer === null
      ? { display: "notice", level: "info", text: `Not answered: ${reason ?? "nobody was there"}` }
      : { display: "hidden" },
};

export const openRequests: ProjectionDefinition<Readonly<Record<string, OpenRequest>>> = {
  over: "log",
  reads: ["approval_request", "approval_answer"],
  init: () => ({}),
  update(open, event: StoredEvent & Partial<OpenRequest>) {
    if (event.type === "approval_request") {
      const { requestId, plugin, kind, title, body, options, data } = event as StoredEvent & OpenRequest;
      const asked = { requestId, plugin, kind, title, ...(body && { body }), ...(options && { options }) };
      return { ...open, [requestId]: { ...asked, ...(data !== undefined && { data }) } };
    }
    if (event.type !== "approval_answer" || event.requestId === undefined) return open;
    const { [event.requestId]: _answered, ...others } = open;
    return others;
  },
};
