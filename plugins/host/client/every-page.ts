import type { Page, PageParams } from "../contract.ts";
import { errors } from "./errors.ts";

/** The most pages that are read of one answer, those that are read again included. A host that has more is at fault. */
const MAX_PAGES = 1_000;

/**
 * Reads an answer with all its pages, and returns it as one. It is read again from the start when something else in it has changed
 * between two pages, such as `seq` of a queue: `everyPage((page) => client.request("get_queue", { sessionId, ...page }))`.
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

/** What does not belong to the page. */
function restOf({ more: _, ...answer }: Page): string {
  return JSON.stringify(Object.entries(answer).filter(([, value]) => !Array.isArray(value)));
}

function joined<R extends Page>({ more: _, ...before }: R, next: R): R {
  const lists = Object.entries(before).flatMap(([key, value]) =>
    Array.isArray(value) ? [[key, [...value, ...(next[key as keyof R] as unknown[])]]] : [],
  );
  return { ...next, ...Object.fromEntries(lists) };
}
