import type { Invocation } from "@scorel/cli/contract";
import { visibleText } from "@scorel/kit/text/plain";

/** Prints a warning that code is about to run without a question about trust, because it is in no folder of extensions. */
export function tellRun(path: string, { stderr }: Pick<Invocation, "stderr">): void {
  stderr.write(visibleText(`Running ${path} with your rights: no question about trust covers this path.\n`));
}
