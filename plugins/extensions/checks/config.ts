import { isTable } from "@scorel/kit/values/table";
import { errors } from "../errors.ts";

/** A key of a table, or of a table in it: `city`, `server.port`. */
const KEY = /^[\w-]+(\.[\w-]+)*$/;

/** The text of a config.toml with the table of an extension, from texts such as `city=Rome` and `days=[1, 2]`. */
export function configText(id: string, given: readonly string[]): string {
  if (given.length === 0) return "";
  return [`[${JSON.stringify(id)}]`, ...given.map(lineOf), ""].join("\n");
}

function lineOf(given: string): string {
  const at = given.indexOf("=");
  const key = given.slice(0, Math.max(0, at)).trim();
  if (!KEY.test(key)) throw errors.EXTENSIONS_CONFIG({ given, reason: "it is not of the form key=value" });
  const text = given.slice(at + 1).trim();
  const value = tomlOf(parsed(text));
  if (value === undefined) throw errors.EXTENSIONS_CONFIG({ given, reason: "TOML has no null" });
  return `${key} = ${value}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A JSON value in TOML; undefined for null, which TOML does not have. */
function tomlOf(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return listOf(value.map(tomlOf), "[", "]");
  if (!isTable(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, inner]) => {
    const text = tomlOf(inner);
    return text === undefined ? undefined : `${JSON.stringify(key)} = ${text}`;
  });
  return listOf(fields, "{", "}");
}

function listOf(texts: readonly (string | undefined)[], open: string, close: string): string | undefined {
  return texts.includes(undefined) ? undefined : `${open}${texts.join(", ")}${close}`;
}
