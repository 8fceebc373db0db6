import { existsSync } from "node:fs";

/**
 * The program that runs a command line in a shell: bash, or sh where there is no bash. The outer shell joins both output streams
 * into one pipe, to keep their order, and then replaces itself with the inner shell.
 */
export function shellFor(command: string): readonly [string, ...string[]] {
  const shell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
  return ["/bin/sh", "-c", 'exec "$0" -c "$1" 2>&1', shell, command];
}
