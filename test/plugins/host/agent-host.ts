import { createAgent } from "@scorel/agent";
import host from "@scorel/host";
import type { Client, HostService } from "@scorel/host/contract";
import { type AnyPlugin, createKernel, type Kernel, type KernelEntry } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import logs from "@scorel/logs";
import messages from "@scorel/messages";
import model from "@scorel/model";
import { testHeader } from "../../harness.ts";
import { customModel, impatient } from "../agent/setup.ts";

export interface AgentHost extends AsyncDisposable {
  kernel: Kernel;
  client: Client;
}
interface More {
  /** Beside the host's own, and beside messages, model and agent in each session. */
  host?: AnyPlugin[];
  session?: (AnyPlugin | KernelEntry)[] | (() => (AnyPlugin | KernelEntry)[]);
  /** The table `[host]`. */
  config?: Record<string, unknown>;
  /** Keys of `[model]` besides those of the server, and the table `[models]`. */
  model?: Record<string, unknown>;
}

/** A host over the present HOME, whose sessions have the real agent and model plugin, for a server at `baseUrl`. */
export async function agentHost(baseUrl: string, more: More = {}): Promise<AgentHost> {
  const entry = (plugin: AnyPlugin, config?: unknown): KernelEntry => ({ plugin, origin: "test", config });
  const composition = {
    sessionPlugins: async () => ({
      entries: [
        entry(messages),
        entry(model, { ...customModel, baseUrl, ...more.model }),
        entry(createAgent(impatient), { retries: 0 }),
        ...(typeof more.session === "function" ? more.session() : (more.session ?? [])).map((each) =>
          "plugin" in each ? each : entry(each),
        ),
      ],
      problems: [],
    }),
    kernel: () => kernel,
  };
  const kernel: Kernel = await createKernel({
    entries: [entry(logs), entry(host, more.config), ...(more.host ?? []).map((plugin) => entry(plugin))],
    store: createMemoryStore(testHeader),
    services: { composition },
  });
  const client = (kernel.find("host") as HostService).connect({ clientId: "tester", checkResults: true });
  return { kernel, client, [Symbol.asyncDispose]: () => kernel.stop() };
}
