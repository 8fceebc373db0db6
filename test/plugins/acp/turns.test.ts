import type { Client } from "@scorel/host/contract";
import { expect, it } from "vitest";
import { Turns } from "../../../plugins/acp/turns.ts";

it.each(["waiting", "connecting"])(
  "a prompt that is cancelled while its client is %s is answered, and asks nothing of the host, which could end a later turn",
  async (away) => {
    const asked: string[] = [];
    const state = { state: "live" };
    const client = {
      clientId: "me",
      state,
      request: (operation: string) => {
        asked.push(operation);
        return operation === "send_message" ? Promise.resolve({ id: "1" }) : new Promise(() => {});
      },
    };
    const turns = new Turns(client as unknown as Client, "s");
    const answered = turns.send({ content: "go", mentions: true }, new AbortController().signal);
    await expect.poll(() => asked).toEqual(["send_message", "wait_turn"]);
    state.state = away;
    await turns.cancel();
    expect([await answered, asked]).toEqual(["cancelled", ["send_message", "wait_turn"]]);
  },
);
