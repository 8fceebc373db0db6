import { withCopy } from "@scorel/kernel/containment";
import { copyPlain } from "@scorel/kit/values/copy";
import type { ContainedPlugin } from "./contained-plugin.ts";

type Handler = (input: unknown, signal: AbortSignal) => unknown;

/** Wraps each layer of the table that `hooks` returned. Anything else is passed on, for the kernel to refuse. */
export function containedTaps(hooks: unknown, contained: ContainedPlugin): object {
  if (typeof hooks !== "object" || hooks === null || Symbol.iterator in hooks || hooks instanceof Promise)
    return hooks as object;
  return Object.fromEntries(Object.entries(hooks).map(([hook, tap]) => [hook, containedTap(hook, tap, contained)]));
}

/**
 * Wraps a layer: it gets a copy of its input, and is not called after it was switched off. Anything else is passed on, for
 * the kernel to refuse.
 */
export function containedTap(hook: string, tap: unknown, contained: ContainedPlugin): unknown {
  if (typeof tap === "function") return containedHandler(hook, tap as Handler, contained);
  const { handler, critical } = Object(tap) as { handler?: unknown; critical?: unknown };
  if (typeof handler !== "function") return tap;
  if (critical) contained.guarded.add(hook);
  return { ...(tap as object), handler: containedHandler(hook, handler as Handler, contained) };
}

function containedHandler(hook: string, handler: Handler, contained: ContainedPlugin): Handler {
  const call = contained.call(hook);
  const layer: Handler = (input, signal) => {
    if (contained.isOff(layer)) return undefined;
    if (typeof input !== "object" || input === null) return call.run(handler, input, signal);
    const copy = copyPlain(input);
    const answer = call.run(handler, copy, signal);
    return isThenable(answer) ? settled(answer).then((later) => withCopy(copy, later)) : withCopy(copy, answer);
  };
  return layer;
}

/**
 * A promise of what a thenable resolves with. Its own `then` may return anything, also when the thenable is a promise whose
 * `then` was replaced.
 */
function settled(answer: PromiseLike<unknown>): Promise<unknown> {
  return new Promise((resolve) => resolve(answer));
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
