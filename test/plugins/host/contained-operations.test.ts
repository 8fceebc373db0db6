import type { Operation } from "@scorel/host/contract";
import { defineErrors, definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { z } from "zod";
import { runningCalls } from "../../../plugins/extensions/containment/running.ts";
import { contained } from "../../harness.ts";
import { echoAgent, type TestHost, testHome, testHost } from "./home.ts";

declare module "@scorel/host/contract" {
  interface Operations {
    flaky: { params: { sessionId?: string; how: string; list?: unknown }; result: { list?: unknown } };
  }
}

const own = defineErrors({ FLAKY_NO: () => "Not today." });

/** An extension with an operation that fails as its parameter says, and one whose schema throws. */
const flaky = (scope: "host" | "session", release?: Promise<void>) =>
  contained(
    definePlugin({
      id: "flaky",
      name: "Flaky",
      version: "1.0.0",
      scope,
      operations: () => ({
        flaky: {
          params: () =>
            z.strictObject({ sessionId: z.string().optional(), how: z.string(), list: z.unknown().optional() }),
          result: () => z.strictObject({ list: z.unknown().optional() }),
          run: async ({ how, list }: { how: string; list?: unknown }) => {
            if (how === "refuse") throw own.FLAKY_NO();
            if (how === "throw") throw new TypeError("no such thing");
            if (how === "wait") await release;
            if (how === "change") (list as number[]).push(3);
            return (how === "nonsense" ? { other: 1 } : { list }) as { list?: unknown };
          },
        },
        broken_schema: {
          params: () => {
            throw new Error("no schema");
          },
          run: () => ({}),
        } as never,
      }),
    }),
    "/home/you/flaky.ts",
    { file: import.meta.filename },
  );

/** Calls the operation in each of these ways; returns the codes of the errors, or "done". */
const codes = (t: TestHost, params: { sessionId?: string }, ...ways: string[]) =>
  ways.reduce<Promise<string[]>>(async (before, how) => {
    const known = await before;
    const told = t.client.request("flaky", { ...params, how });
    return [...known, await told.then(() => "done").catch(({ code }) => code as string)];
  }, Promise.resolve([]));

for (const scope of ["host", "session"] as const)
  it(`answers failures of an extension's operation with its name, and switches it off (${scope})`, async () => {
    using home = testHome();
    const entry = flaky(scope);
    await using t = scope === "host" ? await testHost([echoAgent], [], [entry]) : await testHost([echoAgent, entry]);
    const created = await t.client.request("create_session", { cwd: home.cwd });
    const params = scope === "host" ? {} : { sessionId: created.sessionId };
    await expect(t.client.request("flaky", { ...params, how: "throw" })).rejects.toMatchObject({
      code: "HOST_OPERATION_FAILED",
      message: expect.stringMatching(
        /^Extension "flaky" failed in the operation "flaky": no such thing \(\/home\/you\/contained-operations.test.ts:\d+\)$/,
      ),
    });
    expect(await codes(t, params, "refuse", "refuse", "refuse", "fine", "nonsense")).toEqual([
      ...["FLAKY_NO", "FLAKY_NO", "FLAKY_NO", "done", "HOST_RESULT_INVALID"],
    ]);
    expect(await codes(t, params, "throw", "fine")).toEqual(["HOST_OPERATION_FAILED", "HOST_OPERATION_OFF"]);
    const logs = scope === "host" ? "`scorel host logs`" : `\`scorel logs ${created.sessionId}\``;
    await expect(t.client.request("flaky", { ...params, how: "fine" })).rejects.toThrow(logs);
  });

it("gives an extension's operation a copy of the params, and the client one of the result", async () => {
  await using t = await testHost([], [], [flaky("host")]);
  const list = [1, 2];
  const result = await t.client.request("flaky", { how: "change", list });
  expect([list, result]).toEqual([[1, 2], { list: [1, 2, 3] }]);
});

it("shows the watchdog which operation is running", async () => {
  let release = () => {};
  const waiting = new Promise<void>((done) => {
    release = done;
  });
  await using t = await testHost([], [], [flaky("host", waiting)]);
  const asked = t.client.request("flaky", { how: "wait" });
  await expect.poll(() => runningCalls()).toMatchObject([{ plugin: "flaky", where: "operation flaky" }]);
  release();
  await asked;
});

it("lists the other operations when a schema of an extension cannot be made", async () => {
  await using t = await testHost([], [], [flaky("host")]);
  const { operations } = await t.client.request("list_operations", {});
  const names = operations.map(({ name }) => name) as Operation[];
  expect(names).toEqual(expect.arrayContaining(["ping", "flaky"]));
  expect(names).not.toContain("broken_schema");
  expect(t.kernel.failures).toMatchObject([
    { plugin: "flaky", where: "operation broken_schema", message: "no schema" },
  ]);
});

it("leaves out operations with names that no client could use, and fields of a result that its schema does not name", async () => {
  const row = {
    params: z.strictObject({}),
    result: z.object({ list: z.unknown() }),
    run: () => ({ list: 1, token: "secret" }),
  };
  const loose = definePlugin({
    id: "loose",
    name: "Loose",
    version: "1.0.0",
    scope: "host",
    operations: () => ({ "bad name!": row, constructor: row, "acme.items": row }) as never,
  });
  await using t = await testHost([], [], [contained(loose)]);
  const { operations } = await t.client.request("list_operations", {});
  expect(operations.filter(({ plugin }) => plugin === "loose").map(({ name }) => name)).toEqual(["acme.items"]);
  expect(await t.client.request("acme.items" as "ping", {})).toEqual({ list: 1 });
  await expect(t.client.request("constructor" as "ping", {})).rejects.toMatchObject({ code: "HOST_OPERATION_UNKNOWN" });
  expect(t.kernel.failures.map(({ message }) => /"([^"]+)" is not such an object/.exec(message)?.[1])).toEqual([
    "bad name!",
    "constructor",
  ]);
});

it("stops waiting for an operation that never settles when its client is closed, and counts no failure", async () => {
  using _home = testHome();
  let signal: AbortSignal | undefined;
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const plugin = definePlugin({
    ...{ id: "endless", name: "Endless", version: "1.0.0", scope: "host" },
    operations: (): object => ({
      endless: {
        params: z.strictObject({}),
        run: (_params: object, context: { signal: AbortSignal }) => {
          signal = context.signal;
          begin();
          return new Promise(() => {});
        },
      },
    }),
  });
  await using t = await testHost([echoAgent], [], [contained(plugin, "/home/you/endless.ts", {})]);
  const client = t.host.connect({});
  const asked = client.request("endless" as Operation, {} as never);
  await begun;
  const refused = expect(asked).rejects.toMatchObject({ code: "HOST_CLIENT_CLOSED" });
  await client.close();
  await refused;
  expect(signal?.aborted).toBe(true);
  expect(t.kernel.failures).toEqual([]);
});
