import { resolve } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { agrees } from "@scorel/kit/terminal/answer";
import { visibleText } from "@scorel/kit/text/plain";
import { nearest } from "@scorel/kit/values/nearest";
import type { TrustService } from "./contract.ts";
import { errors } from "./errors.ts";
import { decide, describe, describeHeld, questionAboutHeld } from "./question.ts";

/** `scorel trust --dev` */
export async function byPath(trust: TrustService, invocation: Invocation): Promise<number> {
  if (invocation.options.dev !== true) throw how(invocation.args[0]);
  return say(
    invocation,
    `${await trust.trustByPath(asked(invocation))} is trusted whatever it contains, and each start says so.`,
  );
}

/**
 * The error for `scorel trust` without an action or `--dev`. A word that resembles an action is more likely a typing
 * mistake than a path.
 */
function how(word = "") {
  return errors.TRUST_HOW({ word, nearest: nearest(word, ["list", "add", "confirm", "forget", "remove"]) });
}

/** `scorel trust list` */
export async function list(trust: TrustService, invocation: Invocation): Promise<number> {
  const projects = await trust.list();
  if (invocation.options.output === "json") return say(invocation, JSON.stringify(projects));
  const width = Math.max(0, ...projects.map(({ state }) => state.length));
  const rows = projects.map(({ path, state, since }) => `${state.padEnd(width)}  ${since.slice(0, 10)}  ${path}`);
  return say(invocation, ...(rows.length > 0 ? rows : ["No project is trusted."]));
}

/** `scorel trust add`: returns exit code 1 when the user says no. */
export async function add(trust: TrustService, invocation: Invocation): Promise<number> {
  const review = await trust.review(asked(invocation), true);
  if (!review) throw errors.TRUST_NOTHING({ path: asked(invocation) });
  if (invocation.options.yes === true || !invocation.stdin.isTTY) say(invocation, describe(review));
  if (invocation.options.yes !== true) {
    if (!invocation.stdin.isTTY) throw errors.TRUST_UNCONFIRMED({ path: review.path });
    if (!(await decide(review, invocation))) return 1;
  }
  await review.accept();
  return say(invocation, `${review.path} is trusted as it is now.`);
}

/** `scorel trust confirm`: returns exit code 1 when the user says no. */
export async function confirm(trust: TrustService, invocation: Invocation): Promise<number> {
  const extension = invocation.args[0];
  const held = await trust.held();
  const wanted = held.filter(({ id }) => extension === undefined || id === extension);
  if (wanted.length === 0 && extension !== undefined)
    throw errors.TRUST_NOT_HELD({ extension, held: [...new Set(held.map(({ id }) => id))] });
  if (wanted.length === 0) return say(invocation, "No extension of yours is held back.");
  const asks = invocation.options.yes !== true && invocation.stdin.isTTY;
  if (asks && !(await agrees(questionAboutHeld(wanted), invocation))) return 1;
  if (!asks) say(invocation, describeHeld(wanted));
  if (!asks && invocation.options.yes !== true) throw errors.TRUST_CONFIRM({ extension });
  await trust.confirm(wanted);
  return say(invocation, "Loaded from now on, as they are now.");
}

/** `scorel trust forget` */
export async function forget(trust: TrustService, invocation: Invocation): Promise<number> {
  const [extension = ""] = invocation.args;
  if (!(await trust.forget(extension))) throw errors.TRUST_NO_GUARD({ extension });
  return say(invocation, `What "${extension}" guarded is no longer denied while it does not run.`);
}

/** `scorel trust remove` */
export async function remove(trust: TrustService, invocation: Invocation): Promise<number> {
  const removed = await trust.remove(asked(invocation));
  if (removed === undefined) throw errors.TRUST_NONE({ path: asked(invocation) });
  return say(invocation, `${removed} is no longer trusted.`);
}

function asked({ cwd, args: [given = "."] }: Invocation): string {
  return resolve(cwd, given);
}

/** Prints lines with control characters made visible, since file names can come from anyone. Returns exit code 0. */
function say({ stdout }: Invocation, ...lines: string[]): number {
  stdout.write(visibleText(lines.map((line) => `${line}\n`).join("")));
  return 0;
}
