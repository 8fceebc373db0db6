/** Tries several relays until one is reached. Runs in browsers, too. */

import { codeOf } from "@scorel/kit/values/coded-error";

/** Milliseconds that one relay may take before the next one is tried as well. */
const ALONE_MS = 2_000;

/** A relay that could not be reached, and why. */
export interface Tried {
  address: string;
  thrown: Error;
}

interface Attempts<T> {
  addresses: readonly string[];
  /** Tries one address. `signal` is aborted when another relay was reached first. */
  attempt(address: string, signal: AbortSignal): Promise<T>;
  /** Discards the result of an attempt that succeeded too late. */
  giveUp(late: T): void;
  aloneMs?: number | undefined;
}

/**
 * Tries the addresses in order, and resolves with the first result. The next one starts when the one before has failed or is slow. If all
 * have failed, resolves with their errors.
 */
export function firstReached<T>(attempts: Attempts<T>): Promise<{ reached: T } | { tried: Tried[] }> {
  const { addresses, attempt, giveUp, aloneMs = ALONE_MS } = attempts;
  const running = new Set<AbortController>();
  const failed = new Map<string, Error>();
  let next = 0;
  let isReached = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new Promise((resolve) => {
    const begin = () => {
      clearTimeout(timer);
      const address = addresses[next++];
      if (address === undefined) return;
      const controller = new AbortController();
      running.add(controller);
      timer = setTimeout(begin, aloneMs);
      attempt(address, controller.signal).then(
        (reached) => {
          if (isReached) return giveUp(reached);
          isReached = true;
          clearTimeout(timer);
          running.delete(controller);
          for (const other of running) other.abort("another relay was faster");
          resolve({ reached });
        },
        (thrown: Error) => {
          running.delete(controller);
          failed.set(address, thrown);
          if (isReached) return;
          if (failed.size < addresses.length) return begin();
          clearTimeout(timer);
          resolve({ tried: inOrder(addresses, failed) });
        },
      );
    };
    begin();
  });
}

function inOrder(addresses: readonly string[], failed: ReadonlyMap<string, Error>): Tried[] {
  return addresses.map((address) => ({ address, thrown: failed.get(address) as Error }));
}

/** Strings such as `wss://relay.example/relay (connect ECONNREFUSED)`, one for each relay that was tried. */
export function triedTexts(tried: readonly Tried[]): string[] {
  return tried.map(({ address, thrown }) => `${address} (${whyNot(thrown)})`);
}

function whyNot(thrown: Error): string {
  const { reason, text, seconds } =
    (thrown as { data?: { reason?: string; text?: string; seconds?: number } }).data ?? {};
  switch (codeOf(thrown)) {
    case "RELAY_AWAY":
      return "the host is not connected with it";
    case "RELAY_SILENT":
      return `the host has not answered within ${seconds} s`;
    case "RELAY_REFUSED":
      return `it refuses: ${text}`;
    case "RELAY_UNREACHABLE":
    case "RELAY_CODE_ENDED":
      return String(reason);
    default:
      return thrown.message;
  }
}
