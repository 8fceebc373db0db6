/** Tries several relays, of which one is enough. Runs in browsers, too. */

import { codeOf } from "@scorel/kit/values/coded-error";

/** Milliseconds after which a relay that has not answered is no longer waited for alone. */
const ALONE_MS = 2_000;

/** A relay that was tried in vain, and why. */
export interface Tried {
  address: string;
  thrown: Error;
}

interface Attempts<T> {
  addresses: readonly string[];
  /** When the signal is given, another relay was faster, and the attempt is to end. */
  attempt(address: string, signal: AbortSignal): Promise<T>;
  /** Gives up what an attempt has brought although it was told to end. */
  giveUp(late: T): void;
  aloneMs?: number | undefined;
}

/** What the first relay brings that is reached. Each is tried when the one before it has failed, or is slow. */
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
          for (const other of running) other.abort();
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

/** Each relay that was tried, and why in vain: `wss://relay.example/relay (connect ECONNREFUSED)`. */
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
