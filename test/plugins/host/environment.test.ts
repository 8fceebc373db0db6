import { expect, it } from "vitest";
import { ask, echoAgent, environmentRecorder, testHome, testHost } from "./home.ts";

it.each(["/new", "/clear", "/clone", "/resume"])(
  "the variables of a client also apply in the session that it opens by %s",
  async (command) => {
    using home = testHome();
    const { begun, records } = environmentRecorder();
    await using t = await testHost([echoAgent, records]);
    const script = t.host.connect();
    const former = await script.request("create_session", { cwd: home.cwd });
    await ask(script, former.sessionId, "former");
    await script.close();
    const environment = ["PATH=/home/user/venv/bin"];
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd, environment });
    await ask(t.client, sessionId, "hi");
    begun.length = 0;
    const args = command === "/resume" ? "former" : "";
    await t.client.request("run_command", { sessionId, name: command.slice(1), args });
    expect(begun.at(-1)).toEqual(environment);
  },
);
