import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "./contract.ts";
import { operations } from "./operations.ts";
import type { CommandRegistry } from "./registry.ts";
import { RunningCommands } from "./running-commands.ts";

/** Plugin `commands`: slash commands of all plugins and Markdown files, and the built-in ones. */
export default definePlugin({
  id: "commands",
  name: "Commands",
  version: "0.1.0",

  activate(ctx) {
    const running = new RunningCommands();
    let registry: Promise<CommandRegistry> | undefined;
    // Loaded by the first operation that needs it.
    const commands = () => {
      registry ??= import("./registry.ts").then(({ CommandRegistry }) => new CommandRegistry(ctx));
      return registry;
    };
    return { operations: () => operations(ctx, { running, commands }) };
  },
});
