import type { AnyPlugin } from "@scorel/kernel";
import { unknownKeys } from "@scorel/kit/schema/keys";
import { isSecret, secretFree } from "@scorel/kit/text/secret-free";
import { parseRange } from "@scorel/kit/text/version-range";
import { issueText } from "@scorel/kit/values/issue-text";
import { dotted, isTable, type KeyPath } from "@scorel/kit/values/table";
import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import type { GrammarKey } from "./merge.ts";

/** A problem in a configuration, and its key. */
export interface Issue {
  path: KeyPath;
  /** `Unsupported config key`, or the problem with the value. */
  message: string;
  /** The value, unless it may be a secret. */
  value?: unknown;
}

const ids = (description: string) => z.array(z.string().min(1)).describe(description);

const range = (what: string) =>
  z
    .string()
    .refine((text) => parseRange(text) !== undefined, "it is not a range of versions such as >=1.2, ^1.2.3 or 1.x")
    .describe(`the accepted versions ${what}, such as \`>=0.1 <2\``);

/** The keys of every preset and config.toml besides the tables of plugins. */
const grammar = {
  description: z.string().describe("one line, shown by `scorel preset list`").optional(),
  extends: z
    .union([z.string().min(1), ids("names or paths")])
    .describe("presets to extend; later ones take precedence")
    .optional(),
  use: ids("plugins and extensions to load, in this order").optional(),
  without: ids("plugins and extensions to leave out").optional(),
  extensions: z
    .strictObject({ disabled: ids("the same as `without`").optional() })
    .describe("extensions on disk")
    .optional(),
  requires: z
    .strictObject({
      scorel: range("of Scorel").optional(),
      node: range("of Node.js").optional(),
      plugins: ids("plugins and extensions that have to be in use").optional(),
      presets: z
        .array(
          z
            .string()
            .refine(
              (text) => parsePreset(text) !== undefined,
              "it is not a preset's name, or name@range such as team@^1.2",
            ),
        )
        .describe("presets that must be in use, such as `team` or `team@^1.2`")
        .optional(),
      programs: z
        .array(z.string().regex(/^[\w.+-]+$/, "it is not the name of a program"))
        .describe("programs that must be on the PATH")
        .optional(),
    })
    .describe("requirements; if one is not met, nothing starts")
    .optional(),
  locked: ids("key paths (`permissions.mode`) and whole tables (`permissions`) that no project may change").optional(),
} satisfies Record<GrammarKey, z.ZodType>;

/** Parses `team@^1.2` into name and range. Without a range, every version is accepted. Undefined for other text. */
export function parsePreset(text: string): { name: string; range?: string } | undefined {
  const [, name, range] = /^([\w.-]+)(?:@(.+))?$/.exec(text) ?? [];
  if (name === undefined || (range !== undefined && parseRange(range) === undefined)) return undefined;
  return range === undefined ? { name } : { name, range };
}

/** The keys of a dotted TOML path, or undefined if the text is not one. */
export function parsePath(text: string): string[] | undefined {
  const keys: string[] = [];
  try {
    let value: unknown = parse(`${text} = 0`);
    for (; isTable(value); value = Object.values(value)[0]) {
      if (Object.keys(value).length !== 1) return undefined;
      keys.push(...Object.keys(value));
    }
    return value === 0 ? keys : undefined;
  } catch (thrown) {
    if (thrown instanceof TomlError) return undefined;
    throw thrown;
  }
}

/** The schema of a plugin without settings: an empty table. */
export const noTable = z.strictObject({});

/** SCOREL_CONFIG_SCHEMA: the schema of a preset or config.toml, composed of the plugins' own. */
export function createConfigSchema(plugins: readonly AnyPlugin[]): z.ZodObject {
  const tables = plugins.map(({ id, config }) => [id, (config ?? noTable).optional()] as const);
  return z.strictObject({ ...grammar, ...Object.fromEntries(tables) });
}

