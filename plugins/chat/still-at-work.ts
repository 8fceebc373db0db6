import type {} from "@scorel/commands/contract";
import type { Client } from "@scorel/host/contract";
import { lineOf } from "@scorel/kit/text/one-line";

/** Milliseconds that somebody who leaves waits for the answer at most. */
const MOST_MS = 1_000;

/**
 * What still goes on in the background of a session that somebody leaves, in words, by commas. Empty if the host does not say so soon, as one
 * that is ending, or an older one: nobody is kept from leaving for the want of this line.
 */
export async function stillAtWork(client: Client, sessionId: string): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(""), MOST_MS);
  });
  const asked = client.request("list_background", { sessionId }).then(
    ({ items }) => items.map(({ title }) => lineOf(title)).join(", "),
    () => "",
  );
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
