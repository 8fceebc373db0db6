import { expect, it } from "vitest";
import { Uses } from "../../../plugins/mcp/servers/uses.ts";
import type { Connection } from "../../../plugins/mcp/wire/connection.ts";

it("a forgotten connection is closed when its last request has ended, and at once without one", async () => {
  const closed: string[] = [];
  const named = (name: string) => ({ close: async () => void closed.push(name) }) as unknown as Connection;
  const [used, idle] = [named("used"), named("idle")];
  const ends: (() => void)[] = [];
  const uses = new Uses();
  const requests = [1, 2].map(() => uses.during(used, () => new Promise<void>((resolve) => ends.push(resolve))));
  uses.forget(used);
  uses.forget(idle);
  ends[0]?.();
  await requests[0];
  expect(closed).toEqual(["idle"]);
  ends[1]?.();
  await requests[1];
  expect(closed).toEqual(["idle", "used"]);
});
