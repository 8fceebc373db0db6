import type { Invocation } from "@scorel/cli/contract";
import { openFirst, projectSessions, titleWithState } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { seenFrom } from "@scorel/kit/files/paths";
import { answerTo } from "@scorel/kit/terminal/answer";
import { localMinute } from "@scorel/kit/text/local-time";
import { lineOf } from "@scorel/kit/text/one-line";

const SHOWN = 20;

/** Lists the sessions of the project, those that are open first, and asks for one. Returns its id; undefined for a new session. */
export async function chooseSession(client: Client, invocation: Invocation): Promise<string | undefined> {
  const { stdout, cwd } = invocation;
  const { sessions } = await projectSessions(client, { cwd }, { limit: SHOWN * 5 });
  // Sessions without messages are left out: there is nothing to return to.
  const begun = openFirst(sessions.filter(({ messages }) => messages !== 0)).slice(0, SHOWN);
  if (begun.length === 0) {
    stdout.write("There is no session of this project yet, so a new one is started.\n");
    return undefined;
  }
  const rows = begun.map((session, index) => {
    const place = lineOf(seenFrom(cwd, session.cwd));
    const start = `${String(index + 1).padStart(2)}  ${localMinute(session.updatedAt)}  ${titleWithState(session)}`;
    return place === "" ? start : `${start}  (${place})`;
  });
  stdout.write(`${rows.join("\n")}\n`);
  for (;;) {
    const answer = (await answerTo("Which session? (its number; Enter: a new one) ", invocation)).trim();
    if (answer === "") return undefined;
    const chosen = /^\d+$/.test(answer) ? begun[Number(answer) - 1] : undefined;
    if (chosen) return chosen.sessionId;
    stdout.write(`Please enter a number from 1 to ${begun.length}.\n`);
  }
}
