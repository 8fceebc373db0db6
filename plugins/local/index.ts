import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type BaseContext, definePlugin } from "@scorel/kernel";
import type {} from "@scorel/workspace/contract";
import type { FilesService } from "./contract.ts";
import type { LocalProcesses } from "./processes/processes.ts";

/** Plugin `local`: the files and processes of this computer, for tools. Other executors replace it. */
export default definePlugin({
  id: "local",
  name: "Local files and processes",
  version: "0.1.0",
  provides: ["files", "processes"],

  activate(ctx) {
    const folder = join(ctx.find("workspace")?.home ?? homedir(), ".scorel", "processes");
    const ended = endLeftBehind(ctx, folder);
    let made: Promise<LocalProcesses> | undefined;
    const processes = () => (made ??= makeProcesses(ctx, folder));
    ctx.beforeStop(async () => (await made)?.endAll());
    ctx.provide("files", lazyFiles());
    ctx.provide("processes", { local: true, start: async (request) => (await processes()).start(request) });
    return async () => {
      await (await made)?.close();
      await ended;
    };
  },
});

/** Loads the code with the first call. */
function lazyFiles(): FilesService {
  const files = () => import("./files/files.ts");
  return {
    local: true,
    realpath: async (path, options) => (await files()).realpath(path, options),
    stat: async (path, options) => (await files()).stat(path, options),
    read: async (path, options) => (await files()).read(path, options),
    write: async (path, bytes, options) => (await files()).write(path, bytes, options),
    list: async (folder, options) => (await files()).list(folder, options),
    search: async (path, options) => (await import("./files/search.ts")).search(path, options),
  };
}

async function makeProcesses(ctx: BaseContext, folder: string): Promise<LocalProcesses> {
  const { LocalProcesses } = await import("./processes/processes.ts");
  return new LocalProcesses(folder, ctx.session.id, (thrown) => ctx.report("processes", thrown));
}

/** Ends commands that a session left behind when its process was killed. */
function endLeftBehind(ctx: BaseContext, folder: string): Promise<void> | undefined {
  if (isEmpty(folder)) return undefined;
  const report = (thrown: unknown) => ctx.report("commands left behind", thrown);
  return import("@scorel/kit/process/ledger").then(({ endSurvivors }) => endSurvivors(folder, report));
}

/** Whether no session has recorded a running command. */
function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true; // No command was ever run.
  }
}
