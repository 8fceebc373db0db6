import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { endEarly, startModelServer, status, text, toolCall } from "../model-server.ts";
import { type Sites, startSites } from "../subscription-server.ts";
import { type Scratch, scratch } from "./scorel.ts";

const inAnHour = () => Date.now() + 3_600_000;
const authFile = (s: Scratch) => join(s.home, ".scorel/auth.json");
const stored = (s: Scratch) => JSON.parse(readFileSync(authFile(s), "utf8")).subscriptions;

/** Anthropic's token endpoint, which returns these tokens. */
const tokens = (access: string, refresh: string): Sites => ({
  "platform.claude.com/v1/oauth/token": () => ({
    json: { access_token: access, refresh_token: refresh, expires_in: 7_200 },
  }),
});

/** A stored login to anthropic. */
function storeLogin(s: Scratch, expires: number): void {
  const anthropic = { access: "sk-ant-oat-old-0123456789", refresh: "refresh-old-0123456789", expires };
  s.file("~/.scorel/auth.json", JSON.stringify({ version: 1, keys: {}, subscriptions: { anthropic } }));
}

/** Whether a server listens on the port of the redirect address. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}

/** The port of Anthropic's redirect address. */
const ANTHROPIC_PORT = 53692;

/** Waits until nothing uses the port, which the system also gives to any other program that asks for a free one. */
function whenFree(port: number): Promise<void> {
  return eventually(
    () =>
      new Promise((resolve, reject) => {
        const server = createServer().on("error", reject);
        server.listen(port, "127.0.0.1", () => server.close(() => resolve()));
      }),
  );
}

