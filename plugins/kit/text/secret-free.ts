import { isTable } from "../values/table.ts";

const secretName = /(key|token|secret|password|passphrase|authorization|cookie|credentials?)$/i;
const secretTable = /^(headers|env|environment)$/i;

/** Whether the value of a key with this name may be a secret, so that messages must not show it. */
export const isSecret = (key: string) =>
  secretTable.test(key) ||
  (/key|token|secret|passw|passphrase|authorization|cookie|credential/i.test(key) && !/tokens$/i.test(key));

/** A frozen deep copy without values that may be secrets, for extensions without a config schema. */
export function secretFree(value: unknown, name = ""): unknown {
  if (isArguments(value, name)) return Object.freeze(shownArguments(value));
  if (Array.isArray(value)) return Object.freeze(value.map((element) => secretFree(element, name)));
  if (isTable(value)) return Object.freeze(tableOf(value, secretTable.test(name)));
  if (typeof value === "string") return secretName.test(name) ? "[hidden]" : withShownAddresses(value);
  return value;
}

function tableOf(value: Record<string, unknown>, allHidden: boolean): Record<string, unknown> {
  const copies = Object.entries(value).map(([key, inner]) => [key, allHidden ? "[hidden]" : secretFree(inner, key)]);
  return Object.fromEntries(copies) as Record<string, unknown>;
}

const argumentList = /^(args|arguments|command)$/i;

function isArguments(value: unknown, name: string): value is string[] {
  return Array.isArray(value) && argumentList.test(name) && value.every((word) => typeof word === "string");
}

/** Arguments of a program without the values of options such as `--api-key`, and without the parts of URLs that may contain a key. */
export function shownArguments(args: readonly string[]): string[] {
  return args.map((arg, at) => {
    const before = args[at - 1] ?? "";
    if (/^-[^=]*$/.test(before) && isSecret(before) && !arg.startsWith("-")) return "[hidden]";
    return shownArgument(arg);
  });
}

function shownArgument(arg: string): string {
  const [, name = "", sign, value = ""] = /^([^=:\s]+)([=:])(.*)$/s.exec(arg) ?? [];
  if (isSecret(name)) return `${name}${sign}[hidden]`;
  // The value of an option may have a name of its own, as in `--env=API_KEY=k`.
  if (name.startsWith("-") && !value.startsWith("-")) return `${name}${sign}${shownArgument(value)}`;
  return withShownAddresses(arg);
}

/** Removes everything from an address that may contain a secret: user name, password, query and fragment. */
export function shownAddress(written: string): string {
  return written.replace(/^(\w[\w+.-]*:\/\/)[^/?#]*@/, "$1").replace(/[?#].*$/s, "");
}

/** Removes from every address in a text what may contain a secret. An address ends only with a space, since passwords may contain quotes. */
function withShownAddresses(text: string): string {
  return text.replace(/\w[\w+.-]*:\/\/\S*/g, shownAddress);
}
