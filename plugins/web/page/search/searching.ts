import type { Hit } from "@scorel/search/contract";
import { useEffect, useState } from "react";
import type { Device } from "../host/device.ts";

/** Time without another letter after which the host is asked, in milliseconds. */
const PAUSE = 200;
/** Characters from which on the host is asked: one letter is everywhere. */
const FEWEST = 2;
const PAGE = 30;

/** What was found in all conversations. */
export interface Search {
  /** The words that were looked for. */
  wanted: string;
  hits: readonly Hit[];
  hasMore: boolean;
  error?: Error & { code?: string };
}

/** Whether words are long enough to look for them in conversations. */
export function isSearched(wanted: string): boolean {
  return wanted.trim().length >= FEWEST;
}

/** Looks for words in the conversations of all sessions. What was found before stays until the host has answered. */
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

/** Names and titles are found in the list of sessions. */
function inConversations(hits: readonly Hit[]): readonly Hit[] {
  return hits.filter(({ eventId, who }) => eventId !== null && who !== "name" && who !== "title");
}

/** A session that changes meanwhile moves to the front, so that a page may begin with what the page before it ended with. */
function joined(before: readonly Hit[], next: readonly Hit[]): readonly Hit[] {
  const known = new Set(before.map(({ eventId }) => eventId));
  return [...before, ...next.filter(({ eventId }) => !known.has(eventId))];
}

/** Where the words stand in a line, as the host has found them: any white space between them, capitals or not. */
export function matchIn(line: string, wanted: string): { before: string; match: string; after: string } | undefined {
  const words = wanted.split(/\s+/).filter(Boolean);
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("\\s+");
  const found = words.length > 0 ? new RegExp(pattern, "iu").exec(line) : null;
  if (!found) return undefined;
  const end = found.index + found[0].length;
  return { before: line.slice(0, found.index), match: found[0], after: line.slice(end) };
}