describe("scorel login anthropic --with subscription", () => {
  beforeEach(() => whenFree(ANTHROPIC_PORT));

  it("accepts a pasted code, stores the tokens, and uses them until logout", async () => {
    using s = scratch();
    await using models = await startModelServer([text("ok"), text("Hello.")]);
    const access = "sk-ant-oat-new-0123456789";
    await using sites = await startSites(tokens(access, "refresh-0123456789"), "api.anthropic.com", models.port);
    const run = (args: string[], input = "") => s.run(args, { input, env: sites.env });

    const login = await run(["login", "anthropic", "--with", "subscription"], "the-code\n");
    expect([login.code, login.stderr]).toEqual([0, ""]);
    expect(login.stdout).toContain("https://claude.ai/oauth/authorize?");
    expect(login.stdout).toContain(`Stored the login to anthropic in ${authFile(s)}.`);
    expect(login.stdout).not.toMatch(/sk-ant-oat|refresh-0/);
    expect(JSON.parse(sites.requests[0]?.body ?? "")).toMatchObject({
      grant_type: "authorization_code",
      code: "the-code",
      code_verifier: expect.any(String),
    });
    expect(stored(s)).toEqual({ anthropic: { access, refresh: "refresh-0123456789", expires: expect.any(Number) } });
    expect(statSync(authFile(s)).mode & 0o777).toBe(0o600);

    expect((await run(["model", "check"])).stdout).toMatch(/^ok {2}anthropic\/\S+ \(.*, subscription\)/);
    expect((await run(["model", "list", "claude-opus-4-5"])).stdout).toMatch(/^anthropic\/.* subscription$/m);
    expect((await run(["-p", "hi"])).stdout).toBe("Hello.\n");
    expect(models.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${access}`,
      `Bearer ${access}`,
    ]);

    expect((await run(["logout", "anthropic"])).stdout).toBe("Forgot what was stored for anthropic.\n");
    expect((await run(["-p", "hi"])).code).toBe(2);
    expect(new Set(sites.heard)).toEqual(new Set(["CONNECT platform.claude.com:443", "CONNECT api.anthropic.com:443"]));
  });

  it("accepts the browser's answer, but not one for another login, and stops listening", async () => {
    using s = scratch();
    await using sites = await startSites(tokens("sk-ant-oat-new-0123456789", "refresh-0123456789"));
    const running = s.start(["login", "anthropic", "--with", "subscription"], {
      env: { ...sites.env, PI_OAUTH_CALLBACK_HOST: "0.0.0.0" },
    });
    const address = new URL(await running.line((line) => line.startsWith("https://")));
    const back = `http://127.0.0.1:${ANTHROPIC_PORT}/callback?code=from-the-browser&state=`;
    expect((await fetch(`${back}another`)).status).toBe(400);
    expect(readFileSync("/proc/net/tcp", "utf8")).not.toMatch(/ 00000000:D1BC 00000000:0000 0A /);
    expect((await fetch(back + address.searchParams.get("state"))).status).toBe(200);
    expect((await running.finished).code).toBe(0);
    expect(JSON.parse(sites.requests[0]?.body ?? "").code).toBe("from-the-browser");
    expect(await listens(ANTHROPIC_PORT)).toBe(false);
  });

  it("waits until it is interrupted, even if no code can arrive", async () => {
    using s = scratch();
    await using sites = await startSites({});
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(1455, "127.0.0.1", resolve));
    const running = s.start(["login", "openai-codex"], { env: sites.env });
    await running.line((line) => line.startsWith("https://"));
    running.child.kill("SIGINT");
    const { code, stderr } = await running.finished;
    await new Promise((resolve) => other.close(resolve));
    expect([code, stderr.includes("was cancelled")]).toEqual([130, true]);
  });

  it("leaves nothing behind when it is interrupted", async () => {
    using s = scratch();
    await using sites = await startSites({});
    const running = s.start(["login", "anthropic", "--with", "subscription"], { env: sites.env });
    await running.line((line) => line.startsWith("https://"));
    running.child.kill("SIGINT");
    const { code, stderr } = await running.finished;
    expect([code, stderr.includes("was cancelled")]).toEqual([130, true]);
    expect([await listens(ANTHROPIC_PORT), existsSync(authFile(s)), sites.requests]).toEqual([false, false, []]);
  });

  it("tells why it failed, without the server's answer", async () => {
    using s = scratch();
    await using sites = await startSites({
      "platform.claude.com/v1/oauth/token": () => ({
        status: 400,
        json: { error: "invalid_grant", error_description: "sk-ant-oat-leak" },
      }),
    });
    const { code, stderr, stdout } = await s.run(["login", "anthropic", "--with", "subscription"], {
      input: "the-code\n",
      env: sites.env,
    });
    expect([code, existsSync(authFile(s))]).toEqual([2, false]);
    expect(stderr).toContain("platform.claude.com answered 400 (invalid_grant). Nothing was stored");
    expect(stdout + stderr).not.toContain("sk-ant-oat-leak");
  });

  it("names a port that is in use", async () => {
    using s = scratch();
    await using sites = await startSites({});
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(ANTHROPIC_PORT, "127.0.0.1", resolve));
    const { code, stderr } = await s.run(["login", "anthropic", "--with", "subscription"], { env: sites.env });
    await new Promise((resolve) => other.close(resolve));
    expect([code, stderr.includes("is another login running?")]).toEqual([2, true]);
  });

  it("refuses an answer without tokens", async () => {
    using s = scratch();
    await using sites = await startSites({
      "platform.claude.com/v1/oauth/token": () => ({ json: { access_token: 7 } }),
    });
    const options = { input: "the-code\n", env: sites.env };
    const { code, stderr } = await s.run(["login", "anthropic", "--with", "subscription"], options);
    expect([code, stderr.includes("was not understood"), existsSync(authFile(s))]).toEqual([2, true, false]);
  });

  it("replaces a stored key", async () => {
    using s = scratch();
    await using sites = await startSites(tokens("sk-ant-oat-new-0123456789", "refresh-0123456789"));
    await s.run(["login", "anthropic"], { input: "sk-ant-key-0123456789\n" });
    await s.run(["login", "anthropic", "--with", "subscription"], { input: "the-code\n", env: sites.env });
    expect(JSON.parse(readFileSync(authFile(s), "utf8"))).toMatchObject({
      keys: {},
      subscriptions: { anthropic: { access: "sk-ant-oat-new-0123456789" } },
    });
  });
});

