import type { Kernel } from "@scorel/kernel";
import type {} from "@scorel/model/contract";
import { isRecord } from "../json.ts";

export type Redact = (text: string) => string;

/** Matches keys of well-known services, since an exported page may be read by anyone. */
const KEYS = new RegExp(
  [
    "sk-[\\w-]{20,}",
    "(?:gsk|hf|glpat|xoxb|xoxp|npm|pk_live|sk_live|rk_live)[_-][\\w-]{16,}",
    "xai-[\\w-]{20,}",
    "AIza[\\w-]{30,}",
    "gh[pousr]_\\w{30,}",
    "github_pat_\\w{20,}",
    "AKIA[A-Z0-9]{16}",
  ]
    .map((form) => `(?<![\\w-])${form}`)
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
