import type { McpServerRow } from "./contract.ts";
import { namesOf, type Offer } from "./offer.ts";
import { promptNames } from "./prompts.ts";
import type { Server } from "./servers/server.ts";
import type { Servers } from "./servers/servers.ts";

/** A server as people and clients see it, with what the model is offered of it and what it has asked for. */
export function rowOf(server: Server, servers: Servers, offer: Offer, toolBudget: number): McpServerRow {
  const login = servers.loginOf(server.definition);
  const deferred = offer.deferredOf(server);
  const toolSearch = deferred === undefined ? whenDeferred(offer.tokensOf(server), toolBudget) : undefined;
  const asked = servers.askedBy(server.name);
  return {
    ...server.row(namesOf(server), promptNames(server)),
    ...namesOfValues(server),
    ...(login !== undefined && { login }),
    ...(deferred && deferred.length > 0 && { deferred }),
    ...(toolSearch !== undefined && { toolSearch }),
    ...(asked.length > 0 && { asked }),
  };
}

function namesOfValues({ definition: { way } }: Server): Pick<McpServerRow, "env" | "headers"> {
  const names = Object.keys("url" in way ? way.headers : way.env);
  return names.length === 0 ? {} : "url" in way ? { headers: names } : { env: names };
}

/** When its tools alone would be deferred, before a session has decided about those of all servers. */
function whenDeferred(tokens: number, budget: number): string | undefined {
  if (tokens === 0 || budget === 0) return undefined;
  const size = `the descriptions of its tools take about ${tokens} tokens`;
  if (budget <= 1) return `${size}, too many for a context window of less than ${Math.ceil(tokens / budget)}`;
  return tokens > budget ? `${size}, more than toolBudget` : undefined;
}
