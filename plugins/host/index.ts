import type {} from "@scorel/cli/contract";
import { type BaseContext, definePlugin, perPlugin } from "@scorel/kernel";
import { renamed } from "@scorel/kernel/containment";
import type {} from "@scorel/logs/contract";
import { z } from "zod";
import { viewFor } from "./clients/plugin-view.ts";
import { sessionCommands } from "./commands/session-commands.ts";
import type { HostService, KnownSessionOptions } from "./contract.ts";
import { checkOptions } from "./contributed-options.ts";
import { createHost, type LocalHost } from "./host.ts";
import { shippedOptions } from "./shipped-options.ts";
import { removeOldOutputsLater } from "./storage/old-outputs.ts";
import { changeFile } from "./storage/shared-file.ts";
import { statusChange } from "./stream/status-change.ts";
import { canonicalDirectory, homeDirectory, projectRoot } from "./workspace.ts";

/** The host of each context, for commands that read files of this computer. Others use the service, which a plugin may have wrapped. */
const locals = new WeakMap<object, LocalHost>();

/** Members that the service `host` had in earlier versions, and where they are now. */
const FORMER = {
  sessionsDir: '"sessionsDir" of the service "sessionLogs"',
  logs: '"logs" of the service "sessionLogs"',
  sessionOptions: '"known" of the service "sessionOptions"',
  changeFile: '"changeFile" of the service "sharedFiles"',
  directory: '"directory" of the service "directories"',
  rootOf: '"rootOf" of the service "directories"',
};

const config = z
  .strictObject({
    concurrentTurns: z
      .int()
      .nonnegative()
      .default(16)
      .describe(
        "Maximum number of turns that run at a time in all sessions; further ones wait. Turns that wait for a person, and turns of sessions with a parent, do not count. 0: no limit",
      ),
  })
  .prefault({});

export default definePlugin({
  id: "host",
  name: "Host",
  version: "0.1.0",
  scope: "host",
  needs: ["composition", "logs"],
  provides: ["host", "sessionLogs", "sessionOptions", "sharedFiles", "directories", "turnOrder"],
  config,
  events: { status_change: statusChange },

  activate(ctx) {
    const told = new Set<string>();
    // Reported here, because nothing else reports options that were left out.
    const tell = ({ message }: Error) => {
      if (!told.has(message)) ctx.find("launch")?.stderr.write(`scorel: ${message}\n`);
      told.add(message);
    };
    const known: KnownSessionOptions["known"] = (taken = []) => {
      const all = [...(ctx.find("launch")?.globalOptions ?? []), ...taken];
      return [
        ...shippedOptions,
        ...ctx.collect("sessionOptions", checkOptions(all, tell)).flatMap(({ value }) => value),
      ];
    };
    const host = createHost({
      composition: ctx.composition,
      logs: ctx.logs,
      logger: ctx.logger,
      sessionOptions: known,
      concurrentTurns: ctx.config.concurrentTurns,
    });
    locals.set(ctx, host);
    ctx.onDispose(
      removeOldOutputsLater(host.sessions.shelf.path, (thrown) =>
        ctx.logger.warn("Old outputs of commands could not be removed", thrown),
      ),
    );
    const directories = {
      directory: canonicalDirectory,
      rootOf: (directory: string) => projectRoot(directory, homeDirectory()),
    };
    // Keeps members of earlier versions for older extensions, which get a notice when they use them.
    const { connect, sessionsDir, logs, lockFile, locked } = host;
    const former = { sessionsDir, logs, sessionOptions: known, changeFile, ...directories, [renamed]: FORMER };
    const views = {
      [perPlugin](this: HostService, plugin: BaseContext) {
        return viewFor(this, plugin);
      },
    };
    ctx.provide("host", { connect, ...former, ...views }, { sealed: false });
    ctx.provide("sessionLogs", { sessionsDir, logs, lockFile, locked });
    ctx.provide("sessionOptions", { known });
    ctx.provide("sharedFiles", { changeFile });
    ctx.provide("directories", directories);
    ctx.provide("turnOrder", { enter: (sessionId) => host.sessions.turns.enter(sessionId) });
    ctx.beforeStop(() => host.sessions.closeAll());
  },

  cliCommands: (ctx) =>
    sessionCommands(
      () => locals.get(ctx) as LocalHost,
      () => ctx.find("host") as HostService,
    ),
  completionSources: (ctx) => [
    {
      kind: "session",
      latest: async ({ cwd }) => {
        const { sessions } = locals.get(ctx) as LocalHost;
        return (await import("./commands/session-views.ts")).latestOf(sessions, cwd);
      },
      values: async ({ cwd }) => {
        const { sessions } = locals.get(ctx) as LocalHost;
        return (await import("./commands/session-views.ts")).completionsOf(sessions, cwd);
      },
    },
  ],
});
