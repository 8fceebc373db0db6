import { agentHost } from "../plugins/host/agent-host.ts";

/** Sends a message and, while its turn runs, three more; prints the result of each, and keeps running. */
const [baseUrl = "", cwd = ""] = process.argv.slice(2);
const { client } = await agentHost(baseUrl);
const { sessionId } = await client.request("create_session", { cwd });
for (const content of ["go", "steer", "follow 1", "follow 2"]) {
  const running = content === "steer" ? ("steer" as const) : ("follow_up" as const);
  const { status } = await client.request("send_message", { sessionId, content, running });
  process.stdout.write(`${sessionId} ${status}\n`);
}
