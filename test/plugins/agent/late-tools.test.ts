import { type BaseContext, definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { contained } from "../../harness.ts";
import { text, toolCall } from "../../model-server.ts";
import { openAgent, says, tool } from "./setup.ts";

/** An extension whose tool `connect` adds the tool `weather`, and whose tool `disconnect` removes it. */
function connector() {
  return contained(
    definePlugin({
      id: "connector",
      name: "Connector",
      version: "1.0.0",
      activate(ctx: BaseContext) {
        let undo: (() => unknown) | undefined;
        return {
          tools: [
            tool("connect", async () => {
              undo = ctx.contribute("tools", [tool("weather", async () => says("rain"))]);
              return says("connected");
            }),
            tool("disconnect", async () => {
              await undo?.();
              return says("disconnected");
            }),
          ],
        };
      },
    }),
  );
}

describe("a tool that an extension adds during a turn", () => {
  it("is offered and can be called from the next round on, until it is removed", async () => {
    await using t = await openAgent(
      [
        toolCall("connect", {}),
        toolCall("weather", {}),
        toolCall("disconnect", {}),
        toolCall("weather", {}),
        text("done"),
      ],
      { tools: [], plugins: [connector()] },
    );
    await (await t.agent.send("go")).turn;
    const offered = t.server.requests.map(({ body }) =>
      (body.tools as { function: { name: string } }[]).map(({ function: { name } }) => name).join(" "),
    );
    const without = "connect disconnect";
    expect(offered).toEqual([without, `${without} weather`, `${without} weather`, without, without]);
    const results = (t.stored() as { message?: { role: string; content: { text: string }[] } }[]).flatMap(
      ({ message }) => (message?.role === "tool_result" ? [message.content[0]?.text] : []),
    );
    expect(results).toEqual([
      "connected",
      "rain",
      "disconnected",
      'There is no tool "weather". Use one of: connect, disconnect.',
    ]);
    expect(t.kernel.failures).toEqual([]);
  });

  it("leaves the beginning of each request as it was", async () => {
    await using t = await openAgent([toolCall("connect", {}), toolCall("weather", {}), text("done")], {
      tools: [],
      plugins: [connector()],
    });
    await (await t.agent.send("go")).turn;
    const described = (index: number) => JSON.stringify(t.server.requests[index]?.body.tools);
    expect(described(2)).toBe(described(1));
    expect(described(1)?.startsWith(described(0)?.slice(0, -1) as string)).toBe(true);
  });
});