/** The schema as JSON Schema, for editors. Objects have no other keys unless the plugin's schema allows them. */
export function toJsonSchema(schema: z.ZodObject): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      // `.meta()` keys for the loader: trust questions, and values that may be a mistake.
      delete jsonSchema.trust;
      delete jsonSchema.doubt;
      delete jsonSchema.examine;
      const { def } = zodSchema._zod;
      if (def.type === "object" && def.catchall === undefined) jsonSchema.additionalProperties = false;
    },
  }) as Record<string, unknown>;
}

/** The problems in the grammar keys of one layer. The tables of plugins are checked after all layers are merged. */
export function checkGrammar(table: Readonly<Record<string, unknown>>): Issue[] {
  const own = Object.fromEntries(Object.entries(table).filter(([key]) => Object.hasOwn(grammar, key)));
  return checkTable(z.object(grammar), own, []);
}

/** The problems in a value: keys that the schema does not have, at any depth, and values that it refuses. */
export function checkTable(schema: z.ZodType, value: unknown, path: KeyPath): Issue[] {
  const result = schema.safeParse(value, { jitless: true });
  const refused = result.success ? [] : result.error.issues;
  const strange = new Map<string, Issue>();
  for (const key of [...unknownKeys(schema, value, path), ...refused.flatMap((issue) => unrecognized(issue, path))])
    strange.set(dotted(key), { path: key, message: "Unsupported config key" });
  const values = refused.filter(({ code }) => code !== "unrecognized_keys");
  return [...values.flatMap((issue) => describe(issue, path, value)), ...strange.values()];
}

function unrecognized(issue: z.core.$ZodIssue, path: KeyPath): KeyPath[] {
  if (issue.code !== "unrecognized_keys") return [];
  return issue.keys.map((key) => [...path, ...pathOf(issue), key]);
}

/** The problems in a zod issue. For a union, those of the best-fitting alternative, if they are inside of the value. */
function describe(issue: z.core.$ZodIssue, path: KeyPath, table: unknown): Issue[] {
  const here = [...path, ...pathOf(issue)];
  const value = pathOf(issue).reduce<unknown>((inner, key) => Object(inner)[key], table);
  if (issue.code === "invalid_union") {
    const nearest = [...issue.errors].sort((a, b) => a.length - b.length)[0];
    const inner = nearest?.filter(({ code }) => code !== "unrecognized_keys") ?? [];
    if (inner.some((each) => each.path.length > 0)) return inner.flatMap((each) => describe(each, here, value));
  }
  const shown = mayShow(here) ? secretFree(value) : undefined;
  const message = issueText(issue, { object: "a table", value: shown });
  return [
    { path: here, message: `${message}${advice(issue, here, value)}`, ...(shown !== undefined && { value: shown }) },
  ];
}

/** Advice what to write instead, if the value shows what was meant. */
function advice(issue: z.core.$ZodIssue, path: KeyPath, value: unknown): string {
  const expected = issue.code === "invalid_type" ? issue.expected : undefined;
  const isTop = path.length === 1 && !Object.hasOwn(grammar, String(path[0]));
  if (isTop && typeof value !== "object" && value !== undefined) {
    const [, provider, id] =
      (path[0] === "model" && typeof value === "string" && /^([\w.-]+)\/(.+)$/.exec(value)) || [];
    if (provider !== undefined)
      return `; write [model], and below it type = "builtin", provider = ${JSON.stringify(provider)} and id = ${JSON.stringify(id)}`;
    return `; write [${dotted(path)}] on its own line, and its keys below it`;
  }
  if (expected === "array" && typeof value === "string") return `; write [${JSON.stringify(value)}]`;
  const plain = typeof value === "string" ? value.trim() : "";
  if (expected === "number" && plain !== "" && Number.isFinite(Number(plain))) return `; write ${plain} without quotes`;
  return expected === "boolean" && /^(true|false)$/.test(plain) ? `; write ${plain} without quotes` : "";
}

/** Whether a value may be shown: no key of its path may hold a secret. */
const mayShow = (path: KeyPath) => path.every((key) => typeof key === "number" || !isSecret(key));

function pathOf({ path }: z.core.$ZodIssue): (string | number)[] {
  return path.map((key) => (typeof key === "number" ? key : String(key)));
}
