import type { z } from "zod";
import { nearest } from "./nearest.ts";
import { unionText } from "./union-text.ts";

/** How messages name values of a format such as TOML, and the value that they are about. */
export interface IssueWords {
  /** The name of an object in this format, such as "a table" in TOML. Default: "an object". */
  object?: string;
  /** The checked value, to be shown in messages. Leave it out if it may contain a secret. */
  value?: unknown;
}

/** Describes an issue of zod: what the value must be, and what it is. A schema's own message is kept. */
export function issueText(issue: z.core.$ZodIssue, { object = "an object", value }: IssueWords = {}): string {
  const found = value === undefined ? "" : `, not ${shown(value, object)}`;
  if (!/^(Invalid |Too (small|big): |Unrecognized key)/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      if (issue.expected === "nonoptional") return "it is missing";
      if (issue.message.endsWith("received undefined"))
        return `it is missing, ${kind(issue.expected, object)} is needed`;
      return `it must be ${kind(issue.expected, object)}${found}`;
    case "too_small":
      return `it must ${bound(issue.origin, issue.inclusive === false ? "more than" : "at least", Number(issue.minimum))}${isNumber(issue.origin) ? found : ""}`;
    case "too_big":
      return `it must ${bound(issue.origin, issue.inclusive === false ? "less than" : "at most", Number(issue.maximum))}${isNumber(issue.origin) ? found : ""}`;
    case "invalid_value":
      return `it must be ${choices(issue.values)}${found}${meant(value, issue.values)}`;
    case "not_multiple_of":
      return `it must be a multiple of ${issue.divisor}${found}`;
    case "invalid_format":
      return `it must be ${formats[issue.format] ?? `of the form ${issue.pattern ?? issue.format}`}${found}`;
    case "unrecognized_keys":
      return `there is no ${issue.keys.map((key) => JSON.stringify(key)).join(", ")} here`;
    case "invalid_union": {
      if ("options" in issue && issue.options) {
        // `undefined` means that the key may be left out; it is not a value that a user can write.
        const values = issue.options.filter((option) => option !== undefined);
        return `it must be ${choices(values)}${found}${meant(value, values)}`;
      }
      return unionText(issue, {
        textOf: (inner) => issueText(inner, { object }),
        formOf: (inner) => formText(inner, object),
        found,
      });
    }
    default:
      return issue.message;
  }
}

/** The type or values that an issue requires. */
function formText(issue: z.core.$ZodIssue, object: string): string {
  if (issue.code === "invalid_type") return kind(issue.expected, object);
  return issue.code === "invalid_value" ? choices(issue.values) : "another form";
}

/** zod's issues as one readable line: `items.0.id: it must be a text`. */
export function describeIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      const text = issueText(issue);
      return issue.path.length > 0 ? `${issue.path.join(".")}: ${text}` : text;
    })
    .join("; ");
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  undefined: "left out",
};

const formats: Readonly<Record<string, string>> = {
  url: "a URL, as https://example.org",
  email: "an e-mail address",
  uuid: "a UUID",
  datetime: "a date and time, as 2030-01-31T12:00:00Z",
  date: "a date, as 2030-01-31",
};

function kind(expected: string, object: string): string {
  return expected === "object" || expected === "record" ? object : (kinds[expected] ?? `a ${expected}`);
}

function bound(origin: string, comparison: string, limit: number): string {
  if (origin === "string")
    return limit === 1 && comparison === "at least" ? "not be empty" : `have ${comparison} ${limit} letters`;
  if (origin === "array" || origin === "set")
    return limit === 1 && comparison === "at least" ? "not be empty" : `have ${comparison} ${limit} entries`;
  return `be ${comparison} ${limit}`;
}

function choices(values: readonly unknown[]): string {
  const texts = values.map((value) => JSON.stringify(value));
  return texts.length < 2 ? (texts[0] ?? "left out") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
}

function meant(value: unknown, values: readonly unknown[]): string {
  const near =
    typeof value === "string" && values.length > 1 ? nearest(value, values.map(String), { partly: true }) : undefined;
  return near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`;
}

/** Whether a limit is about a number. For lists and texts it is about their length, so showing the value would not help. */
const isNumber = (origin: string) => !["string", "array", "set"].includes(origin);

const LONGEST = 60;

/** A short, readable form of a value. */
function shown(value: unknown, object: string): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return object;
  if (typeof value === "string") return `the text ${shortened(JSON.stringify(value))}`;
  return typeof value === "number" || typeof value === "bigint" ? `the number ${value}` : shortened(String(value));
}

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}
