import { text } from "node:stream/consumers";
import { Ledger } from "../../../plugins/kit/process/ledger.ts";
import { startShell } from "../../../plugins/local/processes/start.ts";
import { run } from "../../../plugins/sandbox/process.ts";

/** Starts programs in each way in which those of a sandbox are started, and prints what they find in these files. */
const LOOK = 'for fd in 5 100 200; do cat "/proc/self/fd/$fd" 2>/dev/null; done; echo done';

const cwd = process.argv[2] as string;
const limits = { seconds: 60, cpuSeconds: 60, memoryBytes: 1e9, processes: 64, fileBytes: 1e6 };
let said = "";
const started = await run(
  {
    ...{ executor: "bubblewrap", file: "/bin/sh", args: ["-c", LOOK], env: { PATH: "/usr/bin:/bin" }, watched: false },
    failure: async () => undefined,
    release: async () => {},
  },
  { argv: ["true"], cwd, env: {}, mounts: [], network: false, limits, interactive: false },
  { onOutput: (more) => (said += more) },
  new Ledger(cwd, "test", () => {}),
  () => {},
);
await started.ended;
const { child } = await startShell({ command: ["/bin/sh", "-c", LOOK], cwd, env: process.env } as never, "mark");
said += await text(child.stdout as NodeJS.ReadableStream);
process.stdout.write(`${JSON.stringify(said)}\n`);
