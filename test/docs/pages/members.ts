import { type Node, nodesOf } from "../../architecture.ts";
import { code, table } from "../markdown.ts";
import { contractOf, type Declaration, docBefore, nameOf, read } from "../source.ts";
import { sourceText } from "./page.ts";

interface Member {
  name: string;
  type: string;
  doc: string;
  isFunction: boolean;
}

type Column = (name: string, isFunction: boolean) => string;

/** A table of the members of an interface: name, type, docstring, and further columns. Members without a docstring are an error. */
export function memberTable(
  file: string,
  name: string,
  of: string,
  more: Readonly<Record<string, Column>> = {},
): string {
  const members = membersOf(declarationIn(file, name));
  const rows = [...new Set(members.map(({ name }) => name))].map((member) => {
    const same = members.filter(({ name }) => name === member);
    const isFunction = same.some((each) => each.isFunction);
    const doc = same
      .map(({ doc }) => doc)
      .join(" ")
      .trim();
    if (doc === "") throw new Error(`${file}: ${name}.${member} has no docstring, which the reference needs`);
    const types = same.map(({ type }) => code(type)).join(" ");
    return [code(member), types, ...Object.values(more).map((column) => column(member, isFunction)), doc];
  });
  return table([of, "type", ...Object.keys(more), "what"], rows);
}

/** Types of a file as written, with their docstrings. */
export function typeText(file: string, ...names: string[]): string {
  return sourceText(names.map((name) => declarationIn(file, name)));
}

function declarationIn(file: string, name: string): Declaration {
  const found = contractOf(read(file), "kernel").declarations.find((each) => each.name === name);
  if (!found) throw new Error(`${file} does not declare ${name}`);
  return found;
}

function membersOf({ text }: Declaration): Member[] {
  const [body] = [...nodesOf(text)].filter(({ type }) => type === "TSInterfaceBody");
  return ((body?.body ?? []) as Node[]).map((member) => {
    const [start, end] = [member.start as number, member.end as number];
    const key = member.key as Node;
    const name = nameOf(key) ?? `[${text.slice(key.start as number, key.end as number)}]`;
    const written = text
      .slice(start, end)
      .replace(/;$/, "")
      .replace(/^readonly /, "");
    const isFunction = member.type === "TSMethodSignature";
    const type = isFunction ? written.slice(name.length).replace(/^\?/, "") : written.replace(/^\w+\??: /, "");
    return { name, type: type.replaceAll(/\s*\n\s*/g, " "), doc: docBefore(text, start), isFunction };
  });
}
