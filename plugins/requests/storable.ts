import { isDeepStrictEqual } from "node:util";
import type { Question } from "./contract.ts";

type Clean = (text: string) => Promise<string>;

const HIDDEN = "Parts of this are hidden, because a plugin changes what is stored of this session (beforeStore).";

/**
 * Returns a question with its texts redacted for storage. The values of options stay, since they are answers. If anything was changed, the
 * question says so, because the user has to know that they do not see everything.
 */
export async function storableQuestion(question: Question, clean: Clean): Promise<Question> {
  const { kind, title, body, options, fallback, data } = question;
  const texts = (await cleaned({ title, body, data }, clean)) as Pick<Question, "title" | "body" | "data">;
  const stored: Question = {
    ...question,
    title: texts.title,
    ...(body && { body: texts.body }),
    ...(options && { options: await Promise.all(options.map((option) => storableOption(option, clean))) }),
    ...(kind === "input" && fallback !== undefined && { fallback: await clean(fallback) }),
    ...(data !== undefined && { data: texts.data }),
  };
  if (isDeepStrictEqual(stored, question)) return question;
  return { ...stored, body: [{ display: "notice", level: "warning", text: HIDDEN }, ...(stored.body ?? [])] };
}

type Option = NonNullable<Question["options"]>[number];

async function storableOption(option: Option, clean: Clean): Promise<Option> {
  const { label, message } = option;
  return {
    ...option,
    label: await clean(label),
    ...(typeof message === "string" && { message: await clean(message) }),
  };
}

/** A copy of a value with every string cleaned, except keys of objects. */
async function cleaned(value: unknown, clean: Clean): Promise<unknown> {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return Promise.all(value.map((each) => cleaned(each, clean)));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(async ([key, each]) => [key, await cleaned(each, clean)]);
  return Object.fromEntries(await Promise.all(entries));
}
