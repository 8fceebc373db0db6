import type { Invocation } from "@scorel/cli/contract";
import { openFirst, titleWithState } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { answerTo } from "@scorel/kit/terminal/answer";
import { localMinute } from "@scorel/kit/text/local-time";

const SHOWN = 20;

/** Lists the sessions of the directory, those that are open first, and asks for one. Returns its id; undefined for a new session. */
export async function chooseSession(client: Client, invocation: Invocation): Promise<string | undefined> {
  const { stdout, cwd } = invocation;
  const { sessions } = await client.request("list_sessions", { cwd, limit: SHOWN * 5 });
  // Sessions without messages are left out: there is nothing to return to.
  const begun = openFirst(sessions.filter(({ messages }) => messages !== 0)).slice(0, SHOWN);
  if (begun.length === 0) {
    stdout.write("There is no session of this directory yet, so a new one is started.\n");
    return undefined;
  }
  const rows = begun.map(
    (session, index) =>
      `${String(index + 1).padStart(2)}  ${localMinute(session.updatedAt)}  ${titleWithState(session)}`,
  );
  stdout.write(`${rows.join("\n")}\n`);
  for (;;) {
    const answer = (await answerTo("Which session? (its number; Enter: a new one) ", invocation)).trim();
    if (answer === "") return undefined;
    const chosen = /^\d+$/.test(answer) ? begun[Number(answer) - 1] : undefined;
    if (chosen) return chosen.sessionId;
    stdout.write(`Please enter a number from 1 to ${begun.length}.\n`);
  }
}
