import type { CliOption } from "@scorel/cli/contract";
import type { SessionOption } from "@scorel/workspace/contract";
import { z } from "zod";
import { problemsOf } from "./clients/params.ts";
import { errors } from "./errors.ts";
import { keyOf } from "./session-options.ts";
import { shippedOptions } from "./shipped-options.ts";

/** Names that the service `workspace`, the operations that open sessions, and the clients already use. */
const used: readonly string[] = [
  ...[
    "sessionId",
    "cwd",
    "root",
    "home",
    "file",
    "trusted",
    "trustedCopy",
    "nestedSkills",
    "packages",
    "locks",
    "temp",
    "parent",
  ],
  ...["preset", "kind", "data", "children"],
  ...["name", "unsaved", "eventId", "atOnce", "messageId"],
  ...["session", "latest", "continue", "fork", "watch", "help", "version"],
  ...shippedOptions.flatMap(namesOf),
];

const flagSchema = z.strictObject({
  flags: z.string().regex(/^--[a-z][a-z\d]*(-[a-z\d]+)*( <[^<>]+>)?$/),
  description: z.string(),
  values: z.array(z.string()).min(1).optional(),
});

const rowSchema = z
  .strictObject({
    key: z.string().regex(/^[a-z][a-zA-Z\d]*$/),
    kind: z.union([z.enum(["text", "texts", "switch"]), z.array(z.string()).min(1)], {
      error: 'it must be "text", "texts", "switch" or a list of words',
    }),
    flag: flagSchema.optional(),
    short: z.strictObject({ flag: flagSchema, value: z.string() }).optional(),
    widens: z
      .union([z.literal(true), z.array(z.string()).min(1)], { error: "it must be true or a list of values" })
      .optional(),
    setting: z
      .string()
      .regex(/^[\w-]+(\.[\w-]+)+$/, "it must be a plugin's id and a key, such as deploy.target")
      .optional(),
  })
  .superRefine(({ key, kind, flag, short, widens }, { addIssue }) => {
    const wrong = (path: string, message: string) => addIssue({ code: "custom", path: [path], message });
    if (flag && keyOf(flag.flags) !== key) wrong("flag", "it must be named like the key");
    if (flag && flag.flags.includes("<") === (kind === "switch"))
      wrong("flag", "it must have a value, such as <name>, except for a switch");
    if (short?.flag.flags.includes("<")) wrong("short", "it must have no value");
    if (short && Array.isArray(kind) && !kind.includes(short.value))
      wrong("short", "its value must be one of the kind");
    if (Array.isArray(widens) && !widens.every((value) => kind.includes(value)))
      wrong("widens", "its values must be of the kind");
    if (short && (kind === "texts" || kind === "switch")) wrong("short", "it needs an option that is one text");
  });

/**
 * Creates a validator for contributed options. Reports and leaves out options that are invalid, or whose name is already used by an
 * earlier plugin, by Scorel, or by one of the `taken` command-line options.
 */
export function checkOptions(
  taken: readonly CliOption[],
  tell: (flaw: Error) => void,
): (value: unknown, plugin: string, report: (flaw: unknown) => void) => SessionOption[] {
  const owners = new Map<string, string>();
  const reserved = new Set([...used, ...taken.map(({ flags }) => keyOf(flags))]);
  const isTaken = (name: string) => reserved.has(name) || owners.has(name) || name in {};
  return (value, plugin, report) => {
    const refuse = (flaw: Error) => {
      report(flaw);
      tell(flaw);
      return [];
    };
    if (!Array.isArray(value)) return refuse(errors.HOST_OPTIONS({ plugin, problems: "it must be a list" }));
    return value.flatMap((given: unknown): SessionOption[] => {
      const checked = rowSchema.safeParse(given, { jitless: true });
      if (!checked.success)
        return refuse(errors.HOST_OPTIONS({ plugin, problems: problemsOf(checked.error, "option") }));
      const row = checked.data as SessionOption;
      const name = namesOf(row).find(isTaken);
      if (name !== undefined) return refuse(errors.HOST_OPTION_TAKEN({ plugin, name, owner: owners.get(name) }));
      for (const own of namesOf(row)) owners.set(own, plugin);
      return [row];
    });
  };
}

function namesOf({ key, short }: SessionOption): string[] {
  return short ? [key, keyOf(short.flag.flags)] : [key];
}
