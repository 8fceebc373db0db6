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
  /** Plugins of the host, in addition to the logs and the host's own. */
  host?: AnyPlugin[];
  session?: (AnyPlugin | KernelEntry)[] | (() => (AnyPlugin | KernelEntry)[]);
  /** The table `[host]`. */
  config?: Record<string, unknown>;
  /** Keys of `[model]` in addition to those for the server, and the table `[models]`. */
  model?: Record<string, unknown>;
}

/**
 * A host in the current HOME whose sessions have the real agent and the real model plugin, for a model server at
 * `baseUrl`.
 */
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
