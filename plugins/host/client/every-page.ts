import type { Page, PageParams } from "../contract.ts";
import { errors } from "./errors.ts";

/** Maximum number of pages to request, including repeated ones. No working host sends more. */
const MAX_PAGES = 1_000;

/**
 * Requests all pages of an answer and joins them: `everyPage((page) => client.request("get_queue", { sessionId, ...page }))`. Starts again
 * if anything but the lists changes between two pages, such as the `seq` of a queue. Throws LINK_PAGES if there are too many pages.
 */
export async function everyPage<R extends Page>(ask: (page: PageParams) => Promise<R>): Promise<R> {
  let all: R | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const next = await ask(all ? { skip: itemsIn(all) } : {});
    if (all && restOf(all) !== restOf(next)) {
      all = undefined;
      continue;
    }
    if (next.more && itemsIn(next) === 0) break;
    all = all ? joined(all, next) : next;
    if (!all.more) return all;
  }
  throw errors.LINK_PAGES({ max: MAX_PAGES });
}

function itemsIn(answer: Page): number {
  return Object.values(answer).reduce((sum: number, value) => sum + (Array.isArray(value) ? value.length : 0), 0);
}

/** The fields of an answer other than its lists and `more`, as JSON. */
function restOf({ more: _, ...answer }: Page): string {
  return JSON.stringify(Object.entries(answer).filter(([, value]) => !Array.isArray(value)));
}

function joined<R extends Page>({ more: _, ...before }: R, next: R): R {
  const lists = Object.entries(before).flatMap(([key, value]) =>
    Array.isArray(value) ? [[key, [...value, ...(next[key as keyof R] as unknown[])]]] : [],
  );
  return { ...next, ...Object.fromEntries(lists) };
}
