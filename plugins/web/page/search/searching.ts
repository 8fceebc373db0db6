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
      client.request("search_sessions", { text, limit: PAGE }).then(
        ({ hits, more }) => isWanted && setFound({ wanted: text, hits: inConversations(hits), hasMore: more === true }),
        (error) => isWanted && setFound({ wanted: text, hits: [], hasMore: false, error }),
      );
    }, PAUSE);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [client, text]);

  const [skipped, setSkipped] = useState({ text, pages: 0 });
  const more = () => {
    const pages = (skipped.text === text ? skipped.pages : 0) + 1;
    setSkipped({ text, pages });
    client.request("search_sessions", { text, limit: PAGE, skip: pages * PAGE }).then(
      (next) =>
        setFound((before) => {
          if (before?.wanted !== text) return before;
          return { ...before, hits: joined(before.hits, inConversations(next.hits)), hasMore: next.more === true };
        }),
      (error) => setFound((before) => (before?.wanted === text ? { ...before, error } : before)),
    );
  };
  return { found, more };
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
  const known = new Set(before.map(({ eventId }) => eventId));
  return [...before, ...next.filter(({ eventId }) => !known.has(eventId))];
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
