import search from "@scorel/search";
import { expect, it } from "vitest";
import { desk } from "./desk.ts";
import { piFile } from "./peers.ts";

it("the earlier usage of an imported session is kept, and not counted as spent here", async () => {
  await using t = await desk(undefined, [search]);
  const { report, context } = await t.import(piFile);
  expect(context.at(-1)).toMatchObject({ usage: { cost: { total: 0.3 } } });
  const spent = () => t.client.request("get_usage", {});
  expect(await spent()).toMatchObject({ total: { calls: 0, cost: 0 } });
  const { session } = (await t.open(report.sessionId)).kernel;
  await session.append("message", { message: context.at(-1) as never });
  expect(await spent()).toMatchObject({ total: { calls: 1, cost: 0.3 } });
});
