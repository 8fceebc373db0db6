import type { Kernel } from "@scorel/kernel";
import type {} from "@scorel/model/contract";
import { isRecord } from "../json.ts";

export type Redact = (text: string) => string;

/** The first or last line of a private key. */
const rim = (word: string) => `-----${word} [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----`;
/** The lines of a private key up to its end, also if each has a number or a mark before it. Most keys have less than 7,000 characters. */
const TO_END = `(?:[^-]|-(?!----BEGIN)){0,8000}?${rim("END")}`;
/** The long lines of a private key whose end is missing, because a text was cut, or is far away. */
const LONG_LINES = "(?:[^\\n\\\\]{0,20}(?:\\s|\\\\[rn])[^\\n]{0,20}?[\\w+/=]{40,4000}){1,400}";
const PRIVATE_KEY = `${rim("BEGIN")}(?:${TO_END}|${LONG_LINES})`;

/** Matches private keys, and keys of well-known services, since an exported page may be read by anyone. */
const KEYS = new RegExp(
  [
    "c?sk-[\\w-]{20,}",
    "(?:gsk|hf|glpat|xox[abeprs]|xapp|npm|pk_live|[sr]k_(?:live|test))[_-][\\w-]{16,}",
    "xai-[\\w-]{20,}",
    "AIza[\\w-]{30,}",
    "gh[pousr]_\\w{30,}",
    "github_pat_\\w{20,}",
    "A[KS]IA[A-Z0-9]{16}",
  ]
    .map((form) => `(?<![\\w-])${form}`)
    .concat(PRIVATE_KEY)
    .join("|"),
  "g",
);

/** Redacts the secrets that are known to this session. */
export function knownSecrets(kernel: Kernel): Redact {
  const secrets = kernel.find("secrets");
  return (text) => secrets?.redact(text) ?? text;
}

/** Redacts known secrets and everything that looks like a key. */
export function anyKeys(kernel: Kernel): Redact {
  const known = knownSecrets(kernel);
  return (text) => known(text).replace(KEYS, "[redacted]");
}

/** Redacts every string inside a plain value. */
export function redacted<T>(value: T, redact: Redact): T {
  if (typeof value === "string") return redact(value) as T;
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact)) as T;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [redact(key), redacted(inner, redact)])) as T;
}
