import { homedir } from "node:os";
import { join } from "node:path";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/packages/contract";
import type { SkillStore } from "./contract.ts";
import { isAnyStored } from "./lock-file.ts";

/** Fetches skills from archives on the web and on disk, and keeps them as they were when the user agreed. */
export default definePlugin({
  id: "skillstore",
  name: "Skill store",
  version: "0.1.0",
  scope: "host",
  needs: ["archives"],
  provides: ["skillStore"],

  activate(ctx) {
    const home = join(homedir(), ".scorel");
    let made: Promise<SkillStore> | undefined;
    const store = () => {
      made ??= import("./store.ts").then(({ createStore }) =>
        createStore({ home, archives: ctx.archives, files: () => ctx.find("sharedFiles") }),
      );
      return made;
    };
    ctx.provide("skillStore", {
      // Most people have no installed skills, and load nothing for this.
      list: async () => (isAnyStored(home) ? (await store()).list() : []),
      find: async (...given) => (await store()).find(...given),
      root: async (...given) => (await store()).root(...given),
      stage: async (...given) => (await store()).stage(...given),
      remove: async (...given) => (await store()).remove(...given),
    });
  },
});
