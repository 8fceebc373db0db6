import { join } from "node:path";
import artifacts from "@scorel/artifacts";
import type { ArtifactsService } from "@scorel/artifacts/contract";
import blobs from "@scorel/blobs";
import host from "@scorel/host";
import { createKernel, type definePlugin, type KernelEntry } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import logs from "@scorel/logs";
import { createJsonlStore } from "../../plugins/logs/jsonl-store.ts";
import { testHeader } from "../harness.ts";

/** Saves versions of one artifact of the user in the home that HOME names, and prints each one that is saved. */
const [sessionId = "", content = ""] = process.argv.slice(2);
const entry = (plugin: ReturnType<typeof definePlugin>): KernelEntry => ({ plugin, origin: "test" });
const composition = { sessionPlugins: async () => ({ entries: [], problems: [] }), kernel: () => parent };
const parent = await createKernel({
  entries: [logs, host, blobs, artifacts].map((plugin) => entry(plugin as never)),
  store: createMemoryStore(testHeader),
  services: { composition } as never,
});
const log = join(process.env.HOME as string, `${sessionId}.jsonl`);
const session = await createKernel({
  entries: [],
  store: createJsonlStore(log, { create: { ...testHeader, sessionId } }),
  parent,
} as never);
const own = (parent.find("artifacts") as ArtifactsService).of(session.session);
for (let at = 0; ; at++) {
  const bytes = Buffer.from(`${content} ${at} `.repeat(10_000));
  const { version, sha256 } = await own.save({ name: "user:a", content: bytes, mimeType: "text/plain" });
  process.stdout.write(`${version} ${sha256}\n`);
}
