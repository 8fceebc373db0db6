import type { AnyPlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { z } from "zod";
import { metaAt } from "../../plugins/kit/schema/keys.ts";
import type { TrustMark } from "../../plugins/trust/loader.ts";
import { catalogue, loadShipped } from "../../presets/catalogue.ts";

/**
 * What a repository could do to its user with each key of each shipped plugin. Add each new key: `weakens` if a value can
 * remove a protection of the user, `redirect` if it decides where prompts or API keys are sent, `code` if it names a program.
 * These are marked in the plugin's schema with `.meta({ trust: { kind, could } })`.
 */
const kinds: Record<string, "weakens" | "redirect" | "code" | "harmless"> = {
  "agent.callsPerReply": "harmless",
  "agent.idleTimeout": "harmless",
  "agent.retries": "harmless",
  "checkpoints.maxFileBytes": "weakens",
  "checkpoints.maxFiles": "weakens",
  "checkpoints.maxScanMs": "weakens",
  "checkpoints.maxTurnBytes": "weakens",
  "compaction.keep": "harmless",
  "compaction.layers": "harmless",
  "compaction.step": "harmless",
  "compaction.threshold": "harmless",
  "compaction.turns": "harmless",
  // Host plugins, whose tables a project cannot set.
  "daemon.idleMinutes": "harmless",
  "host.concurrentTurns": "harmless",
  "subagents.parallel": "harmless",
  "projects.roots": "harmless",
  "relay.page": "harmless",
  // Only the user's own value counts.
  "relay.url": "harmless",
  "web-server.names": "harmless",
  "web-server.origins": "harmless",
  "web-server.pages": "harmless",
  "web.pushContact": "harmless",
  "web.pushServices": "harmless",
  "fetch.maxBytes": "harmless",
  "fetch.timeout": "harmless",
  "images.maxBytes": "harmless",
  "images.maxSide": "harmless",
  "images.timeout": "harmless",
  ...keysOfModels("model"),
  ...keysOfModels("models.*"),
  ...Object.fromEntries(
    "args command cwd enabled env.* headers.* name oauth.callbackPort oauth.clientId oauth.clientSecret ofPreset ofProject projects timeout tools url"
      .split(" ")
      .map((key) => [`mcp.servers.*.${key}`, "code"] as const),
  ),
  // Only the user's own value counts.
  "mcp.sampling": "harmless",
  "mcp.toolBudget": "harmless",
  "mcp.variables": "harmless",
  "mcp.wait": "harmless",
  // A project's rules that deny or ask only narrow, and a wider mode has no effect in a project.
  "permissions.allow": "weakens",
  "permissions.ask": "harmless",
  "permissions.deny": "harmless",
  "permissions.mode": "harmless",
  "permissions.read": "weakens",
  "permissions.readers": "harmless",
  "permissions.unknown": "harmless",
  "prompt.user": "weakens",
  "runner.allow": "weakens",
  "runner.deny": "harmless",
  "runner.env.*": "weakens",
  "runner.host": "weakens",
  "runner.network": "weakens",
  "sandbox.cpuSeconds": "weakens",
  // A project cannot choose to have none.
  "sandbox.executor": "harmless",
  "sandbox.fileBytes": "weakens",
  "sandbox.image": "code",
  "sandbox.memoryBytes": "weakens",
  "sandbox.processes": "weakens",
  "sandbox.read": "weakens",
  "sandbox.seconds": "weakens",
  "skills.allowHosts": "weakens",
  "skills.disabled": "harmless",
  // Texts for the model, which the project's instructions could contain as well.
  "skills.guidance": "weakens",
  "skills.load": "harmless",
  "skills.overview": "harmless",
  "skills.placement": "harmless",
  "skills.reattach": "harmless",
  "skills.roots": "weakens",
  "terminal.colors.*.*": "harmless",
  "terminal.keys.*": "harmless",
  "terminal.language": "harmless",
  "terminal.mouse": "harmless",
  "terminal.images": "harmless",
  "terminal.notify": "harmless",
  "terminal.theme": "harmless",
  "tools.allow": "weakens",
  "tools.bash.network": "weakens",
  "tools.bash.sandbox": "weakens",
  "tools.preset": "weakens",
  "tools.replace": "weakens",
  "tools.without": "weakens",
};

function keysOfModels(table: string): typeof kinds {
  const keys = {
    api: "harmless",
    apiKeyEnv: "redirect",
    baseUrl: "redirect",
    contextWindow: "harmless",
    "cost.cacheRead": "harmless",
    "cost.cacheWrite": "harmless",
    "cost.input": "harmless",
    "cost.output": "harmless",
    "headers.*": "redirect",
    id: "harmless",
    idleTimeout: "harmless",
    input: "harmless",
    maxTokens: "harmless",
    provider: "redirect",
    reasoning: "harmless",
    type: "harmless",
  } as const;
  return Object.fromEntries(Object.entries(keys).map(([key, kind]) => [`${table}.${key}`, kind]));
}

interface Node {
  anyOf?: Node[];
  oneOf?: Node[];
  allOf?: Node[];
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  items?: Node;
}

/** The paths of all values in a schema; `*` stands for any key of a record. */
function* pathsIn(node: Node, path: string[]): Generator<string[]> {
  const inner = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])].map((each) => ({
    each,
    at: path,
  }));
  for (const [key, each] of Object.entries(node.properties ?? {})) inner.push({ each, at: [...path, key] });
  const { additionalProperties: more, items } = node;
  if (typeof more === "object" && Object.keys(more).length > 0) inner.push({ each: more, at: [...path, "*"] });
  if (items?.properties) inner.push({ each: items, at: [...path, "*"] });
  for (const { each, at } of inner) yield* pathsIn(each, at);
  if (inner.length === 0 && path.length > 0) yield path;
}

function marked({ id, config }: AnyPlugin): [string, string][] {
  if (!config) return [];
  const schema = z.toJSONSchema(config, { io: "input", unrepresentable: "any" }) as Node;
  return [...pathsIn(schema, [])].map((path) => {
    const mark = metaAt(config, path, "trust") as TrustMark | undefined;
    return [[id, ...path].join("."), mark === undefined ? "harmless" : mark.could ? mark.kind : "marked without words"];
  });
}

it("every key that could weaken, redirect or run code is marked for the question about trust", async () => {
  const plugins = await loadShipped(Object.keys(catalogue));
  expect(Object.fromEntries([...plugins.values()].flatMap(marked))).toEqual(kinds);
});