describe("a token that expires", () => {
  it("is renewed before the request, and treated as a secret", async () => {
    using s = scratch();
    storeLogin(s, Date.now() - 1);
    const [access, refresh] = ["sk-ant-oat-new-0123456789", "refresh-new-0123456789"];
    s.file("leak.txt", `it is ${access} and ${refresh}`);
    await using models = await startModelServer([toolCall("read", { file_path: "leak.txt" }), text("Done.")]);
    await using sites = await startSites(tokens(access, refresh), "api.anthropic.com", models.port);
    const { code, stdout, stderr } = await s.run(["-p", "look", "--preset", "coding"], { env: sites.env });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done.\n", stderr: "" });
    expect(sites.requests.map(({ body }) => JSON.parse(body))).toEqual([
      expect.objectContaining({ grant_type: "refresh_token", refresh_token: "refresh-old-0123456789" }),
    ]);
    expect(models.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${access}`,
      `Bearer ${access}`,
    ]);
    expect(models.requests[1]?.text).toContain("it is [redacted] and [redacted]");
    expect(readFileSync(s.logs()[0] as string, "utf8")).not.toMatch(/sk-ant-oat|refresh-new/);
    expect(stored(s)).toEqual({ anthropic: { access, refresh, expires: expect.any(Number) } });
  });

  it("is renewed once by processes that need it at the same time", async () => {
    using s = scratch();
    storeLogin(s, Date.now() - 1);
    await using models = await startModelServer(() => text("Hi."));
    await using sites = await startSites(
      tokens("sk-ant-oat-new-0123456789", "refresh-new-0123456789"),
      "api.anthropic.com",
      models.port,
    );
    const all = await Promise.all([1, 2, 3, 4].map(() => s.run(["-p", "hi"], { env: sites.env })));
    expect(all.map(({ stdout }) => stdout)).toEqual(["Hi.\n", "Hi.\n", "Hi.\n", "Hi.\n"]);
    expect(sites.requests).toHaveLength(1);
    expect(new Set(models.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(["Bearer sk-ant-oat-new-0123456789"]),
    );
    expect(readdirSync(join(s.home, ".scorel")).filter((name) => name.startsWith("auth.json"))).toEqual(["auth.json"]);
  });

  it("and cannot be renewed asks for a new login, and is kept", async () => {
    using s = scratch();
    storeLogin(s, Date.now() - 1);
    const before = readFileSync(authFile(s), "utf8");
    const refused = () => ({ status: 400, json: { error: "invalid_grant" } });
    await using sites = await startSites({ "platform.claude.com/v1/oauth/token": refused });
    const { code, stderr } = await s.run(["-p", "hi"], { env: sites.env });
    expect([code, stderr.includes("Log in again: scorel login anthropic")]).toEqual([1, true]);
    expect(stderr).not.toContain("refresh-old");
    expect([readFileSync(authFile(s), "utf8") === before, sites.requests.length]).toEqual([true, 1]);
  });

  it("and that the provider refuses asks for a new login", async () => {
    using s = scratch();
    storeLogin(s, inAnHour());
    await using models = await startModelServer([status(401, { error: { message: "revoked" } })]);
    await using sites = await startSites({}, "api.anthropic.com", models.port);
    const { code, stdout } = await s.run(["model", "check"], { env: sites.env });
    expect([code, stdout.includes("log in again: scorel login anthropic")]).toEqual([1, true]);
  });

  it("is not sent to another server with that provider name, and not instead of an explicit key", async () => {
    using s = scratch();
    storeLogin(s, inAnHour());
    await using server = await startModelServer(() => text("Hi."));
    const address = `api = "anthropic-messages"\nbaseUrl = "${server.baseUrlFor("anthropic-messages")}"`;
    const size = "contextWindow = 1000\nmaxTokens = 100";
    s.file(
      "~/.scorel/config.toml",
      `[model]\ntype = "custom"\nprovider = "anthropic"\nid = "m"\n${address}\n${size}\n`,
    );
    expect((await s.run(["-p", "hi"])).stdout).toBe("Hi.\n");
    expect(JSON.stringify(server.requests)).not.toContain("sk-ant-oat");
    const named = 'provider = "anthropic"\nid = "claude-opus-4-5"\napiKeyEnv = "OTHER_KEY"';
    s.file("~/.scorel/config.toml", `[model]\ntype = "builtin"\n${named}\n`);
    expect((await s.run(["-p", "hi"])).stderr).toContain("OTHER_KEY is not set");
  });

  it("can be used until it expires while the login server is down", async () => {
    using s = scratch();
    storeLogin(s, Date.now() + 30_000);
    await using models = await startModelServer([text("Hi.")]);
    const down = () => ({ status: 503, json: {} });
    await using sites = await startSites(
      { "platform.claude.com/v1/oauth/token": down },
      "api.anthropic.com",
      models.port,
    );
    expect((await s.run(["-p", "hi"], { env: sites.env })).stdout).toBe("Hi.\n");
    expect(models.requests[0]?.headers.authorization).toBe("Bearer sk-ant-oat-old-0123456789");
  });
});

it("a turn with a valid token contacts no other server, and loads no login code", async () => {
  using s = scratch();
  storeLogin(s, inAnHour());
  await using models = await startModelServer([text("Hi.")]);
  await using sites = await startSites({}, "api.anthropic.com", models.port);
  const coverage = join(s.home, "coverage");
  expect((await s.run(["-p", "hi"], { env: { ...sites.env, NODE_V8_COVERAGE: coverage } })).stdout).toBe("Hi.\n");
  expect(sites.heard).toEqual(["CONNECT api.anthropic.com:443"]);
  const { result } = JSON.parse(readFileSync(join(coverage, readdirSync(coverage)[0] as string), "utf8"));
  const loaded = (result as { url: string }[]).filter(({ url }) => url.includes("/dist/")).map(({ url }) => url);
  expect(loaded.length).toBeGreaterThan(5);
  expect(loaded.filter((url) => readFileSync(fileURLToPath(url), "utf8").includes("oauth/authorize"))).toEqual([]);
});

describe("scorel login openai-codex", () => {
  const claims = { "https://api.openai.com/auth": { chatgpt_account_id: "account-1" } };
  const access = `head.${Buffer.from(JSON.stringify(claims)).toString("base64").replaceAll("=", "")}.sign`;
  const json = { access_token: access, refresh_token: "refresh-0123456789", expires_in: 3_600 };
  const signedIn: Sites = { "auth.openai.com/oauth/token": () => ({ json }) };

  it("accepts a pasted code; its models see the account", async () => {
    using s = scratch();
    await using models = await startModelServer([[toolCall("Read", { file_path: "a.txt" })], text("Hi.")]);
    s.file("a.txt", "plum");
    await using sites = await startSites(signedIn, "chatgpt.com", models.port);
    const login = await s.run(["login", "openai-codex"], {
      input: "http://localhost:1455/x?code=c-1\n",
      env: sites.env,
    });
    expect([login.code, login.stderr]).toEqual([0, ""]);
    expect(Object.fromEntries(new URLSearchParams(sites.requests[0]?.body))).toMatchObject({ code: "c-1" });
    const { stdout, stderr } = await s.run(["-p", "hi"], { env: sites.env });
    expect({ stdout, stderr }).toEqual({ stdout: "Hi.\n", stderr: "" });
    expect(models.requests[1]?.text).toContain("plum");
    expect(models.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${access}`,
      "chatgpt-account-id": "account-1",
    });
    expect(models.requests[0]?.headers).not.toHaveProperty("x-scorel-request");
    expect(await listens(1455)).toBe(false);
  });

  it.each([
    ["a refusal", { status: 500, json: { error: { message: "oops" } } }, "500 oops"],
    ["a limit", { status: 429, json: { error: { message: "wait a day" } } }, "429 wait a day"],
  ])("%s is reported, and not silently tried again", async (_what, answer, said) => {
    using s = scratch();
    await using sites = await startSites({ ...signedIn, "chatgpt.com/backend-api/codex/responses": () => answer });
    await s.run(["login", "openai-codex"], { input: "c-1\n", env: sites.env });
    s.file("~/.scorel/config.toml", "[agent]\nretries = 0\n");
    const { code, stderr } = await s.run(["-p", "hi"], { env: sites.env });
    expect([code, stderr.includes(said)]).toEqual([1, true]);
    expect(sites.requests.filter(({ host }) => host === "chatgpt.com")).toHaveLength(1);
  });

  it("a reply that is cut off is an error", async () => {
    using s = scratch();
    await using models = await startModelServer([[text("Half a"), endEarly()]]);
    await using sites = await startSites(signedIn, "chatgpt.com", models.port);
    await s.run(["login", "openai-codex"], { input: "c-1\n", env: sites.env });
    s.file("~/.scorel/config.toml", "[agent]\nretries = 0\n");
    const { code, stderr } = await s.run(["-p", "hi"], { env: sites.env });
    expect([code, stderr.includes("without a finish marker")]).toEqual([1, true]);
  });
});

