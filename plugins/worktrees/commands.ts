import type { CliCommand, CliOption, FolderOption, Invocation } from "@scorel/cli/contract";
import { outputOption } from "@scorel/kit/terminal/output-option";
import type { Context } from "./context.ts";

const commit: CliOption = { flags: "--commit", description: "First commit what is not committed there" };

/** The commands `scorel worktree list|merge|remove`. */
export function worktreeCommands(ctx: Context): CliCommand[] {
  type Actions = typeof import("./actions.ts")["actions"];
  const command = (action: keyof Actions, args: string, description: string, options: CliOption[]): CliCommand => ({
    noun: "worktree",
    action,
    ...(action === "list" && { otherActions: { ls: "list", rm: "remove", delete: "remove" } }),
    ...(args !== "" && { args }),
    description,
    options,
    run: async (invocation: Invocation) => (await import("./actions.ts")).actions[action](ctx, invocation),
  });
  return [
    command("list", "", "List the worktrees of this repository that were created with --worktree", [outputOption]),
    command("merge", "<name>", "Merge a worktree's branch into the branch that is checked out, and remove both", [
      commit,
      { flags: "--keep", description: "Keep the worktree and its branch" },
    ]),
    command("remove", "<name>", "Remove a worktree; its branch stays unless it is merged", [
      commit,
      { flags: "--discard", description: "Remove its branch, too, and with it what is not merged" },
    ]),
  ];
}

/** The option `--worktree [name]` of commands that open sessions. */
export function worktreeOption(ctx: Context): FolderOption {
  return {
    flags: "-w, --worktree [name]",
    description: "Work in a git worktree of this repository, which is created if there is none of that name",
    enter: async (value, invocation) => (await import("./actions.ts")).enterWorktree(ctx, value, invocation),
    leave: async (folder, { stderr }) => {
      const { leftIn } = await import("./list.ts");
      // The command has ended, and a failure of git must not change its exit code.
      stderr.write(await leftIn(folder).catch(() => ""));
    },
  };
}
