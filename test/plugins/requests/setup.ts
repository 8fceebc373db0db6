import { definePlugin, type Kernel, type PluginContext } from "@scorel/kernel";
import messages from "@scorel/messages";
import requestsPlugin from "@scorel/requests";
import type { OpenRequest } from "@scorel/requests/contract";
import { type TestPlugin, testCallers, testKernel } from "../../harness.ts";

type Context = PluginContext<unknown, "requests">;

/** A plugin that exposes its context. */
export function exposingPlugin(id = "asker") {
  const held: { ctx?: Context } = {};
  const plugin = definePlugin({
    id,
    name: id,
    version: "1.0.0",
    needs: ["requests"],
    activate(ctx) {
      held.ctx = ctx as Context;
    },
  });
  return { plugin, ctx: () => held.ctx as Context };
}

/** A session with plugin `asker`, whose context is accessible, and others; `run` runs an operation as a client. */
export async function open(options: Parameters<typeof testKernel>[1] = {}, more: readonly TestPlugin[] = []) {
  const { plugin, ctx } = exposingPlugin();
  const { caller, leave } = testCallers();
  const t = await testKernel([messages, requestsPlugin, plugin, ...more], options);
  const run = async (operation: string, params: object = {}, clientId = "client1") => {
    const operations: any = Object.assign({}, ...t.kernel.collect("operations").map(({ value }) => value));
    return operations[operation].run({ sessionId: t.session.id, ...params }, caller(clientId));
  };
  const heard = async (...types: string[]) => (await t.heard()).filter(({ type }) => types.includes(type));
  return {
    ...t,
    ctx: ctx(),
    run,
    leave,
    /** The signal that aborts when a client leaves. */
    left: (clientId: string) => caller(clientId).left(),
    /** The announced events of these types, without their envelopes. */
    told: async (...types: string[]) =>
      (await heard(...types)).map((event) => {
        const { seq: _, sessionId: _id, clientId: _client, ts: _ts, ...payload } = event as any;
        return payload;
      }),
    open: () => Object.values(t.session.projection("openRequests")),
  };
}

/** The oldest open question, as soon as there is one. */
export async function firstOf(kernel: Kernel): Promise<OpenRequest> {
  const all = () => Object.values(kernel.session.projection("openRequests"));
  if (all().length === 0)
    await new Promise<void>((resolve) => {
      const leave = kernel.subscribe(() => {
        if (all().length === 0) return;
        void leave();
        resolve();
      });
    });
  return all()[0] as OpenRequest;
}
