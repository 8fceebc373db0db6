import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));

/**
 * Installs a program `ssh` for a PATH. Like the real one it starts a shell, which prints a line before it runs the
 * command; "the other computer" is this one. The program records its arguments, one per line.
 */
export function fakeSsh(folder: string, { hasScorel = true, home = "" } = {}) {
  const [own, other] = [join(folder, "bin"), join(folder, "other-bin")];
  for (const each of [own, other]) mkdirSync(each, { recursive: true });
  const args = join(folder, "ssh-arguments");
  const program = (path: string, ...lines: string[]) => {
    writeFileSync(path, `#!/bin/sh\n${lines.join("\n")}\n`);
    chmodSync(path, 0o755);
  };
  program(
    join(own, "ssh"),
    `printf '%s\\n' "$@" > '${args}'`,
    'while [ "$1" != "--" ]; do shift; done',
    "shift 2",
    "echo 'Welcome. Nothing of this is a message.'",
    "printf 'last login: \\033]0;title\\007never\\n' >&2",
    `export PATH='${other}:/usr/bin:/bin' SSH_CONNECTION=none`,
    ...(home === "" ? [] : [`export HOME='${home}'`]),
    `touch '${folder}/ssh-running-'$$`,
    'sh -c "$*"',
    `ended=$?; rm '${folder}/ssh-running-'$$; exit $ended`,
  );
  if (hasScorel) program(join(other, "scorel"), `exec '${process.execPath}' '${BIN}' "$@"`);
  return {
    path: `${own}${delimiter}${process.env.PATH}`,
    running: () => readdirSync(folder).filter((name) => name.startsWith("ssh-running-")),
    /** The arguments of the last call. */
    args: () => readFileSync(args, "utf8").trimEnd().split("\n"),
  };
}
