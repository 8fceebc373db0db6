import { expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { dial, testGateway } from "./home.ts";

const WAIT_MS = 20;
const waiting = (ms: number) => ({ times: { firstRetry: ms, lastRetry: ms } });

/** A connected client that counts its connections. */
async function counted() {
  const t = await testGateway();
  let dials = 0;
  const client = await t.connect({
    ...waiting(WAIT_MS),
    dial: () => {
      dials++;
      return dial(t.path);
    },
  });
  return {
    ...t,
    client,
    dials: () => dials,
    /** Cuts the connections again, and resolves when another client, which waits for longer, has reconnected. */
    cutAgain: async () => {
      const other = await t.connect(waiting(3 * WAIT_MS));
      t.cut();
      await eventually(() => expect(other.state.state).toBe("waiting"));
      await eventually(() => expect(other.state.state).toBe("live"));
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

it.each([
  { at: "waiting", heard: ["closed"], dials: 1 },
  { at: "connecting", heard: ["waiting", "closed"], dials: 1 },
  { at: "live", heard: ["waiting", "connecting", "closed"], dials: 2 },
])("a client that a listener closes when its state is $at stays closed", async ({ at, ...expected }) => {
  await using t = await counted();
  const heard: string[] = [];
  t.client.onState(({ state }) => void (state === at && t.client.close()));
  t.client.onState(({ state }) => void heard.push(state));
  t.cut();
  await eventually(() => expect(t.client.state.state).toBe("closed"));
  await t.cutAgain();
  expect([t.client.state.state, { heard, dials: t.dials() }]).toEqual(["closed", expected]);
  await expect(t.client.request("ping", {})).rejects.toMatchObject({ code: "LINK_ENDED" });
});

it("a client connects only once if a listener ends the wait", async () => {
  await using t = await counted();
  const heard: string[] = [];
  t.client.onState(({ state }) => void (state === "waiting" && t.client.hurry()));
  t.client.onState(({ state }) => void heard.push(state));
  t.cut();
  await eventually(() => expect(heard).toEqual(["connecting", "live"]));
  await t.cutAgain();
  await eventually(() => expect(heard).toEqual(["connecting", "live", "connecting", "live"]));
  expect(t.dials()).toBe(3);
});
