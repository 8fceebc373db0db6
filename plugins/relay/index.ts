import { definePlugin } from "@scorel/kernel";

/** Plugin `relay`: hosts that are reached through a relay, which carries what it cannot read. */
export default definePlugin({
  id: "relay",
  name: "Relay",
  version: "0.1.0",
  scope: "host",
});
