/**
 * Our own time in a round: from the end of the model's reply to the arrival of the next request, the tool being the command
 * `true`. Prints rows as JSON. The server is here, so that what it costs is not counted as the command's.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const rounds = 200;
const event = (data) => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (delta, finish_reason = null) =>
  event({
    id: "b",
    object: "chat.completion.chunk",
    created: 1,
    model: "b",
    choices: [{ index: 0, delta, finish_reason }],
  });
const call = (round) => {
  const fn = { name: "Bash", arguments: '{"command":"true"}' };
  return `${chunk({ tool_calls: [{ index: 0, id: `call_${round}`, type: "function", function: fn }] })}${chunk({}, "tool_calls")}data: [DONE]\n\n`;
};
const done = `${chunk({ content: "Done." })}${chunk({}, "stop")}data: [DONE]\n\n`;

const arrived = [];
const answered = [];
const server = createServer(async (request, response) => {
  arrived.push(performance.now());
  await request.resume().forEach(() => {});
  const round = answered.length;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(round < rounds ? call(round) : done, () => answered.push(performance.now()));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const home = mkdtempSync(join(tmpdir(), "scorel-bench-"));
try {
  mkdirSync(join(home, ".scorel"));
  const model = {
    type: "custom",
    api: "openai-completions",
    provider: "local",
    id: "rounds",
    baseUrl: `http://127.0.0.1:${server.address().port}/v1`,
  };
  const lines = Object.entries(model).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  writeFileSync(
    join(home, ".scorel/config.toml"),
    ["[model]", ...lines, "contextWindow = 1000000", "maxTokens = 1000", ""].join("\n"),
  );
  const bin = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
  const child = spawn(process.execPath, [bin, "-p", "go"], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: "ignore",
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the command exited ${code}`);
  const gaps = answered.slice(0, rounds).map((at, round) => arrived[round + 1] - at);
  const middle = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
  console.log(
    JSON.stringify([
      { work: "our time in a round, median of 200", value: middle(gaps), unit: "ms", limit: 5 },
      {
        work: "the same, last 50 against first 50",
        value: middle(gaps.slice(-50)),
        baseline: middle(gaps.slice(0, 50)),
        unit: "ms",
        aim: 1.2,
      },
    ]),
  );
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(home, { recursive: true, force: true });
}