describe("scorel login github-copilot", () => {
  it("shows the code for the device, and sends requests to the account's server", async () => {
    using s = scratch();
    const access = "tid=1;exp=2;proxy-ep=proxy.team.githubcopilot.com;8kp=1";
    let polls = 0;
    const codes = { device_code: "dev-1", user_code: "ABCD-1234", interval: 1, expires_in: 60 };
    const pending = () => (polls++ === 0 ? { error: "authorization_pending" } : { access_token: "ghu_0123456789" });
    await using models = await startModelServer(() => text("Hi."));
    await using sites = await startSites(
      {
        "github.com/login/device/code": () => ({
          json: { ...codes, verification_uri: "https://github.com/login/device" },
        }),
        "github.com/login/oauth/access_token": () => ({ json: pending() }),
        "api.github.com/copilot_internal/v2/token": () => ({ json: { token: access, expires_at: inAnHour() / 1000 } }),
        "api.team.githubcopilot.com/models/claude-haiku-4.5/policy": () => ({ json: {} }),
      },
      "api.team.githubcopilot.com",
      models.port,
    );
    const login = await s.run(["login", "github-copilot"], { env: sites.env });
    expect([login.code, login.stderr]).toEqual([0, ""]);
    expect(login.stdout).toContain("https://github.com/login/device\n\nEnter code: ABCD-1234\n");
    expect(stored(s)["github-copilot"]).toMatchObject({ access, baseUrl: "https://api.team.githubcopilot.com" });
    expect((await s.run(["-p", "hi", "--model", "github-copilot/claude-haiku-4.5"], { env: sites.env })).stdout).toBe(
      "Hi.\n",
    );
    expect(models.requests.at(-1)?.headers).toMatchObject({
      host: "api.team.githubcopilot.com",
      authorization: `Bearer ${access}`,
    });
  });

  it("accepts no key", async () => {
    using s = scratch();
    const { code, stderr } = await s.run(["login", "github-copilot", "--with", "key"], { input: "ghp_0123456789\n" });
    expect([code, stderr.includes("is used with a subscription")]).toEqual([2, true]);
  });
});

it("a provider without a login accepts only a key", async () => {
  using s = scratch();
  const { code, stderr } = await s.run(["login", "groq", "--with", "subscription"]);
  expect([code, stderr.includes("scorel login groq --with key")]).toEqual([2, true]);
});
