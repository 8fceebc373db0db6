import type { CliCommand, FolderOption } from "./contract.ts";
import { readOption } from "./option.ts";

/** Adds the options that choose a folder to a command that opens sessions. Returns other commands as they are. */
export function withFolderOptions(command: CliCommand, options: readonly FolderOption[]): CliCommand {
  if (command.opensSession !== true || options.length === 0) return command;
  return {
    ...command,
    options: [...(command.options ?? []), ...options],
    run: async (invocation) => {
      const entered: { option: FolderOption; folder: string }[] = [];
      let { cwd } = invocation;
      try {
        for (const option of options) {
          const value = invocation.options[readOption(option).key];
          if (value === undefined) continue;
          cwd = await option.enter(value === true ? "" : String(value), { ...invocation, cwd });
          entered.push({ option, folder: cwd });
        }
        return await command.run({ ...invocation, cwd });
      } finally {
        for (const { option, folder } of entered.reverse()) await option.leave?.(folder, invocation);
      }
    },
  };
}

/** Removes options that cannot be used, and reports them. */
export function checkFolderOptions(value: unknown, _plugin: string, report: (flaw: unknown) => void): FolderOption[] {
  const isOption = (each: unknown): each is FolderOption => {
    const { flags, description, enter, leave = () => {} } = Object(each) as Partial<FolderOption>;
    const areFunctions = typeof enter === "function" && typeof leave === "function";
    return typeof flags === "string" && typeof description === "string" && areFunctions;
  };
  const rows: unknown[] = Array.isArray(value) ? value : [value];
  const usable = rows.filter(isOption);
  if (usable.length < rows.length)
    report(new TypeError("folderOptions must be a list of { flags, description, enter }"));
  return usable;
}
