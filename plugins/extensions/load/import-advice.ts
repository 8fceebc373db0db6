import { dirname } from "node:path";
import { shellWord } from "@scorel/kit/text/shell-word";
import { nearest } from "@scorel/kit/values/nearest";

/** The message of an error in loading, with what to do next for an import that failed. `offered` are Scorel's modules by name. */
export async function withAdvice(
  reason: string,
  { path }: { path: string },
  offered: Readonly<Record<string, unknown>>,
): Promise<string> {
  const missing = /^Cannot find (?:module|package) '([^'./][^']*)'/.exec(reason)?.[1];
  if (missing !== undefined) return `${reason}. ${missingAdvice(missing, path, Object.keys(offered))}`;
  const [, module, name] = /\b_(\w+)\.(\w+)\)? is not a (?:function|constructor)/.exec(reason) ?? [];
  if (module === undefined || name === undefined) return reason;
  const imported = Object.keys(offered).find(
    (each) => each.split("/").at(-1)?.replaceAll("-", "") === module.toLowerCase(),
  );
  const exported = imported === undefined ? [] : Object.keys(Object(await offered[imported]));
  if (imported === undefined || exported.includes(name)) return reason;
  const near = nearest(name, exported);
  return `"${imported}" exports no "${name}"${near === undefined ? "" : `. Did you mean "${near}"?`}`;
}

function missingAdvice(wanted: string, path: string, offered: readonly string[]): string {
  if (/^@scorel\/.*contract$/.test(wanted)) return 'It has only types: write "import type" instead of "import"';
  if (wanted.startsWith("@scorel/"))
    return `Extensions can import ${offered.filter((name) => name.startsWith("@scorel/")).join(", ")}`;
  const [scope = "", second] = wanted.split("/");
  const name = scope.startsWith("@") && second !== undefined ? `${scope}/${second}` : scope;
  return `Install it next to the extension: npm install --prefix ${shellWord(dirname(path))} ${shellWord(name)}`;
}
