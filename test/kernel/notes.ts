import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

declare module "@scorel/kernel" {
  interface Events {
    note: { text: string };
    aside: { text: string };
    jump: { to: string | null };
  }
  interface Transients {
    tick: { n: number };
  }
}

/** A plugin with one event type of each kind: path, side, jump and transient. */
export const notes = definePlugin({
  id: "notes",
  name: "Notes",
  version: "1.0.0",
  events: {
    note: {
      schema: z.strictObject({ text: z.string() }),
      convertToLlm: (event) => ({ action: "include", message: event.text }),
    },
    aside: { schema: z.strictObject({ text: z.string() }), leaf: (_event, current) => current },
    jump: { schema: z.strictObject({ to: z.string().nullable() }), leaf: (event) => event.to },
    tick: { schema: z.strictObject({ n: z.number() }), transient: true },
  },
});
