import type { CliCommand, FolderOption, Invocation } from "./contract.ts";
import { readOption } from "./option.ts";

/** A command as it is with the options that choose a folder: only one that opens sessions has them. */
export function withFolderOptions(command: CliCommand, options: readonly FolderOption[]): CliCommand {
  if (command.opensSession !== true || options.length === 0) return command;
  return {
    ...command,
    options: [...(command.options ?? []), ...options],
    run: async (invocation) => command.run({ ...invocation, cwd: await folderOf(invocation, options) }),
  };
}

/** The folder that the options choose, one after the other. */
async function folderOf(invocation: Invocation, options: readonly FolderOption[]): Promise<string> {
  let { cwd } = invocation;
  for (const option of options) {
    const value = invocation.options[readOption(option).key];
    if (value !== undefined) cwd = await option.enter(value === true ? "" : String(value), { ...invocation, cwd });
  }
  return cwd;
}

/** Removes options that cannot be used, and reports them. */
export function checkFolderOptions(value: unknown, _plugin: string, report: (flaw: unknown) => void): FolderOption[] {
  const isOption = (each: unknown): each is FolderOption => {
    const { flags, description, enter } = Object(each) as Partial<FolderOption>;
    return typeof flags === "string" && typeof description === "string" && typeof enter === "function";
  };
  const rows: unknown[] = Array.isArray(value) ? value : [value];
  const usable = rows.filter(isOption);
  if (usable.length < rows.length)
    report(new TypeError("folderOptions must be a list of { flags, description, enter }"));
  return usable;
}
