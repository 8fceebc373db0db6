import { Stored } from "@scorel/kit/files/stored";
import { z } from "zod";
import { errors } from "../errors.ts";

const text = z.string().min(1);

/** A stored login at a server: the tokens, and the authorization server that has issued them. */
const loginSchema = z.strictObject({
  /** URL of the authorization server, then its metadata and that of the MCP server, as they were at the login. */
  authorizationServer: text,
  metadata: z.looseObject({ issuer: text, token_endpoint: text }),
  resource: text.optional(),
  client: z.looseObject({ client_id: text, client_secret: z.string().optional() }),
  /** Scopes that a call has needed but the tokens do not have. The next login requests them, too. */
  wantedScope: text.optional(),
  tokens: z.looseObject({ access_token: text, token_type: text, refresh_token: z.string().optional() }),
});
export type Login = z.output<typeof loginSchema>;

const schema = z.strictObject({ version: z.literal(1), servers: z.record(z.string(), loginSchema) });

/**
 * The file `~/.scorel/logins/mcp.json`, which no tool may read. Logins are keyed by the server's URL, since a name can later be given to
 * another server.
 */
const stored = () =>
  new Stored<z.output<typeof schema>>({
    folder: "logins",
    file: "mcp.json",
    schema,
    empty: { version: 1, servers: {} },
    // Without the cause: the message of a JSON parser quotes the text, and so tokens.
    failed: ({ path, problem }) =>
      errors.MCP_LOGINS({ path, reason: /json/i.test(problem) ? "it is damaged" : problem }),
  });

/** Reads the login at a server, by its URL. Throws MCP_LOGINS. */
export function readLogin(address: string): Login | undefined {
  return stored().read().servers[keyOf(address)];
}

/** Stores a login; undefined deletes it. Resolves with whether there was one before. Throws MCP_LOGINS. */
export async function keepLogin(address: string, login: Login | undefined): Promise<boolean> {
  let had = false;
  await changeLogin(address, (before) => {
    had = before !== undefined;
    return login;
  });
  return had;
}

/**
 * Changes the login at a server, which another process may have replaced or deleted since it was read. Resolves with the new one. Throws
 * MCP_LOGINS.
 */
export async function changeLogin(
  address: string,
  change: (now: Login | undefined) => Login | undefined,
): Promise<Login | undefined> {
  const key = keyOf(address);
  const { servers } = await stored().change((now) => {
    const { [key]: before, ...others } = now.servers;
    const login = change(before);
    return login === before ? now : { ...now, servers: login ? { ...others, [key]: login } : others };
  });
  return servers[key];
}

/** The values of a login that are secret. */
export function secretsOf({ client, tokens }: Login): string[] {
  return [tokens.access_token, tokens.refresh_token, client.client_secret].filter((value) => value !== undefined);
}

function keyOf(address: string): string {
  const url = new URL(address);
  url.hash = "";
  return url.href;
}
