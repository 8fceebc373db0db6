import type { Invocation } from "@scorel/cli/contract";
import { visibleText } from "@scorel/kit/text/plain";

/** Says that code is about to run that no question about trust covers, because it is in no folder of extensions. */
export function tellRun(path: string, { stderr }: Pick<Invocation, "stderr">): void {
  stderr.write(visibleText(`Running ${path} with your rights: no question about trust covers this path.\n`));
}
