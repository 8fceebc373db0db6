import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listen } from "../../../plugins/mcp/auth/callback.ts";
import { login } from "../../../plugins/mcp/auth/login.ts";
import { keepLogin, type Login, readLogin } from "../../../plugins/mcp/auth/logins.ts";
import { Tokens } from "../../../plugins/mcp/auth/tokens.ts";
import { reasonOf } from "../../../plugins/mcp/auth/wire.ts";
import type { LoginDialog } from "../../../plugins/mcp/contract.ts";
import { text, toolCall } from "../../model-server.ts";
import { type TestHome, testHome } from "../host/home.ts";
import { type AuthServer, startAuthServer } from "./auth-server.ts";
import { lastText, talk } from "./setup.ts";

/** A user who opens the address in a browser. `change` may change the address of the redirect, as an attacker could. */
function person(change: (back: URL) => URL | undefined = (back) => back) {
  const seen: Response[] = [];
  const dialog: LoginDialog = {
    async show(address) {
      const { headers } = await fetch(address, { redirect: "manual" });
      const back = change(new URL(headers.get("location") as string));
      if (back) seen.push(await fetch(back));
    },
    confirm: async () => false,
    signal: AbortSignal.timeout(20_000),
  };
  return { dialog, seen };
}

const loginAt = ({ mcp }: AuthServer, dialog: LoginDialog, oauth?: Record<string, string>) =>
  login({ url: mcp.url, headers: {}, ...(oauth && { oauth }) }, undefined, dialog);
const failure = (attempt: Promise<unknown>) =>
  attempt.then(
    () => "it worked",
    (thrown) => reasonOf(thrown),
  );
const loginsFile = ({ home }: TestHome) => join(home, ".scorel/logins/mcp.json");

it("a server that wants a login says so with the command, and works after it, in this session and the next", async () => {
  using home = testHome();
  await using auth = await startAuthServer();
  const servers = [{ name: "far", url: auth.mcp.url }];
  const call = () => [toolCall("mcp__far__echo", { a: 1 }), text("Done.")];
  await using t = await talk([text("Hello."), ...call()], { home, servers });
  await t.say("Go.");
  await t.client.drained(t.sessionId);
  expect(JSON.stringify(t.heard)).toContain(
    'The MCP server \\"far\\" needs a login or a header with a key. To log in: scorel mcp login far',
  );

  await loginAt(auth, person().dialog);
  expect(auth.clients[0]).toMatchObject({ client_name: "Scorel", token_endpoint_auth_method: "none" });
  expect(auth.asked[0]?.get("resource")).toBe(auth.mcp.url);
  expect(statSync(loginsFile(home)).mode & 0o777).toBe(0o600);
  await t.client.request("restart_mcp_server", { sessionId: t.sessionId, name: "far" });
  expect(lastText((await t.say("Go on."))[1] as never)).toBe('{"a":1}');
  await using next = await talk(call(), { home, servers });
  expect(lastText((await next.say("Go."))[1] as never)).toBe('{"a":1}');
});

it("a call that needs further scopes says so, and the next login asks for them, too", async () => {
  using home = testHome();
  await using auth = await startAuthServer({ forCalls: "write" });
  const servers = [{ name: "far", url: auth.mcp.url }];
  const call = () => [toolCall("mcp__far__echo", { a: 1 }), text("Done.")];
  const asked: (string | null)[] = [];
  const logIn = () => {
    const { dialog } = person();
    const show: LoginDialog["show"] = (address, paste) => {
      asked.push(new URL(address).searchParams.get("scope"));
      return dialog.show(address, paste);
    };
    return loginAt(auth, { ...dialog, show });
  };
  await logIn();
  await using t = await talk([...call(), ...call()], { home, servers });
  expect(lastText((await t.say("Go."))[1] as never)).toBe(
    'The MCP server "far" needs a login (for this, it wants the scopes write). To log in: scorel mcp login far. Then, in an open session: /mcp restart far',
  );
  await logIn();
  await t.client.request("restart_mcp_server", { sessionId: t.sessionId, name: "far" });
  expect(lastText((await t.say("Go on."))[1] as never)).toBe('{"a":1}');
  expect(asked).toEqual(["read", "read write"]);
});

it("an expired token is renewed once, also by two sessions at a time, and no token is in a result or an event", async () => {
  using home = testHome();
  await using auth = await startAuthServer();
  await loginAt(auth, person().dialog);
  const { tokens } = readLogin(auth.mcp.url) as any;
  const servers = [{ name: "far", url: auth.mcp.url }];
  auth.expire();
  const script = () => [toolCall("mcp__far__echo", { token: tokens.access_token }), text("Done.")];
  await using one = await talk(script(), { home, servers });
  await using two = await talk(script(), { home, servers });
  const [requests] = await Promise.all([one.say("Go."), two.say("Go.")]);
  expect(auth.asked.map((form) => form.get("grant_type"))).toEqual(["authorization_code", "refresh_token"]);
  expect(lastText(requests[1] as never)).toBe('{"token":"[redacted]"}');
  const fresh = readLogin(auth.mcp.url) as any;
  expect(fresh.tokens.access_token).not.toBe(tokens.access_token);
  const said = JSON.stringify([
    one.heard.filter(({ type }) => type !== "message"),
    two.heard.map(({ error }) => error),
  ]);
  for (const secret of Object.values(fresh.tokens)) if (String(secret).length > 20) expect(said).not.toContain(secret);
});

