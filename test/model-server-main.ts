import { createInterface } from "node:readline";
import { type RecordedRequest, type Reply, startModelServer } from "./model-server.ts";

/**
 * A model server in a separate process. The first line of stdin is the script as JSON. Stdout gets one line with the
 * base URL, then one line for each request. The server ends when stdin does.
 */
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

const lines = createInterface({ input: process.stdin });
lines.once("line", (line) => {
  serve(JSON.parse(line) as Reply[]).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  });
});
lines.once("close", () => process.exit(0));

async function serve(script: readonly Reply[]): Promise<void> {
  const server = await startModelServer((request, index) => {
    tell(request);
    return script[index] as Reply;
  });
  say({ baseUrl: server.baseUrl });
}

function tell({ over: _over, ...request }: RecordedRequest): void {
  say({ request });
}
