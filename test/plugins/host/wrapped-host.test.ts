import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import hostPlugin from "@scorel/host";
import type { Client, HostService, Operation } from "@scorel/host/contract";
import { createKernel, definePlugin, type KernelEntry, ScorelError } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import logs from "@scorel/logs";
import { expect, it } from "vitest";
import { contained, testHeader } from "../../harness.ts";
import { ask, testHome, testHost } from "./home.ts";

/** Serves the operations of a host over HTTP on this computer. */
async function served(client: Client): Promise<AsyncDisposable & { url: string }> {
  const answer = async (body: string) => {
    const [operation, params] = JSON.parse(body) as [Operation, never];
    return client.request(operation, params).then(
      (result) => ({ result }),
      ({ code, message }) => ({ code, message }),
    );
  };
  const server = createServer(async (request, response) => {
    response.end(JSON.stringify(await answer(await text(request))));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((closed) => server.close(() => closed()));
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}

async function forward(url: string, asked: unknown[]): Promise<unknown> {
  const headers = { connection: "close" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(asked) });
  const { result, code, message } = (await response.json()) as { result?: object; code?: string; message: string };
  if (code !== undefined) throw new ScorelError(code, message);
  return result;
}

it("an extension lets every client connect elsewhere, while files of this computer stay with their own services", async () => {
  using home = testHome();
  await using elsewhere = await testHost();
  await using server = await served(elsewhere.client);
  /** A client that sends its requests to the other host. */
  const connect = () => ({ request: (...asked: unknown[]) => forward(server.url, asked) }) as unknown as Client;
  const wrapper = definePlugin({
    id: "elsewhere",
    name: "Elsewhere",
    version: "1.0.0",
    scope: "host",
    serviceWrappers: () => ({ host: () => ({ connect }) }),
  });
  let found: HostService | undefined;
  const user = definePlugin({
    id: "user",
    name: "User",
    version: "1.0.0",
    scope: "host",
    needs: ["host"],
    cliCommands: (ctx) => {
      found = ctx.find("host");
      return [];
    },
  });
  const entries: KernelEntry[] = [
    { plugin: logs, origin: "test" },
    { plugin: hostPlugin, origin: "test" },
  ];
  const composition = { sessionPlugins: () => Promise.reject(new Error("no session is opened here")) };
  const kernel = await createKernel({
    entries: [...entries, contained(wrapper), { plugin: user, origin: "test" }],
    store: createMemoryStore(testHeader),
    services: { composition: composition as never },
  });
  try {
    kernel.collect("cliCommands");
    const client = (found as HostService | undefined)?.connect() as Client;
    const { sessionId } = await client.request("create_session", { cwd: home.cwd });
    expect(await ask(client, sessionId, "hello")).toBe("echo: hello");
    const unknown = client.request("get_status", { sessionId: "nothere" });
    await expect(unknown).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
    expect(kernel.find("directories")?.directory(home.cwd)).toBe(home.cwd);
    expect(kernel.find("sessionLogs")?.sessionsDir).toBe(home.session("").replace(/\/$/, ""));
    expect(
      kernel
        .find("sessionOptions")
        ?.known()
        .map(({ key }) => key),
    ).toContain("permission");
    const file = home.session("../counter.json");
    await kernel.find("sharedFiles")?.changeFile(file, (text) => `${text ?? ""}1`);
    expect(home.files()).toContain(`${sessionId}.jsonl`);
  } finally {
    await kernel.stop();
  }
});
