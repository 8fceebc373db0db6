import { type RemoteClient, rightsOf } from "@scorel/host/client";
import type { Rights } from "@scorel/host/contract";
import { createContext, useContext } from "react";

/** What this page may do at a host. */
export interface PageRights extends Rights {
  /** All other changes: names, models, modes, rewinds, projects, the trash, exports. */
  manage: boolean;
}

export const ALL: PageRights = { write: true, answer: true, manage: true };

export const RightsContext = createContext<PageRights>(ALL);

/** What this page may do. Actions that the host would refuse are not offered. */
export function useRights(): PageRights {
  return useContext(RightsContext);
}

/** Asks the host for the rights of this page. `isLimited`: the host refuses what only a token for everything may do. */
export async function pageRights(client: RemoteClient, isLimited: boolean): Promise<PageRights> {
  return { ...(await rightsOf(client)), manage: !isLimited };
}

/** Whether two have the same rights. */
export function isSame(one: PageRights, other: PageRights): boolean {
  const facts = ({ write, answer, manage, lasting, operations }: PageRights) =>
    JSON.stringify([write, answer, manage, lasting, operations]);
  return facts(one) === facts(other);
}
