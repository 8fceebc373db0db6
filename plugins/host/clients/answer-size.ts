import { sizeOf } from "@scorel/kit/values/size";
import { z } from "zod";
import type { AnswerSize, PageParams } from "../contract.ts";

/** Maximum total number of characters in a page, unless a single item has more. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

const pageParams = {
  limit: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe("Maximum number of items to return. Default: as many as fit into about 8 MB."),
  skip: z.number().int().min(0).optional().describe("Number of items to skip: those of the previous pages."),
};
const pageResult = {
  more: z
    .literal(true)
    .optional()
    .describe("There are further items: repeat the request, and skip those that were returned."),
};
const cutResult = {
  leftOut: z
    .number()
    .int()
    .optional()
    .describe("Number of items that were left out, because the answer would have exceeded about 8 MB."),
};

/** Returns the schema of an operation's params, with `limit` and `skip` added if it answers in pages. */
export function paramsWithPage<P>(schema: z.ZodType<P>, size: AnswerSize | undefined): z.ZodType<P> {
  return size === "pages" ? extended(schema, pageParams) : schema;
}

/** Returns the schema of an operation's result, with `more` or `leftOut` added if the host may shorten the answer. */
export function resultWithSize<R>(schema: z.ZodType<R>, size: AnswerSize | undefined): z.ZodType<R> {
  if (size === "pages") return extended(schema, pageResult);
  return size === "cut" ? extended(schema, cutResult) : schema;
}

/** Adds keys to an object schema, except for those that it already has. */
function extended<T>(schema: z.ZodType<T>, shape: Record<string, z.ZodType>): z.ZodType<T> {
  const object = schema as unknown as z.ZodObject;
  const missing = Object.entries(shape).filter(([key]) => !Object.hasOwn(object.shape, key));
  return object.extend(Object.fromEntries(missing)) as unknown as z.ZodType<T>;
}

/** Shortens the answer to an operation as its `size` declares. */
export function sized<R>(answer: R, size: AnswerSize | undefined, params: PageParams): R {
  if (size === "pages") {
    const { page, after } = pageOf(answer as object, params);
    return { ...page, ...(after > 0 && { more: true }) } as R;
  }
  if (size !== "cut") return answer;
  const { page, after } = pageOf(answer as object, {});
  return { ...page, ...(after > 0 && { leftOut: after }) } as R;
}

/**
 * Cuts the lists of an answer to one page. Items of several lists are counted consecutively. `after` is the number of items after the page.
 */
function pageOf(answer: object, { limit = Number.POSITIVE_INFINITY, skip = 0 }: PageParams) {
  let [before, taken, characters, after] = [skip, 0, 0, 0];
  const page = Object.entries(answer).map(([key, value]) => {
    if (!Array.isArray(value)) return [key, value] as const;
    const start = Math.min(before, value.length);
    before -= start;
    let end = start;
    while (end < value.length && after === 0 && taken < limit) {
      characters += sizeOf(value[end]);
      if (characters > MAX_CHARACTERS && taken > 0) break;
      end++;
      taken++;
    }
    after += value.length - end;
    return [key, value.slice(start, end)] as const;
  });
  return { page: Object.fromEntries(page), after };
}
