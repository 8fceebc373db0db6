import { lineOf } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import { shownAddress, shownArguments } from "@scorel/kit/text/secret-free";
import type { McpOffers, McpServerRow } from "./contract.ts";
import { namesOf, type Offer } from "./offer.ts";
import { promptNames } from "./prompts.ts";
import type { Server } from "./servers/server.ts";
import type { Servers } from "./servers/servers.ts";
import { toolNames } from "./tools/names.ts";

/** Describes a server for people and clients, including which tools the model is offered and what the server has asked for. */
export function rowOf(server: Server, servers: Servers, offer: Offer, toolBudget: number): McpServerRow {
  const login = servers.logins.of(server.definition);
  const deferred = offer.deferredOf(server);
  const toolSearch = deferred === undefined ? whenDeferred(offer.tokensOf(server), toolBudget) : undefined;
  const asked = servers.askedBy(server.name);
  return {
    ...stateOf(server),
    ...namesOfValues(server),
    ...(login !== undefined && { login }),
    ...(deferred && deferred.length > 0 && { deferred }),
    ...(toolSearch !== undefined && { toolSearch }),
    ...(asked.length > 0 && { asked }),
  };
}

/** The part of the description that comes from the server alone: definition, state and tools. */
function stateOf(server: Server): McpServerRow {
  const { name, definition, state, version, inventory } = server;
  const { place, way } = definition;
  const [tools, prompts] = [namesOf(server), promptNames(server)];
  const cut = inventory?.isCut ? `only its first ${inventory.tools.length} tools are used` : undefined;
  const problem = server.problem ?? cut;
  const target =
    "url" in way ? shownAddress(way.url) : server.redact([way.command, ...shownArguments(way.args)].join(" "));
  return {
    ...{ name, place, target, state, tools },
    ...(version !== undefined && { version }),
    ...(prompts.length > 0 && { prompts }),
    ...(inventory?.hasResources && { hasResources: true as const }),
    ...(problem !== undefined && { problem }),
  };
}

const MOST_ABOUT = 200;
/** Size in tokens of the smallest context windows that models have. */
const LEAST_WINDOW = 8_000;

/** The tools, prompts and resources of a server, each with a line of its description. */
export function offersOf(server: Server): McpOffers {
  const { listed = [], prompts, inventory } = server;
  const about = (texts: readonly (string | undefined)[]) =>
    server
      .redact(lineOf(firstLine(texts.find((text) => text !== undefined && text.trim() !== "") ?? "")))
      .slice(0, MOST_ABOUT);
  const saying = (offered: readonly string[], all: readonly { name: string; description?: string | undefined }[]) => {
    const names = toolNames(
      server.name,
      all.map((each) => each.name),
    );
    const descriptions = new Map(all.toReversed().map((each) => [names.get(each.name), each.description]));
    return offered.map((name) => ({ name, about: about([descriptions.get(name)]) }));
  };
  return {
    tools: saying(namesOf(server), listed),
    prompts: saying(promptNames(server), prompts),
    resources: (inventory?.resources ?? []).map(({ uri, name, description }) => ({
      uri: server.redact(plainText(uri)).slice(0, MOST_URI),
      about: about([description, name]),
    })),
  };
}

const MOST_URI = 500;
const firstLine = (text: string) => text.trim().split("\n", 1)[0] ?? "";

function namesOfValues({ definition: { way } }: Server): Pick<McpServerRow, "env" | "headers"> {
  const names = Object.keys("url" in way ? way.headers : way.env);
  return names.length === 0 ? {} : "url" in way ? { headers: names } : { env: names };
}

/**
 * Says when the server's tools alone would be deferred: below which context window, or because of `toolBudget`. Only used until the session
 * has decided about all servers.
 */
function whenDeferred(tokens: number, budget: number): string | undefined {
  if (tokens === 0 || budget === 0) return undefined;
  const size = `the descriptions of its tools take about ${tokens} tokens`;
  const window = Math.ceil(tokens / budget);
  if (budget <= 1)
    return window < LEAST_WINDOW ? undefined : `${size}, too many for a context window of less than ${window}`;
  return tokens > budget ? `${size}, more than toolBudget` : undefined;
}
