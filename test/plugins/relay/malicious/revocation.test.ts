import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { forgetDevice } from "../../../../plugins/relay/host/devices.ts";
import { base64url } from "../../../../plugins/relay/protocol/bytes.ts";
import { eventually } from "../../../eventually.ts";
import { echoAgent } from "../../host/home.ts";
import { malicious } from "./ground.ts";

declare module "@scorel/kernel" {
  interface Transients {
    count: { count: number };
  }
}

/** A plugin that emits the next number whenever the test calls `next`. */
function counting() {
  const said = { next: () => {} };
  const plugin = definePlugin({
    id: "counting",
    name: "Counting",
    version: "1.0.0",
    events: { count: { schema: z.strictObject({ count: z.number() }), transient: true } },
    activate: (ctx) => {
      let count = 0;
      said.next = () => void ctx.session.emit("count", { count: ++count });
    },
  });
  return { plugin, said };
}

describe("a device that is revoked while a session streams", () => {
  it.each(["passes everything on", "hides that it was revoked, and leads it to the host again"])(
    "receives nothing from then on, whether the relay %s",
    async (what) => {
      const { plugin, said } = counting();
      const ground = await malicious({ plugins: [echoAgent, plugin] });
      const { client } = await ground.connect();
      const { sessionId } = await client.request("create_session", { cwd: ground.cwd });
      let heard = 0;
      await client.subscribe(sessionId, ({ event }) => void (event.type === "count" && heard++));
      let inside = 0;
      await ground.inside.subscribe(sessionId, ({ event }) => void (event.type === "count" && inside++));
      const streaming = setInterval(() => said.next(), 2);
      try {
        await eventually(() => expect(heard).toBeGreaterThan(20));
        if (what.startsWith("hides"))
          ground.meddler.meddle = ({ type, bytes }) => (type === "revoke" || type === "close" ? [] : [bytes]);
        const device = await forgetDevice(base64url(ground.device.id));
        await ground.host.revoke(device.id, BigInt(device.serial));
        const [given, until] = [ground.meddler.last("client").given, heard];
        const before = inside;
        await eventually(() => expect(inside).toBeGreaterThan(before + 200));
        // Events that were on their way during the revocation may still arrive.
        expect(ground.meddler.last("client").given - given).toBeLessThan(5);
        expect(heard - until).toBeLessThan(10);
        expect(ground.host.isConnected(device.id)).toBe(false);
      } finally {
        clearInterval(streaming);
      }
    },
  );
});
