import { existsSync, lstatSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** A command of one of the user's extensions, or an option that one adds to the commands of other plugins, for `--help`. */
export interface OwnCommand {
  /** For an option, the noun of the command that has it; empty for an option of all commands that open a session. */
  noun: string;
  /** The usage without `scorel`, such as `deploy <target>`, or the flags of an option, such as `--tone <name>`. */
  usage: string;
  description: string;
  /** The file of the extension, which may have been deleted since. */
  file: string;
}

const LONGEST_BYTES = 256 * 1024;

/** The file in which they are stored for `--help`, which loads no plugin, no configuration and no library. */
export const noteFile = () => join(homedir(), ".scorel", "cache", "commands.json");

/** The commands that the last start has stored. Empty if the file cannot be read, or if another user could have written it. */
export function readOwnCommands(): OwnCommand[] {
  try {
    const path = noteFile();
    if (!isAbsolute(path) || !isOwnFile(path)) return [];
    const commands: unknown = JSON.parse(readFileSync(path, "utf8"));
    return Array.isArray(commands) ? commands.filter(isCommand).filter(({ file }) => existsSync(file)) : [];
  } catch {
    return []; // There is no home directory, or the file is missing or damaged. The next start writes it again.
  }
}

/** Adds these commands to the help of `scorel`, below its own. */
export async function withOwnCommands(help: string, commands: readonly OwnCommand[]): Promise<string> {
  if (commands.length === 0) return help;
  const { visibleText } = await import("@scorel/kit/text/plain");
  // The texts of an extension are not trusted.
  const oneLine = (text: string) => visibleText(text.replace(/\s+/g, " ").trim());
  const shown = (kind: string, own: readonly OwnCommand[]) => {
    const rows = own.map(({ usage, description }) => [oneLine(usage), oneLine(description)] as const);
    const width = Math.max(...rows.map(([usage]) => usage.length));
    const lines = rows.map(([usage, text]) => `  ${usage.padEnd(width)}  ${text}`);
    return rows.length > 0 ? [[`${kind} of your extensions:`, ...lines].join("\n")] : [];
  };
  return help
    .split("\n\n")
    .flatMap((section) => {
      if (section.startsWith("Commands:"))
        return [
          section,
          ...shown(
            "Commands",
            commands.filter((own) => !isOption(own)),
          ),
        ];
      if (section.startsWith("Options:"))
        return [
          section,
          ...shown(
            "Options",
            commands.filter((own) => isOption(own) && own.noun === ""),
          ),
        ];
      return section;
    })
    .join("\n\n");
}

const isOption = ({ usage }: OwnCommand): boolean => usage.startsWith("-");

function isOwnFile(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > LONGEST_BYTES) return false;
  const user = process.getuid?.();
  return user === undefined || (stats.uid === user && (stats.mode & 0o022) === 0);
}

function isCommand(value: unknown): value is OwnCommand {
  const { noun, usage, description, file } = Object(value) as Record<string, unknown>;
  return [noun, usage, description, file].every((text) => typeof text === "string");
}
