import { type RemoteClient, rightsOf } from "@scorel/host/client";
import type { Rights } from "@scorel/host/contract";
import { createContext, useContext } from "react";

/** What the token of this page allows. */
export interface PageRights extends Rights {
  /** Everything else that changes something: names, models, modes, going back, projects, the trash, exports. */
  manage: boolean;
}

export const ALL: PageRights = { write: true, answer: true, manage: true };

export const RightsContext = createContext<PageRights>(ALL);

/** What this page may do. What the host would refuse is not offered. */
export function useRights(): PageRights {
  return useContext(RightsContext);
}

/** `isLimited`: the host refuses what only a token for everything may do. */
export async function pageRights(client: RemoteClient, isLimited: boolean): Promise<PageRights> {
  return { ...(await rightsOf(client)), manage: !isLimited };
}

/** Whether two are the same in all that a host can say. */
export function isSame(one: PageRights, other: PageRights): boolean {
  const facts = ({ write, answer, manage, lasting, operations }: PageRights) =>
    JSON.stringify([write, answer, manage, lasting, operations]);
  return facts(one) === facts(other);
}
