import { join } from "node:path";
import { userDir } from "@scorel/kit/files/home";
import { takeLock } from "@scorel/kit/files/lock";
import { errors } from "../errors.ts";
import type { Address } from "../servers/definitions.ts";
import type { TokenProvider } from "../wire/http.ts";
import { changeLogin, type Login, readLogin, secretsOf } from "./logins.ts";
import { loginFetch, reasonOf } from "./wire.ts";

/** Milliseconds to wait for another process that is renewing the same token. Renewing takes less. */
const PATIENCE_MS = 60_000;

/** Scopes as OAuth defines them: words without quotes and backslashes, separated by spaces. */
const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** The tokens of a login, for requests to its server. Without a login, a request that is refused throws MCP_LOGIN. */
export class Tokens implements TokenProvider {
  private readonly server: string;
  private readonly way: Address;
  private login: Login | undefined;
  private readonly used = new Set<string>();

  constructor(server: string, way: Address) {
    this.server = server;
    this.way = way;
  }

  /** All tokens that this session has used. They must not be shown. */
  get secrets(): string[] {
    return [...this.used];
  }

  async token(): Promise<string | undefined> {
    this.take(this.login ?? readLogin(this.way.url));
    return this.login?.tokens.access_token;
  }

  /** Called when the server has refused the token. Takes a newer token from the file, or renews it. Throws MCP_LOGIN, MCP_LOGINS. */
  async onUnauthorized(): Promise<void> {
    const refused = this.login?.tokens.access_token;
    if (refused === undefined) throw errors.MCP_LOGIN({ server: this.server });
    const lock = await takeLock(join(userDir(), "logins", "mcp-renew.lock"), PATIENCE_MS);
    try {
      const stored = readLogin(this.way.url);
      if (!stored) throw errors.MCP_LOGIN({ server: this.server });
      // The token has been renewed by another process, or in a new login.
      if (stored.tokens.access_token !== refused) this.take(stored);
      else this.take(await this.renewed(stored));
    } finally {
      lock?.release();
    }
  }

  /** Called when the server requires more scopes than the login has. Stores them for the next login. Throws MCP_LOGIN. */
  async onForbidden(answer: Response): Promise<void> {
    const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
    const { error, scope } = extractWWWAuthenticateParams(answer);
    if (error !== "insufficient_scope" || scope === undefined || !SCOPES.test(scope)) return;
    await changeLogin(this.way.url, (now) => now && { ...now, wantedScope: scope });
    throw errors.MCP_LOGIN({ server: this.server, reason: `for this, it wants the scopes ${scope}` });
  }

  private async renewed(login: Login): Promise<Login> {
    const tokens = await this.renewedTokens(login);
    // While the server answered, the user may have logged out, or in again.
    const kept = await changeLogin(this.way.url, (now) =>
      now?.tokens.access_token === login.tokens.access_token ? { ...now, tokens } : now,
    );
    if (!kept) throw errors.MCP_LOGIN({ server: this.server });
    return kept;
  }

  private async renewedTokens(login: Login): Promise<Login["tokens"]> {
    const { refresh_token: refreshToken } = login.tokens;
    if (refreshToken === undefined) throw errors.MCP_LOGIN({ server: this.server, reason: "the login has expired" });
    try {
      const { refreshAuthorization } = await import("@modelcontextprotocol/client");
      return await refreshAuthorization(login.authorizationServer, {
        metadata: login.metadata as never,
        clientInformation: login.client,
        ...{ refreshToken, fetchFn: loginFetch },
        ...(login.resource !== undefined && { resource: new URL(login.resource) }),
      });
    } catch (thrown) {
      throw errors.MCP_LOGIN({ server: this.server, reason: `the login could not be renewed: ${reasonOf(thrown)}` });
    }
  }

  private take(login: Login | undefined): void {
    this.login = login;
    for (const secret of login ? secretsOf(login) : []) this.used.add(secret);
  }
}
