import { homedir } from "node:os";
import { join } from "node:path";
import type {} from "@scorel/blobs/contract";
import type {} from "@scorel/cli/contract";
import { definePlugin, type Session } from "@scorel/kernel";
import { artifactCommands } from "./commands.ts";
import type { ArtifactsService, SessionArtifacts } from "./contract.ts";
import { errors } from "./errors.ts";
import { artifact, artifactRemoved } from "./events.ts";
import { operations } from "./operations.ts";
import { Store } from "./store.ts";
import { UserList } from "./user-list.ts";

/** Stores results of tools in versions, each with its lineage. */
export default definePlugin({
  id: "artifacts",
  name: "Artifacts",
  version: "0.1.0",
  scope: "host",
  needs: ["blobs"],
  provides: ["artifacts"],
  events: { artifact, artifact_removed: artifactRemoved },

  activate(ctx) {
    const stores = new WeakMap<Session, SessionArtifacts>();
    const user = new UserList(join(homedir(), ".scorel", "artifacts", "user.json"), () => {
      const files = ctx.find("sharedFiles");
      if (!files) throw errors.ARTIFACT_NO_HOST();
      return files;
    });
    ctx.provide("artifacts", {
      of(session) {
        const store = stores.get(session) ?? new Store(session, ctx.blobs, user);
        stores.set(session, store);
        return store;
      },
    });
  },

  operations: (ctx) => operations((session) => (ctx.find("artifacts") as ArtifactsService).of(session)),
  cliCommands: (ctx) => artifactCommands(() => ctx.find("host")),
});
