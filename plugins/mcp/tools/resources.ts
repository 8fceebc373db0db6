import { lineOf } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import type { MentionSource } from "@scorel/mentions/contract";
import type { Tool } from "@scorel/tools/contract";
import { z } from "zod";
import { errors } from "../errors.ts";
import type { Server } from "../servers/server.ts";
import type { Servers } from "../servers/servers.ts";
import type { ListedResource } from "../wire/inventory.ts";
import { resultOf } from "./result.ts";

const MOST_DESCRIPTION = 300;
/** Most characters of a URI that is suggested. */
const MOST_URI = 500;

const oneServer = z.object({ server: z.string().describe("The name of the MCP server.") });
const oneResource = oneServer.extend({ uri: z.string().max(4_000).describe("The address of the resource.") });

/** The tools that list and read resources. Empty if no server has resources. */
export function resourceTools(servers: Servers): Tool[] {
  const names = servers.enabled.filter(({ inventory }) => inventory?.hasResources).map(({ name }) => name);
  if (names.length === 0) return [];
  return [listTool(servers, names), readTool(servers, names)];
}

/** A person is asked, since each call sends data to a third party, unless a rule such as `ReadMcpResource(docs:*)` allows it. */
const asked = { approval: "ask", access: () => "read" as const } as const;

function listTool(servers: Servers, names: readonly string[]): Tool<z.output<typeof oneServer>> {
  return {
    name: "ListMcpResources",
    label: "Resources",
    description: `List what can be read from an MCP server. Servers with resources: ${names.join(", ")}.`,
    parameters: oneServer,
    ...asked,
    about: ({ server }) => lineOf(server),
    async execute(_id, { server: name }, signal = new AbortController().signal) {
      const server = withResources(servers, name);
      const { entries, isCut } = await server.use("resources/list", signal, (connection) =>
        connection.resources(signal),
      );
      const lines = [
        ...entries.map((entry) => lineAbout(entry, server.redact)),
        ...(isCut ? ["There are more, which are not listed."] : []),
      ];
      return resultOf({ content: [{ type: "text", text: lines.join("\n") || "It has none." }] }, server.redact);
    },
  };
}

function readTool(servers: Servers, names: readonly string[]): Tool<z.output<typeof oneResource>> {
  return {
    name: "ReadMcpResource",
    label: "Resource",
    description: `Read a resource of an MCP server (${names.join(", ")}) by its address.`,
    parameters: oneResource,
    ...asked,
    about: ({ server, uri }) => lineOf(`${server}:${uri}`),
    execute: async (_id, { server, uri }, signal = new AbortController().signal) =>
      read(withResources(servers, server), uri, signal),
  };
}

async function read(server: Server, uri: string, signal: AbortSignal) {
  const contents = await server.use(`read ${lineOf(uri).slice(0, 200)}`, signal, (connection) =>
    connection.read(uri, { signal, timeoutMs: server.definition.timeoutMs }),
  );
  return resultOf({ content: contents.map((resource) => ({ type: "resource", resource })) }, server.redact);
}

function withResources(servers: Servers, name: string): Server {
  const server = servers.named(name);
  if (!server.definition.enabled) throw errors.MCP_DISABLED({ server: name });
  return server;
}

function lineAbout({ uri, name, description, mimeType }: ListedResource, redact: Server["redact"]): string {
  const about = [name, mimeType, description].filter((text) => text !== undefined && text !== "") as string[];
  return `${redact(plainText(uri)).slice(0, 500)}  ${redact(lineOf(about.join("; "))).slice(0, MOST_DESCRIPTION)}`;
}

/** Mentions to suggest. Patterns are left out, since a person would have to complete them. */
function suggestions(server: string, resources: readonly ListedResource[] = []): string[] {
  const usable = resources.filter(
    ({ uri }) => uri.length <= MOST_URI && !/[{}\s"]/.test(uri) && plainText(uri) === uri,
  );
  return usable.map(({ uri }) => `${server}:${uri}`);
}

/** Resolves resources that a message mentions as `@server:uri`. */
export function resourceMentions(servers: Servers): MentionSource {
  const found = (word: string) => {
    const [, name = "", uri = ""] = /^([\w-]{1,32}):(.+)$/s.exec(word) ?? [];
    const server = servers.enabled.find((each) => each.name === name);
    return server && { server, uri };
  };
  return {
    takes: (word) => found(word) !== undefined,
    // Makes no request: servers report their resources when they start.
    suggest: () => servers.enabled.flatMap(({ name, inventory }) => suggestions(name, inventory?.resources)),
    async attach(word, signal = new AbortController().signal) {
      const named = found(word);
      return named ? (await read(named.server, named.uri, signal)).content : [];
    },
  };
}
