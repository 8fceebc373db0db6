import { failureText } from "@scorel/kit/values/failure-text";
import { z } from "zod";
import type { AnyEventDefinition } from "../types.ts";

/** The event types that the kernel itself announces. */
export const KERNEL_EVENTS: Record<string, AnyEventDefinition> = {
  epoch: {
    schema: z.strictObject({ epoch: z.string(), reason: z.string(), damage: z.array(z.number()) }),
    durable: true,
    leaf: (_event, current) => current,
    convertToDisplay: (event) => ({ display: "notice", level: "warning", text: `The log lost data: ${event.reason}` }),
  },
  plugin_failure: {
    schema: z.strictObject({
      plugin: z.string(),
      where: z.string(),
      code: z.string(),
      message: z.string(),
      at: z.string().optional(),
    }),
    transient: true,
    convertToDisplay: (event) => ({
      display: "notice",
      level: "warning",
      text: failureText(event),
    }),
  },
  storage_status: {
    schema: z.strictObject({ error: z.string().optional() }),
    transient: true,
    convertToDisplay: (event) =>
      event.error
        ? { display: "notice", level: "error", text: `The session cannot be saved: ${event.error}` }
        : { display: "notice", level: "info", text: "The session is being saved again." },
  },
};
