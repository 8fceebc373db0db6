import type { CliCommand, CliOption, Invocation } from "@scorel/cli/contract";
import type { HostService } from "@scorel/host/contract";
import type { SkillStore } from "@scorel/skillstore/contract";
import type { SourceContext } from "./source-context.ts";

const yes: CliOption = { flags: "--yes", description: "Do not ask" };
const name: CliOption = {
  flags: "--name <name>",
  description: "Its name (default: that of the skill or the archive)",
};

/** Services that the commands look up when they run. */
export interface Finds {
  host(): HostService | undefined;
  store(): SkillStore | undefined;
}

/** The commands `scorel skill add|update|remove`. */
export function sourceCommands({ host, store }: Finds): CliCommand[] {
  const command = (
    action: string,
    args: string,
    description: string,
    options: readonly CliOption[],
    load: () => Promise<(context: SourceContext) => Promise<number>>,
  ): CliCommand => ({
    noun: "skill",
    action,
    args,
    description,
    options: [...options],
    run: async (invocation: Invocation) => {
      const [work, { withSources }] = await Promise.all([load(), import("./source-context.ts")]);
      return withSources({ host: host(), store: store() }, invocation, work);
    },
  });
  return [
    command(
      "add",
      "<source>",
      "Show which skills are in an archive, folder or SKILL.md (path or https://) or a repository (owner/repo[#path]), and add them",
      [name, yes],
      async () => (await import("./add.ts")).add,
    ),
    command(
      "update",
      "[name] [source]",
      "Fetch added skills and archives of [skills] roots again, show what changed, and install it",
      [yes],
      async () => (await import("./update.ts")).update,
    ),
    command("remove", "<name>", "Remove skills that were added", [], async () => (await import("./remove.ts")).remove),
  ];
}
