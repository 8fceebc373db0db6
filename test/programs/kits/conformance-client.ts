import { modelTable, type Scratch, scratch } from "../../e2e/scorel.ts";
import { startModelServer, text, toolCall } from "../../model-server.ts";

/**
 * The client that the conformance kit of MCP starts for each of its scenarios, with the server's address as the last
 * argument. It performs the scenario in MCP_CONFORMANCE_SCENARIO with the built command; forms are answered in a
 * session in this process.
 */
const url = process.argv.at(-1) as string;
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as { client_id?: string; client_secret?: string };

const table = (more = "") => `[[mcp.servers]]\nname = "kit"\nurl = ${JSON.stringify(url)}\n${more}`;

async function listTools(s: Scratch): Promise<void> {
  assertPassed(await s.run(["mcp", "test", "kit"]));
}

/** Makes a model call a tool of the server. */
async function callTool(name: string, args: object): Promise<void> {
  await using model = await startModelServer([toolCall(`mcp__kit__${name}`, args), text("done")]);
  using s = scratch();
  s.file("~/.scorel/config.toml", `${modelTable(model.baseUrl)}\n${table()}`);
  assertPassed(await s.run(["-p", "Call it."]));
}

/** Logs in and lists the tools. A call that needs further scopes is repeated after another login. */
async function useLogin(): Promise<void> {
  const { client_id: id, client_secret: secret } = given;
  const own = { clientId: id, clientSecret: secret };
  const oauth = Object.entries(own).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const call = toolCall("mcp__kit__test-tool", {});
  await using model = await startModelServer([call, text("done"), call, text("done")]);
  using s = scratch();
  s.file(
    "~/.scorel/config.toml",
    `${modelTable(model.baseUrl)}\n${table(id === undefined ? "" : `oauth = { ${oauth.join(", ")} }\n`)}`,
  );
  await logIn(s);
  await listTools(s);
  if (scenario !== "auth/scope-step-up") return;
  await s.run(["-p", "Call it."]);
  await logIn(s);
  assertPassed(await s.run(["-p", "Call it."]));
}

/** Logs in, with a request in place of the browser, whose redirect is followed at once. */
async function logIn(s: Scratch): Promise<void> {
  const login = s.start(["mcp", "login", "kit", "--yes"]);
  const page = await Promise.race([login.line((line) => /^https?:/.test(line)), login.finished]);
  if (typeof page === "string") await (await fetch(page)).text();
  assertPassed(await login.finished);
}

/** Answers a form without changing its fields. */
async function answerForm(tool: string): Promise<void> {
  // Loaded here because it loads the sources of a whole host, which takes longer than most scenarios.
  const { talk } = await import("../../plugins/mcp/setup.ts");
  const script = [toolCall(`mcp__kit__${tool}`, {}), text("done")];
  await using t = await talk(script, { servers: [{ name: "kit", url }], attending: true });
  await t.client.subscribe(t.sessionId, ({ event }) => {
    if (event.type !== "approval_request") return;
    const { requestId, title, fallback = "" } = event as unknown as Record<"requestId" | "title" | "fallback", string>;
    const answer = title.includes("asks you something") ? "y" : fallback;
    void t.client.request("answer_request", { sessionId: t.sessionId, requestId, answer });
  });
  await t.say("Go.");
}

function assertPassed({ code, stderr }: { code: number | null; stderr: string }): void {
  if (code !== 0) throw new Error(`ended with ${code}: ${stderr}`);
}

async function play(): Promise<void> {
  if (scenario.startsWith("auth/")) return useLogin();
  if (scenario === "tools_call") return callTool("add_numbers", { a: 5, b: 3 });
  if (scenario === "sse-retry") return callTool("test_reconnection", {});
  if (scenario === "elicitation-sep1034-client-defaults") return answerForm("test_client_elicitation_defaults");
  using s = scratch();
  s.file("~/.scorel/config.toml", table());
  await listTools(s);
}

await play();
process.exit();
