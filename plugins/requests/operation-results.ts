import { displayAction } from "@scorel/kit/schema/display-action";
import { z } from "zod";

const requestOption = z.strictObject({
  value: z.string(),
  label: z.string(),
  kind: z.enum(["allow_once", "allow_always", "reject_once", "reject_always"]).optional(),
  lasting: z.boolean().optional(),
  needs: z.string().optional(),
  message: z.union([z.string(), z.literal(true)]).optional(),
});
const openRequest = z.strictObject({
  requestId: z.string(),
  plugin: z.string(),
  kind: z.enum(["select", "confirm", "input"]),
  title: z.string(),
  body: z.array(displayAction).optional(),
  options: z.array(requestOption).optional(),
  fallback: z.string().optional(),
  data: z.unknown().optional(),
  from: z.strictObject({ sessionId: z.string(), requestId: z.string(), plugin: z.string() }).optional(),
});
const pluginStatus = z.strictObject({ plugin: z.string(), text: z.string(), shipped: z.literal(true).optional() });
const pluginPanel = z.strictObject({ plugin: z.string(), lines: z.array(z.string()) });
const requestsNow = z.strictObject({
  requests: z.array(openRequest),
  statuses: z.array(pluginStatus),
  panels: z.array(pluginPanel),
});

/** The schemas of the operations' results. */
export const results = {
  list_requests: requestsNow,
  attend_requests: requestsNow,
  answer_request: z.strictObject({ eventId: z.string(), message: z.string().optional() }),
};