it("a renewal does not bring back a login that was forgotten meanwhile, and does not replace a new one", async () => {
  using _home = testHome();
  let meanwhile: Login | undefined;
  const beforeRenewal = () => keepLogin(auth.mcp.url, meanwhile);
  await using auth = await startAuthServer({ beforeRenewal });
  const renew = async () => {
    await loginAt(auth, person().dialog);
    const tokens = new Tokens("far", { url: auth.mcp.url, headers: {} });
    await tokens.token();
    const renewed = await tokens.onUnauthorized().then(
      () => tokens.token(),
      ({ code }) => code,
    );
    return [renewed, readLogin(auth.mcp.url)?.tokens.access_token];
  };
  expect(await renew()).toEqual(["MCP_LOGIN", undefined]);
  await loginAt(auth, person().dialog);
  meanwhile = {
    ...(readLogin(auth.mcp.url) as Login),
    tokens: { access_token: "access-of-new-login", token_type: "Bearer" },
  };
  expect(await renew()).toEqual(["access-of-new-login", "access-of-new-login"]);
});

it("a login that cannot be renewed is an error that names the command, without a token", async () => {
  using home = testHome();
  for (const noRefresh of [false, true]) {
    await using auth = await startAuthServer({ noRefresh });
    await loginAt(auth, person().dialog);
    auth.expire();
    auth.revoke();
    await using t = await talk([text("Hello.")], { home, servers: [{ name: "far", url: auth.mcp.url }] });
    await t.say("Go.");
    await t.client.drained(t.sessionId);
    const said = JSON.stringify(t.heard);
    const reason = noRefresh ? "the login has expired" : "it was refused (invalid_grant)";
    expect(said).toContain(reason);
    expect(said).toContain("scorel mcp login far");
    expect(said).not.toMatch(/refresh-|access-/);
  }
});

it("an answer of the browser with another state is refused, and the login goes on", async () => {
  using _home = testHome();
  await using auth = await startAuthServer();
  let forged: Response | undefined;
  const { dialog } = person();
  const careless: LoginDialog = {
    ...dialog,
    async show(address, paste) {
      const redirect = new URL(new URL(address).searchParams.get("redirect_uri") as string);
      forged = await fetch(`${redirect}?code=evil&state=${"x".repeat(43)}`);
      expect(paste(`${redirect}?code=evil&state=x`)).toBe("it belongs to another login");
      await dialog.show(address, paste);
    },
  };
  await loginAt(auth, careless);
  expect(forged?.status).toBe(400);
  expect(auth.asked).toHaveLength(1);
  expect(auth.asked[0]?.get("code")).not.toBe("evil");
});

it("a request for something that is no address is answered, and the login goes on", async () => {
  using _home = testHome();
  await using auth = await startAuthServer();
  const answers: (number | undefined)[] = [];
  const { dialog } = person();
  const disturbed: LoginDialog = {
    ...dialog,
    async show(address, paste) {
      const { port } = new URL(new URL(address).searchParams.get("redirect_uri") as string);
      for (const path of ["//", "//a:b", "http://[", "*"]) {
        const [{ statusCode }] = await once(get({ host: "127.0.0.1", port, path }), "response");
        answers.push(statusCode);
      }
      await dialog.show(address, paste);
    },
  };
  await loginAt(auth, disturbed);
  expect([answers, readLogin(auth.mcp.url)?.tokens.token_type]).toEqual([[404, 404, 404, 404], "Bearer"]);
});

it("a code that was used before is refused, and nothing is kept", async () => {
  using _home = testHome();
  await using auth = await startAuthServer();
  let used = "";
  const { dialog } = person((back) => {
    used = back.searchParams.get("code") as string;
    return back;
  });
  await loginAt(auth, dialog);
  await using other = await startAuthServer();
  const replay = person((back) => {
    back.searchParams.set("code", used);
    return back;
  });
  expect(await failure(loginAt(other, replay.dialog))).toBe("it was refused (invalid_grant)");
  expect(readLogin(other.mcp.url)).toBeUndefined();
});

it.each<[string, Parameters<typeof startAuthServer>[0], string]>([
  [
    "a description of another issuer",
    { metadata: { issuer: "https://honest.example" } },
    "the answer is that of another",
  ],
  ["an answer of another issuer", { iss: "https://honest.example" }, "the answer is that of another"],
  ["endless redirects", { redirects: true }, "redirects without an end"],
  ["an endpoint without encryption", { metadata: { token_endpoint: "http://far.example/token" } }, "begins with https"],
  ["a page that is none", { metadata: { authorization_endpoint: "javascript:alert(1)" } }, "not understood"],
  ["no registration", { metadata: { registration_endpoint: undefined } }, "registers no programs by itself"],
])("%s fails the login", async (_what, options, reason) => {
  using _home = testHome();
  await using auth = await startAuthServer(options);
  expect(await failure(loginAt(auth, person().dialog))).toContain(reason);
  expect(readLogin(auth.mcp.url)).toBeUndefined();
  expect(auth.asked).toEqual([]);
});

