import type { Hit } from "@scorel/search/contract";
import { useEffect, useState } from "react";
import type { Device } from "../host/device.ts";

/** Milliseconds after the last typed character until the host is asked. */
const PAUSE = 200;
/** Shortest search text. A single letter would match everywhere. */
const FEWEST = 2;
const PAGE = 30;

/** Result of a search in all conversations. */
export interface Search {
  /** The words that were searched for. */
  wanted: string;
  hits: readonly Hit[];
  /** Number of pages that were read. */
  pages: number;
  hasMore: boolean;
  error?: Error & { code?: string };
}

/** Whether the text is long enough to search for. */
export function isSearched(wanted: string): boolean {
  return wanted.trim().length >= FEWEST;
}

/** Searches the conversations of all sessions. Previous results stay until the host has answered. */
export function useSearch({ client }: Device, wanted: string): { found: Search | undefined; more(): void } {
  const [found, setFound] = useState<Search>();
  const text = wanted.trim();
  useEffect(() => {
    if (!isSearched(text)) return setFound(undefined);
    let isWanted = true;
    const timer = setTimeout(() => {
      const nothing = { wanted: text, hits: [], pages: 0, hasMore: false };
      void withMore(client, nothing).then((first) => isWanted && setFound(first));
    }, PAUSE);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [client, text]);
  const more = () => {
    if (found) void withMore(client, found).then((next) => setFound((now) => (now === found ? next : now)));
  };
  return { found, more };
}

/** Adds the next page to a result. If the host refuses it, adds the reason, and the same page is the next one. */
export async function withMore(client: Pick<Device["client"], "request">, before: Search): Promise<Search> {
  const { wanted, hits, pages } = before;
  try {
    const next = await client.request("search_sessions", { text: wanted, limit: PAGE, skip: pages * PAGE });
    const all = joined(hits, inConversations(next.hits));
    return { wanted, hits: all, pages: pages + 1, hasMore: next.more === true };
  } catch (thrown) {
    return { ...before, error: thrown as Error };
  }
}

/** Leaves out matches in names and titles, since the list of sessions shows those. */
function inConversations(hits: readonly Hit[]): readonly Hit[] {
  return hits.filter(({ eventId, who }) => eventId !== null && who !== "name" && who !== "title");
}

/**
 * Appends a page of results without duplicates: a session that changes meanwhile moves to the front, so that the next page may repeat the
 * last results.
 */
function joined(before: readonly Hit[], next: readonly Hit[]): readonly Hit[] {
  const known = new Set(before.map(keyOf));
  return [...before, ...next.filter((hit) => !known.has(keyOf(hit)))];
}

/** Identifies a match. The copy of a session has events with the same ids. */
export function keyOf({ sessionId, eventId, who }: Hit): string {
  return `${sessionId} ${eventId} ${who}`;
}

/** Splits a line at the match, by the same rules as the host: any white space between words, and ignoring case. */
export function matchIn(line: string, wanted: string): { before: string; match: string; after: string } | undefined {
  const words = wanted.split(/\s+/).filter(Boolean);
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("\\s+");
  const found = words.length > 0 ? new RegExp(pattern, "iu").exec(line) : null;
  if (!found) return undefined;
  const end = found.index + found[0].length;
  return { before: line.slice(0, found.index), match: found[0], after: line.slice(end) };
}
