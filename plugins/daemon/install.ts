import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { userHome } from "@scorel/kit/files/home";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { readText } from "@scorel/kit/files/open";
import { removeIfPresent, replaceFile } from "@scorel/kit/files/private";
import { weaknessOf } from "@scorel/kit/files/weakness";
import { wordsOf } from "./background.ts";
import { withConsent } from "./consent.ts";
import type { DaemonContext } from "./context.ts";
import { errors } from "./errors.ts";
import { logFile } from "./run-folder.ts";

/** Marks a service file that Scorel has written, and so may replace. */
const MARK = "Written by: scorel host install";
const LABEL = "scorel-host";

/** A service manager of the user session, which starts programs at login. */
interface Manager {
  path(): string;
  text(command: readonly string[]): string;
  /** The command line to run after the file was written; `end` is the one to run before it is deleted. */
  begin: string;
  end: string;
}

const MANAGERS: Partial<Record<NodeJS.Platform, Manager>> = {
  linux: {
    path: () => join(process.env.XDG_CONFIG_HOME ?? join(userHome(), ".config"), "systemd", "user", `${LABEL}.service`),
    text: systemdUnit,
    begin: `systemctl --user daemon-reload && systemctl --user enable --now ${LABEL}`,
    end: `systemctl --user disable --now ${LABEL}`,
  },
  darwin: {
    path: () => join(userHome(), "Library", "LaunchAgents", `${LABEL}.plist`),
    text: launchdPlist,
    begin: `launchctl load -w ~/Library/LaunchAgents/${LABEL}.plist`,
    end: `launchctl unload -w ~/Library/LaunchAgents/${LABEL}.plist`,
  },
};

/** `scorel host install`: writes a service file, and prints the command that starts the service. It starts nothing itself. */
export async function installCommand(ctx: DaemonContext, invocation: Invocation): Promise<number> {
  const { stdout } = invocation;
  const { path, text, begin } = manager();
  const { print: isPrinted, force: isForced, ...options } = invocation.options;
  const serving = await withConsent(ctx, { ...invocation, options });
  const file = text([
    process.execPath,
    ...process.execArgv,
    process.argv[1] as string,
    "host",
    "serve",
    "--foreground",
    ...wordsOf(ctx, serving),
  ]);
  if (isPrinted === true) {
    stdout.write(file);
    return 0;
  }
  if (isForced !== true) assertOwnFile(path());
  makeFolder(dirname(path()), 0o777);
  assertSafeFolder(dirname(path()));
  replaceFile(path(), file);
  stdout.write(`Written: ${path()}\nTo start the host now and whenever you log in: ${begin}\n`);
  if (ctx.config.idleMinutes > 0)
    stdout.write(
      `Without clients it ends after ${ctx.config.idleMinutes} minutes; idleMinutes = 0 below [daemon] in ~/.scorel/config.toml keeps it.\n`,
    );
  return 0;
}

/** `scorel host uninstall`: deletes the service file. */
export function uninstallCommand({ options, stdout }: Invocation): number {
  const { path, end } = manager();
  if (!lstatSync(path(), { throwIfNoEntry: false })) {
    stdout.write(`There is no service file: ${path()}\n`);
    return 0;
  }
  if (options.force !== true) assertOwnFile(path());
  removeIfPresent(path());
  stdout.write(`Deleted: ${path()}\nIf the service was enabled, this ends it: ${end}\n`);
  return 0;
}

function manager(): Manager {
  const found = MANAGERS[process.platform];
  if (!found) throw errors.DAEMON_NO_MANAGER({ platform: process.platform });
  return found;
}

/** Throws DAEMON_FOREIGN_FILE for a file that Scorel has not written, and for a link. */
function assertOwnFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats && !(stats.isFile() && readText(path).includes(MARK))) throw errors.DAEMON_FOREIGN_FILE({ path });
}

/** Throws DAEMON_SERVICE_FOLDER if other users could replace files in a folder. Links of the user on the way to it are allowed. */
function assertSafeFolder(folder: string): void {
  const path = realpathSync(folder);
  const weakness = weaknessOf(path, statSync(path));
  if (weakness) throw errors.DAEMON_SERVICE_FOLDER({ path, ...weakness });
}

/** A unit of systemd. */
export function systemdUnit(command: readonly string[]): string {
  return `# ${MARK}
[Unit]
Description=Scorel host: sessions that several clients share

[Service]
ExecStart=${command.map((word, index) => systemdWord(word, index > 0)).join(" ")}
Restart=on-failure
TimeoutStopSec=30

[Install]
WantedBy=default.target
`;
}

/** Quotes a word for ExecStart, so that `%h` and `$HOME` are literal. systemd replaces no variables in the program's path. */
function systemdWord(word: string, isArgument: boolean): string {
  const quoted = word.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/%/g, "%%");
  return `"${isArgument ? quoted.replace(/\$/g, "$$$$") : quoted}"`;
}

/** A property list of launchd. */
export function launchdPlist(command: readonly string[]): string {
  const words = command.map((word) => `    <string>${xmlText(word)}</string>`).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${MARK} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>StandardErrorPath</key>
  <string>${xmlText(logFile())}</string>
</dict>
</plist>
`;
}

function xmlText(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
