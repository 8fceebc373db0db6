import { randomBytes } from "node:crypto";
import type { FetchLike, OAuthServerInfo } from "@modelcontextprotocol/client";
import type { LoginDialog } from "../contract.ts";
import type { Address } from "../servers/definitions.ts";
import { limitedFetch } from "../wire/http.ts";
import { type Answer, type Callback, listen } from "./callback.ts";
import { keepLogin, type Login, readLogin } from "./logins.ts";
import { LoginFlaw, loginFetch, secure, untilAnswered } from "./wire.ts";

type Sdk = typeof import("@modelcontextprotocol/client");
type Metadata = NonNullable<OAuthServerInfo["authorizationServerMetadata"]>;
/** The authorization server of a login, and what the tokens are for. */
interface Site {
  authorizationServer: string;
  metadata: Metadata;
  resource: URL | undefined;
  scope: string | undefined;
}

/** Milliseconds that a person may take to log in. */
const PATIENCE_MS = 15 * 60_000;

/**
 * Logs in at the server's authorization server in the person's browser, and stores the tokens. Rejects with a LoginFlaw, errors of the SDK,
 * or MCP_LOGINS.
 */
export async function login(
  way: Address,
  callbackPort: number | undefined,
  dialog: LoginDialog,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const sdk = await import("@modelcontextprotocol/client");
  const fetchFn: FetchLike = (url, init) => {
    const signals = [dialog.signal, ...(init?.signal ? [init.signal] : [])];
    return loginFetch(url, { ...init, signal: AbortSignal.any(signals) });
  };
  const site = await siteOf(sdk, way, fetchFn, dialog.signal);
  await confirmed(site, dialog);
  const state = randomBytes(32).toString("base64url");
  const callback = await listen(state, callbackPort);
  try {
    await keepLogin(way.url, await loginOver(sdk, site, { way, state, callback, dialog, fetchFn, patienceMs }));
  } finally {
    await callback.close();
  }
}

/** The server answers without a login, and does not name an authorization server. */
export class NoLogin extends Error {}

interface Attempt {
  way: Address;
  state: string;
  callback: Callback;
  dialog: LoginDialog;
  /** `fetch` for the authorization server, which ends when the person stops the login. */
  fetchFn: FetchLike;
  patienceMs: number;
}

/** Opens the login page for the person, and exchanges the code that the browser brings back for tokens. */
async function loginOver(sdk: Sdk, site: Site, attempt: Attempt): Promise<Login> {
  const { state, callback, dialog, fetchFn } = attempt;
  const { authorizationServer, metadata, resource, scope } = site;
  const client = await clientOf(sdk, site, attempt);
  const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(authorizationServer, {
    ...{ metadata, clientInformation: client, redirectUrl: callback.address, state },
    ...(scope !== undefined && { scope }),
    ...(resource && { resource }),
  });
  dialog.show(secure(authorizationUrl).href, (address) => callback.paste(address));
  const { code, iss } = await answerOf(attempt);
  const tokens = await sdk.exchangeAuthorization(authorizationServer, {
    ...{ metadata, clientInformation: client, authorizationCode: code, codeVerifier },
    ...{ redirectUri: callback.address, fetchFn },
    ...(iss !== undefined && { iss }),
    ...(resource && { resource }),
  });
  return {
    ...{ authorizationServer, metadata: metadata as Login["metadata"], client, tokens },
    ...(resource && { resource: resource.href }),
  };
}

/** Waits for the browser. */
async function answerOf({ callback, dialog, patienceMs }: Attempt): Promise<Answer> {
  const late = AbortSignal.timeout(patienceMs);
  return callback.answer(AbortSignal.any([dialog.signal, late])).catch((thrown: unknown) => {
    throw thrown === late.reason ? new LoginFlaw("nobody has logged in within the time limit") : thrown;
  });
}

/** Asks the server for its authorization server. */
async function siteOf(sdk: Sdk, { url, headers }: Address, fetchFn: FetchLike, signal: AbortSignal): Promise<Site> {
  const { isOpen, resourceMetadataUrl, scope } = await challengeOf(sdk, url, headers, signal);
  const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = await sdk.discoverOAuthServerInfo(
    url,
    { fetchFn, ...(resourceMetadataUrl && { resourceMetadataUrl }) },
  );
  if (!authorizationServerMetadata && isOpen) throw new NoLogin();
  if (!authorizationServerMetadata) throw new LoginFlaw("it does not say where to log in");
  for (const endpoint of endpointsOf(authorizationServerMetadata)) secure(endpoint);
  const asked = together(scope ?? resourceMetadata?.scopes_supported?.join(" "), readLogin(url)?.wantedScope);
  return {
    authorizationServer: String(authorizationServerUrl),
    metadata: authorizationServerMetadata,
    // Checks that the server's metadata belongs to this URL.
    resource: await sdk.selectResourceURL(url, {} as never, resourceMetadata),
    scope: asked,
  };
}

/** Joins lists of scopes, without duplicates; undefined if there are none. */
function together(...texts: readonly (string | undefined)[]): string | undefined {
  const scopes = new Set(texts.flatMap((text) => text?.split(" ") ?? []).filter((scope) => scope !== ""));
  return scopes.size === 0 ? undefined : [...scopes].join(" ");
}

/** The server's response to a request without a token. */
async function challengeOf(sdk: Sdk, url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
  // `initialize` is the first message of a connection: a server may refuse any other before it.
  const params = {
    protocolVersion: sdk.LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: "scorel", version: "0" },
  };
  const message = { jsonrpc: "2.0", id: 0, method: "initialize", params };
  const response = await limitedFetch(url, {
    method: "POST",
    redirect: "manual",
    headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify(message),
    signal: untilAnswered(signal),
  });
  await response.body?.cancel();
  return { ...sdk.extractWWWAuthenticateParams(response), isOpen: response.ok };
}

function endpointsOf({ authorization_endpoint, token_endpoint, registration_endpoint }: Metadata): string[] {
  return [authorization_endpoint, token_endpoint, ...(registration_endpoint ? [registration_endpoint] : [])];
}

/**
 * Lets the person confirm it if the host that gets the code differs from the host of the login page. Otherwise a malicious server could use
 * an honest login page, and have the code sent to itself.
 */
async function confirmed({ metadata }: Site, dialog: LoginDialog): Promise<void> {
  const [page, tokens] = [metadata.authorization_endpoint, metadata.token_endpoint].map((each) => new URL(each).host);
  if (page === tokens) return;
  if (!(await dialog.confirm(page as string, tokens as string)))
    throw new LoginFlaw(
      `you would log in at ${page}, but ${tokens} would get the login, and nobody has agreed to that`,
    );
}

/** The client from the configuration, or else a newly registered one. */
async function clientOf(
  sdk: Sdk,
  site: Site,
  { way: { oauth }, callback, fetchFn }: Attempt,
): Promise<Login["client"]> {
  if (oauth?.clientId !== undefined)
    return { client_id: oauth.clientId, ...(oauth.clientSecret && { client_secret: oauth.clientSecret }) };
  if (!site.metadata.registration_endpoint)
    throw new LoginFlaw(
      `${new URL(site.authorizationServer).host} registers no programs by itself; register one there, and write oauth = { clientId = "…" } into the server's table`,
    );
  return sdk.registerClient(site.authorizationServer, {
    metadata: site.metadata,
    clientMetadata: {
      client_name: "Scorel",
      redirect_uris: [callback.address],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
    ...(site.scope !== undefined && { scope: site.scope }),
    fetchFn,
  });
}
