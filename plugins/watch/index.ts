import type {} from "@scorel/extensions/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "./contract.ts";

/** Plugin `watch`: reloads a session when its sources change, for clients that ask for it. */
export default definePlugin({
  id: "watch",
  name: "Watch",
  version: "0.1.0",
  scope: "host",
  needs: ["extensions"],
  provides: ["watch"],

  activate({ provide, extensions }) {
    provide("watch", { follow: async (face) => (await import("./follow.ts")).follow(extensions, face) });
  },
});
