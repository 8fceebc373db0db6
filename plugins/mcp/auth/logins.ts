import { Stored } from "@scorel/kit/files/stored";
import { z } from "zod";
import { errors } from "../errors.ts";

const text = z.string().min(1);

/** What is kept of a login at a server: where its tokens come from, and the tokens. */
const loginSchema = z.strictObject({
  /** The address of the authorization server, and its description and that of the server, as they were at the login. */
  authorizationServer: text,
  metadata: z.looseObject({ issuer: text, token_endpoint: text }),
  resource: text.optional(),
  client: z.looseObject({ client_id: text, client_secret: z.string().optional() }),
  /** Scopes that the server wanted since, for a call that the tokens do not allow. The next login asks for them, too. */
  wantedScope: text.optional(),
  tokens: z.looseObject({ access_token: text, token_type: text, refresh_token: z.string().optional() }),
});
export type Login = z.output<typeof loginSchema>;

const schema = z.strictObject({ version: z.literal(1), servers: z.record(z.string(), loginSchema) });

/** The file `~/.scorel/logins/mcp.json`, which no tool may read. Its servers are named by their addresses: a name can be given to another. */
const stored = () =>
  new Stored<z.output<typeof schema>>({
    folder: "logins",
    file: "mcp.json",
    schema,
    empty: { version: 1, servers: {} },
    // Without the cause: the message about a text that is not JSON quotes it, and with it tokens.
    failed: ({ path, problem }) =>
      errors.MCP_LOGINS({ path, reason: /json/i.test(problem) ? "it is damaged" : problem }),
  });

/** Throws MCP_LOGINS. */
export function readLogin(address: string): Login | undefined {
  return stored().read().servers[keyOf(address)];
}

/** Keeps a login; undefined removes it. Resolves with whether there was one. Throws MCP_LOGINS. */
export async function keepLogin(address: string, login: Login | undefined): Promise<boolean> {
  let had = false;
  await stored().change((now) => {
    const { [keyOf(address)]: before, ...others } = now.servers;
    had = before !== undefined;
    if (!had && !login) return now;
    return { ...now, servers: login ? { ...others, [keyOf(address)]: login } : others };
  });
  return had;
}

/** The values of a login that nobody may see. */
export function secretsOf({ client, tokens }: Login): string[] {
  return [tokens.access_token, tokens.refresh_token, client.client_secret].filter((value) => value !== undefined);
}

function keyOf(address: string): string {
  const url = new URL(address);
  url.hash = "";
  return url.href;
}
