import { basename, resolve } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import type { Client, HostService } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { createOutput, type Output } from "@scorel/kit/terminal/output";
import { plainText } from "@scorel/kit/text/plain";
import { shellWord } from "@scorel/kit/text/shell-word";
import type { DirectEnd, DirectRequest } from "@scorel/runner/contract";
import type { SessionOptions } from "@scorel/workspace/contract";
import { errors } from "./errors.ts";

/** Exit codes as shells and `timeout` use them. */
const CODES = { timeout: 124, cancelled: 130, killed: 137, memory: 137, processes: 137 } as const;
const NEVER_RAN = 126;
const UNREAD = 141;

/** Runs a skill's program with the streams of this process, and returns its exit code. */
export async function run(host: HostService | undefined, invocation: Invocation): Promise<number> {
  if (!host) throw errors.SKILLBOOK_NO_HOST();
  const { options, cwd, interrupt } = invocation;
  const asked = requestOf(invocation);
  const client = host.connect();
  try {
    const sandbox = options.sandbox as SessionOptions["sandbox"];
    const { sessionId, notices } = await client.request("create_session", { cwd, unsaved: true, sandbox });
    for (const { code, message } of notices)
      if (/^(SKILL|TRUST)_/.test(code)) invocation.stderr.write(plainText(`scorel: ${message}\n`));
    const { run: id } = await client.request("run_skill", { sessionId, ...asked });
    const program = { request: client.request, sessionId, run: id };
    const stop = () => void client.request("end_run", { sessionId, run: id }).catch(() => {}); // The run may have ended already.
    interrupt.addEventListener("abort", stop, { once: true });
    if (interrupt.aborted) stop();
    if (asked.stdin) void feed(program, invocation.stdin);
    return await follow(program, invocation);
  } catch (thrown) {
    throw codeOf(thrown) === "HOST_OPERATION_UNKNOWN" ? errors.SKILLBOOK_NO_RUNNER() : thrown;
  } finally {
    invocation.stdin.pause();
    await client.close();
  }
}

function requestOf({ args, options, cwd }: Invocation): DirectRequest {
  const [skill = "", ...words] = args;
  const { input = [], out, keep, timeout } = options as Record<string, string | string[] | boolean | undefined>;
  const files = (input as string[]).map((each) => (/^\w+:\/\//.test(each) ? each : resolve(cwd, each)));
  const names = files.map((each) => basename(each));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw errors.SKILLBOOK_INPUTS({ name: twice });
  const seconds = timeout === undefined ? undefined : Number(timeout);
  if (seconds !== undefined && !(seconds > 0)) throw errors.SKILLBOOK_SECONDS({ given: String(timeout) });
  return {
    request: {
      skill,
      command: words.length === 1 ? (words[0] as string) : words.map(shellWord).join(" "),
      inputs: files.map((from) => ({ from: from.startsWith("/") ? `host://${from}` : from })),
      ...(seconds !== undefined && { timeout: seconds }),
    },
    stdin: true,
    host: files.filter((from) => from.startsWith("/")),
    ...(out !== undefined && { out: resolve(cwd, String(out)) }),
    ...(keep === true && { keep }),
  };
}

interface Program {
  request: Client["request"];
  sessionId: string;
  run: string;
}

/** Passes on input as fast as the program reads it. */
async function feed({ request, ...program }: Program, stdin: Invocation["stdin"]): Promise<void> {
  const give = (chunk: Buffer, end = false) =>
    request("feed_run", { ...program, base64: chunk.toString("base64"), end }).catch(() => ({ open: false }));
  try {
    for await (const chunk of stdin) if (!(await give(Buffer.from(chunk))).open) return;
  } catch {
    // Unreadable input counts as ended.
  }
  await give(Buffer.alloc(0), true);
}

async function follow({ request, ...program }: Program, { stdout, stderr, options }: Invocation): Promise<number> {
  const json = options.output === "json";
  const streams = { stdout: createOutput(stdout), stderr: createOutput(stderr) };
  for (;;) {
    const { output, ended } = await request("follow_run", program);
    if (!json) for (const { from, base64 } of output) await streams[from].write(Buffer.from(base64, "base64"));
    if (streams.stdout.failure) await request("end_run", program);
    if (!ended) continue;
    if (json) await streams.stdout.write(`${JSON.stringify(ended.result)}\n`);
    const told = streams.stdout.failure ? [] : remarks(ended, json);
    for (const line of told) await streams.stderr.write(`scorel: ${plainText(line)}\n`);
    const { complaint } = streams.stdout;
    if (complaint !== undefined) await streams.stderr.write(`${plainText(complaint)}\n`);
    return codeFor(ended, streams.stdout);
  }
}

function codeFor({ exitCode, ended, failed }: DirectEnd, { failure, complaint }: Output): number {
  if (failure) return complaint === undefined ? UNREAD : 1;
  if (failed !== undefined) return NEVER_RAN;
  return exitCode ?? CODES[ended ?? "killed"];
}

const ENDS = {
  timeout: "the program was ended: its time limit was reached",
  cancelled: "the program was ended",
  killed: "the program was killed",
  memory: "the program was ended: it used more memory than allowed",
  processes: "the program was ended: it started more processes than allowed",
} as const;

/** Lines about a run, besides the program's own output. */
function remarks({ files, leftOut, ended, failed, workspace }: DirectEnd, json: boolean): string[] {
  const left = files.filter(({ to }) => to === undefined).map(({ name }) => name);
  const gone = `${left.join(", ")}: removed with the workspace; --out <dir> copies such files, --keep keeps the workspace`;
  return [
    ...(failed === undefined ? [] : [`the program was not run: ${failed}`]),
    ...(ended ? [ENDS[ended]] : []),
    ...files.flatMap(({ to, size }) => (to === undefined ? [] : [`wrote ${to} (${size} bytes)`])),
    ...leftOut,
    ...(workspace === undefined ? [] : [`the workspace is ${workspace}`]),
    ...(left.length > 0 && workspace === undefined && !json ? [gone] : []),
  ];
}
