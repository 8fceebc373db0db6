import type { Invocation } from "@scorel/cli/contract";
import { agrees, answerTo } from "@scorel/kit/terminal/answer";
import { visibleName } from "@scorel/kit/text/plain";
import type { LoginDialog } from "@scorel/mcp/contract";

/** A login dialog over the terminal of a command. `close` closes a question that is still open. */
export function loginDialog(invocation: Invocation): LoginDialog & { close(): void } {
  const { stdout, stdin, interrupt, options } = invocation;
  const over = new AbortController();
  const stopped = new AbortController();
  const ask = async (paste: (address: string) => string | undefined) => {
    const streams = { ...invocation, interrupt: AbortSignal.any([interrupt, over.signal]) };
    while (!over.signal.aborted && stdin.isTTY === true) {
      const given = await answerTo("Or paste the address that the browser ended at: ", streams);
      const flaw = given.trim() === "" ? undefined : paste(given.trim());
      if (flaw === undefined) return;
      stdout.write(`That is not the answer to this login: ${flaw}.\n`);
    }
  };
  return {
    show(address, paste) {
      stdout.write(`Open this address in a browser on this computer:\n\n${visibleName(address)}\n\n`);
      // Ctrl-C at the question ends the login; the question also ends when it is no longer needed.
      void ask(paste).catch((thrown) => over.signal.aborted || stopped.abort(thrown));
    },
    async confirm(page, tokens) {
      if (options.yes) return true;
      if (stdin.isTTY !== true) return false;
      const [shown, other] = [visibleName(page), visibleName(tokens)];
      return agrees(`You log in at ${shown}, and ${other} gets the login. Is that right? [y/N] `, invocation);
    },
    signal: AbortSignal.any([interrupt, stopped.signal]),
    close: () => over.abort(),
  };
}