it("a token endpoint elsewhere gets nothing unless the person agrees", async () => {
  using _home = testHome();
  await using elsewhere = await startAuthServer();
  await using auth = await startAuthServer({ metadata: { token_endpoint: `${elsewhere.url}/token` } });
  const asked: string[][] = [];
  const { dialog } = person();
  const confirm =
    (agrees: boolean) =>
    async (...hosts: string[]) => {
      asked.push(hosts);
      return agrees;
    };
  expect(await failure(loginAt(auth, { ...dialog, confirm: confirm(false) }))).toContain("nobody has agreed to that");
  expect(asked).toEqual([[new URL(auth.url).host, new URL(elsewhere.url).host]]);
  expect(elsewhere.asked).toEqual([]);
  await failure(loginAt(auth, { ...dialog, confirm: confirm(true) }));
  expect(elsewhere.asked).toHaveLength(1);
});

it("a token endpoint that sends the code on is not followed", async () => {
  using _home = testHome();
  await using elsewhere = await startAuthServer();
  await using auth = await startAuthServer({ sendOn: `${elsewhere.url}/token` });
  expect(await failure(loginAt(auth, person().dialog))).not.toBe("it worked");
  expect(elsewhere.asked).toEqual([]);
});

it("a configured client is used instead of a registration, with its secret", async () => {
  using _home = testHome();
  await using auth = await startAuthServer();
  await loginAt(auth, person().dialog, { clientId: "own", clientSecret: "own-secret" });
  expect(auth.clients).toEqual([]);
  expect(readLogin(auth.mcp.url)?.client).toEqual({ client_id: "own", client_secret: "own-secret" });
});

it("a refusal of the authorization server, and a person who stops, end the login", async () => {
  using _home = testHome();
  await using auth = await startAuthServer();
  const refused = person((back) => {
    back.searchParams.delete("code");
    back.searchParams.set("error", "access_denied");
    return back;
  });
  expect(await failure(loginAt(auth, refused.dialog))).toBe("it was refused (access_denied)");
  const stop = new AbortController();
  const idle: LoginDialog = { show: () => stop.abort(), confirm: async () => false, signal: stop.signal };
  await expect(loginAt(auth, idle)).rejects.toThrow();
});

it.each(["/.well-known/oauth-authorization-server", "/register", "/token"])(
  "a person can stop a login while %s does not answer",
  async (path) => {
    using _home = testHome();
    const stop = new AbortController();
    await using auth = await startAuthServer({ silent: { path, asked: () => stop.abort() } });
    await expect(loginAt(auth, { ...person().dialog, signal: stop.signal })).rejects.toThrow();
    expect(readLogin(auth.mcp.url)).toBeUndefined();
  },
);

it("a person can stop a login at a server that does not answer", async () => {
  const stop = new AbortController();
  const server = createServer(() => stop.abort(new Error("stopped"))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const dialog: LoginDialog = { ...person().dialog, signal: stop.signal };
  await expect(login({ url, headers: {} }, undefined, dialog)).rejects.toThrow("stopped");
  server.closeAllConnections();
  server.close();
});

it("a login that nobody completes in time says so", async () => {
  using _home = testHome();
  await using auth = await startAuthServer();
  const idle: LoginDialog = { ...person().dialog, show: () => {} };
  const attempt = login({ url: auth.mcp.url, headers: {} }, undefined, idle, 1);
  expect(await failure(attempt)).toBe("nobody has logged in within the time limit");
});

it("the address of a browser on another computer can be pasted", async () => {
  const callback = await listen("state");
  expect(callback.paste("nothing")).toBe("it is not an address");
  expect(callback.paste("http://127.0.0.1:1/callback?state=state")).toBe("it has no code");
  expect(callback.paste("http://127.0.0.1:1/callback?state=state&code=c&iss=i")).toBeUndefined();
  expect(await callback.answer(new AbortController().signal)).toEqual({ code: "c", iss: "i" });
  expect((await fetch(callback.address.replace("callback", "other"))).status).toBe(404);
  await callback.close();
});

it("a damaged file is an error that quotes nothing of it", () => {
  using home = testHome();
  const folder = join(home.home, ".scorel/logins");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(loginsFile(home), '{ "version": 1, "servers": { "a": "access-secret" ', { mode: 0o600 });
  expect(() => readLogin("http://a/")).toThrow(/cannot be read or stored/);
  expect(() => readLogin("http://a/")).not.toThrow(/access-secret/);
  expect(readFileSync(loginsFile(home), "utf8")).toContain("access-secret");
});
