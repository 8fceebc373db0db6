import type { Invocation } from "@scorel/cli/contract";
import { messageOf } from "@scorel/kernel";
import type { LoginWay, ModelAdminService } from "@scorel/model/contract";
import { errors } from "./errors.ts";
import { createLines, type Lines, pipedAnswer } from "./lines.ts";
import { readSecret } from "./secret-input.ts";

/** Exit code after Ctrl-C. */
const INTERRUPTED = 130;

/** The provider from the command line, or else the answer to a question. Throws MODELS_LOGIN_ENDED and MODELS_LOGIN_CANCELLED. */
export async function providerOf(invocation: Invocation): Promise<string> {
  const [named] = invocation.args;
  if (named !== undefined) return named;
  invocation.stdout.write("Provider, such as openai or anthropic, or `custom` for your own server: ");
  const answer = await firstAnswer(invocation);
  if (answer === "") throw errors.MODELS_LOGIN_ENDED();
  return answer;
}

async function firstAnswer(invocation: Invocation): Promise<string> {
  if (invocation.stdin.isTTY !== true) return pipedAnswer(invocation);
  const lines = createLines(invocation);
  try {
    return await lines.answer();
  } finally {
    lines.close();
  }
}

/** Runs `scorel login <provider>`, with a key or a subscription. */
export async function login(invocation: Invocation, provider: string, admin: ModelAdminService): Promise<number> {
  const way = await chosenWay(invocation, provider, await admin.waysIn(provider));
  const stored = await (way === "key" ? storeKey : signIn)(invocation, admin, provider);
  if (stored === undefined) return INTERRUPTED;
  const { path, shadowedBy } = stored;
  const what = way === "key" ? "the key for" : "the login to";
  const note = shadowedBy === undefined ? "" : `The environment variable ${shadowedBy} is set, and wins over it.\n`;
  invocation.stdout.write(`Stored ${what} ${provider} in ${path}.\n${note}To try it: scorel model check\n`);
  return 0;
}

/**
 * Returns the way to log in: as requested, the only one, as answered in a terminal, or else a key, which programs pipe
 * in.
 */
async function chosenWay(invocation: Invocation, provider: string, ways: readonly LoginWay[]): Promise<LoginWay> {
  const asked = invocation.options.with as LoginWay | undefined;
  if (asked !== undefined) return asked;
  const [only = "key", other] = ways;
  if (other === undefined) return only;
  if (invocation.stdin.isTTY !== true) return "key";
  const lines = createLines(invocation);
  try {
    return await askWay(lines, provider, invocation.stdout);
  } finally {
    lines.close();
  }
}

async function askWay(lines: Lines, provider: string, stdout: Invocation["stdout"]): Promise<LoginWay> {
  stdout.write(`Log in to ${provider} with a key (k) or a subscription (s)? `);
  const answer = await lines.answer();
  if (/^s/i.test(answer)) return "subscription";
  return /^k/i.test(answer) ? "key" : askWay(lines, provider, stdout);
}

async function storeKey(invocation: Invocation, admin: ModelAdminService, provider: string) {
  const key = await readSecret(`Key for ${provider} (not shown): `, invocation);
  if (key === undefined || key === "") throw errors.MODELS_NO_KEY({ provider });
  return admin.login(provider, key);
}

async function signIn(invocation: Invocation, admin: ModelAdminService, provider: string) {
  const { stdout, stderr, interrupt: signal } = invocation;
  const lines = createLines(invocation);
  try {
    return await admin.signIn(provider, {
      show: (address, instructions) =>
        void stdout.write(`Open this address in a browser, on any machine:\n\n${address}\n\n${instructions ?? ""}\n`),
      async ask(question, mayBeEmpty) {
        stdout.write(`${question}: `);
        // There is no more input, but the login may still finish in the browser.
        return (await lines.next()) ?? (mayBeEmpty ? "" : new Promise<string>(() => {}));
      },
      tell: (progress) => void stdout.write(`${progress}\n`),
      signal,
    });
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    stderr.write(`scorel: ${messageOf(thrown)}\n`);
    return undefined;
  } finally {
    lines.close();
  }
}
