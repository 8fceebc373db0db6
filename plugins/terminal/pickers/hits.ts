import type { Client, SessionSummary } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import type {} from "@scorel/search/contract";

const MOST = 200;

/** A session in a list, and the text in it that a search has found. */
export interface ListedSession extends SessionSummary {
  hit?: string;
}

/**
 * The sessions in whose messages a text was found, of those that are listed. `project` restricts the search, if the host knows projects. A
 * host that cannot search finds nothing.
 */
export async function sessionsWith(
  client: Client,
  text: string,
  { listed, project, signal }: { listed: readonly ListedSession[]; project: string | undefined; signal: AbortSignal },
): Promise<ListedSession[]> {
  const asked = { text, perSession: 1, limit: MOST };
  const search = (where: { project?: string }) => client.request("search_sessions", { ...asked, ...where }, signal);
  try {
    const { hits } = await search(project === undefined ? {} : { project }).catch((thrown) => {
      if (project === undefined || !codeOf(thrown).includes("PROJECT")) throw thrown;
      return search({});
    });
    const texts = new Map(hits.map((hit) => [hit.sessionId, hit.text]));
    return listed.flatMap((session) => {
      const hit = texts.get(session.sessionId);
      return hit === undefined ? [] : [{ ...session, hit }];
    });
  } catch (thrown) {
    if (codeOf(thrown) === "HOST_OPERATION_UNKNOWN") return [];
    throw thrown;
  }
}
