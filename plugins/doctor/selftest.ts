import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@scorel/kernel";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import type { CheckContext, Part } from "./check-context.ts";
import type { SelfTestReport } from "./contract.ts";
import { run } from "./process.ts";

const LIMIT_MS = 30_000;
/** Environment variables passed on to the self-test. */
const PASSED = ["PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "SystemRoot"];
const WORDS = "The self-test has read this line.";

/**
 * Runs a turn of the demonstration model with the real tools, in a separate process, home and project, and checks the
 * resulting log. Removes everything afterwards, also after Ctrl-C.
 */
export async function selfTest(context: CheckContext): Promise<Part> {
  const began = performance.now();
  const steps: { did: string; ms: number }[] = [];
  let root: string | undefined;
  const remove = () => root !== undefined && rmSync(root, { recursive: true, force: true });
  // A second Ctrl-C exits at once, so clean up on exit as well.
  process.once("exit", remove);
  try {
    root = makeTemporaryFolder("scorel-selftest-");
    await play(context, root, steps);
    return report({ steps, passed: true, ms: since(began) });
  } catch (thrown) {
    return report({ steps, passed: false, ms: since(began) }, messageOf(thrown));
  } finally {
    remove();
    process.off("exit", remove);
  }
}

async function play(context: CheckContext, root: string, steps: { did: string; ms: number }[]): Promise<void> {
  const step = async <R>(did: string, work: () => R | Promise<R>): Promise<R> => {
    const began = performance.now();
    const found = await work();
    steps.push({ did, ms: since(began) });
    return found;
  };
  const place = await step("made a home and a project", () => makePlace(root));
  const scorel = (...args: string[]) => ended(context, place, args);
  const turn = ["--preset", "coding", "--model", "offline/demo", "-p", "read hello.txt"];
  const said = await step("asked the demonstration model to read a file", () => scorel(...turn));
  if (!said.includes(WORDS)) throw new Error(`the answer was not what the file says: ${said.trim()}`);
  const sessionId = await step("found the call and its result in the log", () => sessionIn(place.home));
  await step("verified the log", () => scorel("session", "verify", sessionId));
}

interface Place {
  home: string;
  project: string;
}

function makePlace(root: string): Place {
  const place = { home: join(root, "home"), project: join(root, "project") };
  for (const folder of Object.values(place)) mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(place.project, "hello.txt"), `${WORDS}\n`);
  return place;
}

/** Runs a command and returns its output; throws its error message when it fails. */
async function ended(
  { env, interrupt, self }: CheckContext,
  { home, project }: Place,
  args: string[],
): Promise<string> {
  const kept = Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  const how = { cwd: project, env: { ...kept, HOME: home, USERPROFILE: home }, limit: LIMIT_MS, signal: interrupt };
  const [program, ...first] = self;
  const { code, stdout, stderr, late, reason } = await run([program, ...first, ...args], how);
  if (code === 0) return stdout;
  if (late) throw new Error(`it took longer than ${LIMIT_MS / 1000} s`);
  throw new Error(stderr.trim() || stdout.trim() || reason || `exit ${code}`);
}

/** Returns the id of the only session after checking its log. */
function sessionIn(home: string): string {
  const folder = join(home, ".scorel", "sessions");
  const [log, ...more] = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  if (log === undefined || more.length > 0)
    throw new Error(`there are ${more.length + (log ? 1 : 0)} logs instead of one`);
  const roles = Array.from(readFileSync(join(folder, log), "utf8").matchAll(/"role":"(\w+)"/g), ([, role]) => role);
  const expected = ["user", "assistant", "tool_result", "assistant"];
  if (roles.join() !== expected.join()) throw new Error(`the log holds the messages ${roles.join(", ")}`);
  return log.replace(/\.jsonl$/, "");
}

function report(selftest: SelfTestReport, why?: string): Part {
  const seconds = (selftest.ms / 1000).toFixed(1);
  const doNext = "Run it again; if it fails again, install Scorel again, and report what it says.";
  return {
    selftest,
    findings: [
      why === undefined
        ? { code: "SELFTEST", severity: "ok", what: `The self-test passed in ${seconds} s.`, where: "", doNext: "" }
        : { code: "SELFTEST_FAILED", severity: "error", what: `The self-test failed: ${why}`, where: "", doNext },
    ],
  };
}

function since(began: number): number {
  return Math.round(performance.now() - began);
}
