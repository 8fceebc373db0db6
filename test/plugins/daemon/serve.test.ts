import { expect, it } from "vitest";
import type { DaemonContext } from "../../../plugins/daemon/context.ts";
import { serve } from "../../../plugins/daemon/serve.ts";
import { findDaemon } from "../../../plugins/daemon/state.ts";
import { echoAgent, testHome, testHost } from "../host/home.ts";

it("a host that is interrupted while it starts ends as soon as it has started", async () => {
  using home = testHome();
  process.env.HOME = home.home;
  await using t = await testHost([echoAgent]);
  const interrupt = new AbortController();
  const slow = {
    name: "slow",
    listen: async () => {
      interrupt.abort();
      return { address: "here", close: async () => {} };
    },
  };
  const gateway = { clients: () => [], flush: async () => {}, dismiss: async () => {} };
  const ctx = {
    host: t.host,
    gateway,
    launch: {},
    config: { idleMinutes: 0 },
    find() {},
    collect: () => [{ value: [slow] }],
  };
  const printed: string[] = [];
  const invocation = {
    options: {},
    env: {},
    interrupt: interrupt.signal,
    stdout: { write: (text: string) => printed.push(text) },
  };
  const code = await serve(ctx as unknown as DaemonContext, invocation as never, () => {});
  expect({ code, printed: printed.join(""), left: findDaemon() }).toEqual({
    code: 0,
    printed: "slow: here\n",
    left: undefined,
  });
});
