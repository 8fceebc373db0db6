import blobs from "@scorel/blobs";
import history from "@scorel/history";
import host from "@scorel/host";
import type { Client, ConnectOptions, HostService, SessionHandle } from "@scorel/host/contract";
import { type AnyPlugin, createKernel, definePlugin, type Kernel } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import logs from "@scorel/logs";
import transfer from "@scorel/transfer";
import { z } from "zod";
import type { Asked } from "../../presets/composition/asked.ts";
import { createComposition } from "../../presets/composition/composition.ts";
import { testHeader } from "../harness.ts";
import { askedIn } from "./asked.ts";
import type { Place } from "./place.ts";

/** A host in this process whose sessions are composed from the files of a place, as the command does. */
export interface Desk extends AsyncDisposable {
  client: Client;
  another(options?: ConnectOptions): Client;
  /** The open session object, which clients cannot reach. */
  inside(sessionId: string): Promise<SessionHandle>;
  /** Runs a slash command and returns what it prints. */
  say(sessionId: string, line: string): Promise<string | undefined>;
  notices: string[];
}

declare module "@scorel/host/contract" {
  interface Operations {
    test_inside: { params: { sessionId: string }; result: SessionHandle };
  }
}

const window: AnyPlugin = definePlugin({
  id: "window",
  name: "Window",
  version: "1.0.0",
  scope: "host",
  operations: () => ({
    test_inside: {
      params: z.object({ sessionId: z.string() }),
      run: ({ sessionId }, { open }) => open(sessionId),
    },
  }),
});

export async function desk({ project }: Place, more: Partial<Asked> = {}): Promise<Desk> {
  const { asked, notices } = askedIn(project, { preset: "base", ...more });
  const kernel: Kernel = await createKernel({
    entries: [logs, host, blobs, history, transfer, window].map((plugin) => ({ plugin, origin: "test" })),
    store: createMemoryStore(testHeader),
    services: { composition: createComposition(asked, () => kernel) },
  });
  const { connect } = kernel.find("host") as HostService;
  const client = connect({ clientId: "tester", checkResults: true });
  return {
    client,
    another: (options) => connect(options),
    inside: (sessionId) => client.request("test_inside", { sessionId }),
    async say(sessionId, line) {
      const [, name = "", args = ""] = /^\/(\S+)\s*(.*)$/.exec(line) ?? [];
      return (await client.request("run_command", { sessionId, name, args })).output;
    },
    notices,
    [Symbol.asyncDispose]: () => kernel.stop(),
  };
}
