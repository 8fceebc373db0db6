/** Notes that stay in sight: `/pin <text>` adds one to a panel, and `/unpin`, or Alt-U, chooses one to take off; save it in `~/.scorel/extensions`. */
import { definePlugin, type EventOf, isEvent } from "@scorel/kernel";
import { z } from "zod";

const pin = z.strictObject({ text: z.string().min(1).max(200), gone: z.boolean() });
type Pin = z.output<typeof pin>;

declare module "@scorel/kernel" {
  interface Events {
    pin: Pin;
  }
  interface Projections {
    pins: readonly string[];
  }
}

export default definePlugin({
  id: "pins",
  name: "Pins",
  version: "1.0.0",
  events: {
    pin: {
      schema: pin,
      // It belongs to the session and its copies, and not to one branch of the conversation.
      leaf: (_event: EventOf<"pin">, current) => current,
      copied: "all",
      convertToDisplay: ({ text, gone }: EventOf<"pin">) => ({
        display: "notice",
        level: "info",
        text: `${gone ? "Unpinned" : "Pinned"}: ${text}`,
      }),
    },
  },
  projections: {
    pins: {
      over: "log",
      reads: ["pin"],
      init: (): readonly string[] => [],
      update: (pins: readonly string[], event) => {
        if (!isEvent(event, "pin")) return pins;
        return [...pins.filter((each) => each !== event.text), ...(event.gone ? [] : [event.text])];
      },
    },
  },
  activate({ session, ui }) {
    /** The panel above the field, and an item of the status line. */
    const show = () => {
      const pins = session.projection("pins");
      ui.panel(pins);
      ui.status(pins.length === 0 ? undefined : `${pins.length} pinned`);
    };
    return {
      onEvent({ type }) {
        if (type === "session_start" || type === "pin") show();
      },
      commands: () => ({
        pin: {
          summary: "Keep a note in sight",
          args: z.object({ text: z.string() }),
          run: async ({ text }: { text: string }) => void (await session.append("pin", { text, gone: false })),
        },
        unpin: {
          summary: "Take a note off the panel",
          // A key, and a list that opens when the command is given without a note.
          keys: "alt+u",
          choices: () => session.projection("pins").map((text) => ({ value: text, preview: `You pinned:\n\n${text}` })),
          args: z.object({ text: z.string() }),
          run: async ({ text }: { text: string }) => void (await session.append("pin", { text, gone: true })),
        },
      }),
    };
  },
});
