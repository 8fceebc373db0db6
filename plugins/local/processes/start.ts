import { spawn } from "node:child_process";
import { codeOf } from "@scorel/kernel";
import { withoutInherited } from "@scorel/kit/process/inherited";
import { shellFor } from "@scorel/kit/process/shell";
import { MARK } from "@scorel/kit/process/tree";
import type { ProcessRequest } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Shell } from "./ready-shell.ts";

/** Starts a command's program in a process group of its own, with `mark` in its environment. Throws LOCAL_SHELL when it cannot be started. */
export async function startShell({ command, cwd, env }: ProcessRequest, mark: string): Promise<Shell> {
  const [shell, ...args] = typeof command === "string" ? shellFor(command) : joined(command);
  const child = withoutInherited(["ignore", "pipe", "ignore"], (stdio) =>
    spawn(shell, args, { cwd, env: { ...env, [MARK]: mark }, detached: true, stdio }),
  );
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(errors.LOCAL_SHELL({ shell, reason: codeOf(error) }, { cause: error })));
  });
  return { child, mark };
}

/** Joins the streams of a program too, since a sandbox reports start errors on stderr. */
function joined(program: readonly string[]): readonly [string, ...string[]] {
  return ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh", ...program];
}
