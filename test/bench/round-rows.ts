/**
 * Scorel's own time in a round, for each API: from the end of a reply to the arrival of the next request, with the
 * command `true` as the tool call. The baseline is a script that does only the minimum (bare-rounds.mjs). The model
 * server runs in this process, apart from the measured command.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type ApiName, formats } from "../model-server.ts";
// @ts-expect-error plain JavaScript, shared with the runner
import { bin, createHome, environment, median, remembering } from "./measure.mjs";

/** The arguments of a call in each round. They differ, since a model that repeats itself is stopped. */
const calls = {
  Bash: (round: number) => JSON.stringify({ command: `true ${round}` }),
  Read: (round: number) => JSON.stringify({ file_path: "note.txt", limit: round + 1 }),
};
type Called = keyof typeof calls;

/** The encoded replies of all rounds: a call in each, and a text in the last. */
function replies(api: ApiName, rounds: number, tool: Called): Buffer[] {
  const tokens = { input: 100, output: 10 };
  const written = Array.from({ length: rounds }, (_, round) => {
    const wire = formats[api].reply({ model: "rounds" }, round, tokens);
    return (
      wire.start() +
      wire.callStart(0, `call_${round}`, tool) +
      wire.callDelta(0, calls[tool](round)) +
      wire.end("toolUse")
    );
  });
  const last = formats[api].reply({ model: "rounds" }, rounds, tokens);
  return [...written, last.start() + last.text("Done.") + last.end("stop")].map((text) => Buffer.from(text));
}

interface Turn {
  api: ApiName;
  rounds: number;
  tool?: Called;
}

/** Milliseconds from the end of each reply to the next request, while `client` runs. */
async function gapsOf(
  { api, rounds, tool = "Bash" }: Turn,
  client: (baseUrl: string) => Promise<void>,
): Promise<number[]> {
  const bytes = replies(api, rounds, tool);
  const arrived: number[] = [];
  const answered: number[] = [];
  const server = createServer(async (request, response) => {
    arrived.push(performance.now());
    await request.resume().forEach(() => {});
    response.writeHead(200, { "content-type": formats[api].contentType });
    response.end(bytes[answered.length], () => answered.push(performance.now()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await client(`http://127.0.0.1:${(server.address() as AddressInfo).port}${formats[api].base}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return answered.slice(0, rounds).map((at, round) => (arrived[round + 1] as number) - at);
}

async function start(args: readonly string[], home: string, env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, args, { cwd: home, env: environment(home, env), stdio: "ignore" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${args.join(" ")} exited ${code}`);
}

interface Measured {
  gaps: number[];
  memory: number;
}

async function scorel(turn: Turn): Promise<Measured> {
  let memory = 0;
  const gaps = await gapsOf(turn, async (baseUrl) => {
    const { home, remove } = createHome(baseUrl, { api: turn.api, id: "rounds" });
    try {
      memory = await remembering(home, (env: Record<string, string>) => start([bin, "--yes", "-p", "go"], home, env));
    } finally {
      remove();
    }
  });
  return { gaps, memory };
}

async function bare(rounds: number): Promise<Measured> {
  let memory = 0;
  const gaps = await gapsOf({ api: "openai-completions", rounds }, async (baseUrl) => {
    const { home, remove } = createHome(baseUrl);
    const args = [join(import.meta.dirname as string, "bare-rounds.mjs"), baseUrl, join(home, "log")];
    try {
      memory = await remembering(home, (env: Record<string, string>) => start(args, home, env));
    } finally {
      remove();
    }
  });
  return { gaps, memory };
}

const rows: object[] = [];
for (const rounds of [50, 200]) {
  for (const api of Object.keys(formats) as ApiName[]) {
    const baseline = await bare(rounds);
    const { gaps, memory } = await scorel({ api, rounds });
    const name = `${rounds} rounds, ${api}`;
    rows.push({
      work: `${name}: our time in one`,
      value: median(gaps),
      baseline: median(baseline.gaps),
      limit: 5,
      memory,
      memoryBaseline: baseline.memory,
    });
    if (rounds < 200) continue;
    const [first, last] = [median(gaps.slice(0, 50)), median(gaps.slice(-50))];
    rows.push({ work: `${name}: last 50 against first 50`, value: last, baseline: first, aim: 1.2 });
  }
}
const long = await scorel({ api: "openai-completions", rounds: 1_000, tool: "Read" });
rows.push(
  {
    work: "1,000 rounds of Read: one of the first 50",
    value: median(long.gaps.slice(1, 51)),
    limit: 5,
    was: "10.1 ms",
  },
  { work: "1,000 rounds of Read: one of the last 50", value: median(long.gaps.slice(-50)), limit: 5, was: "15.2 ms" },
);
console.log(JSON.stringify(rows));
