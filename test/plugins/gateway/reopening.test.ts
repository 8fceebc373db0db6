import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { echoAgent } from "../host/home.ts";
import { testGateway } from "./home.ts";

/** The ids and options of sessions in the order in which they are opened. */
function openings() {
  const opened: object[] = [];
  const plugin = definePlugin({
    ...{ id: "records", name: "Records", version: "1.0.0", needs: ["workspace"] },
    activate({ session, workspace }) {
      const { tools, appendSystemPrompt, sandbox, environment } = workspace;
      opened.push({ sessionId: session.id, tools, appendSystemPrompt, sandbox, environment });
    },
  });
  return { opened, plugin };
}

it("a session that /new has begun keeps its options after the host was restarted", async () => {
  const { opened, plugin } = openings();
  await using t = await testGateway({ plugins: [echoAgent, plugin] });
  const options = { tools: ["Read"], appendSystemPrompt: "Be brief.", sandbox: "local" as const };
  const given = { ...options, environment: ["PLACE=here"] };
  const client = await t.connect();
  const { sessionId: first } = await client.request("create_session", { cwd: t.home.cwd, ...given });
  const { sessionId = "" } = await client.request("run_command", { sessionId: first, name: "new", args: "" });
  await client.request("send_message", { sessionId, content: "hello" });
  await t.restart();
  await client.request("get_status", { sessionId });
  expect(opened.filter((each) => (each as { sessionId: string }).sessionId === sessionId)).toEqual([
    { sessionId, ...given },
    { sessionId, ...given },
  ]);
});
