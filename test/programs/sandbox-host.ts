import { createKernel } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import sandbox from "@scorel/sandbox";
import { testHeader } from "../harness.ts";

/** Runs a program in a container until this process is killed. */
const [executor, image, folder = "/"] = process.argv.slice(2);
const kernel = await createKernel({
  entries: [{ plugin: sandbox, origin: "test", config: { executor, image } }],
  store: createMemoryStore(testHeader),
});
const service = kernel.find("sandbox");
const run = await service?.start(
  { argv: ["bash", "-c", "echo up; sleep 600"], cwd: folder, mounts: [{ path: folder, access: "read" }] },
  { onOutput: (text) => process.stdout.write(text) },
);
await run?.ended;
