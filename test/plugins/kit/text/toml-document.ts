import { fc } from "../../../property.ts";

/** A random TOML document and its content: each leaf's path, value and the line of its key. */
export interface Doc {
  text: string;
  leaves: { path: string[]; value: unknown; line: number }[];
}

interface Value {
  text: string;
  /** The value if it is a leaf. */
  value?: unknown;
  /** The leaves inside, with lines relative to the value's first line. */
  inner?: { path: string[]; value: unknown; line: number }[];
}

const lineCount = (text: string) => text.split("\n").length - 1;
const noise = fc.constantFrom("", " ", "\t", "  ");
const comment = fc.constantFrom("", " # x = 1", '# "[a]"', " # ]]}", "#'''");
const blank = fc.constantFrom("", "", "\n", "\n# [t9]\n", "  # k = '''\n", "\t\n\n");

const trickyText = fc.constantFrom("", "a", "#", "= 1", "[t]", "]", "}", ",", "'", "é", "\t", "x = 'y'", "{", "\\ n");
const bareKey = fc.constantFrom("a", "b-c", "D_1", "9", "true", "inf", "x-");
const trickyKey = fc.constantFrom("a.b", "a b", "#", "=", "[x]", "", "é", 'q"q', "tab\tkey", "\\", "\u0001", "😀");

/** A part of a key: how it is written, and its value. */
const keyPart = fc.oneof(
  { weight: 4, arbitrary: bareKey.map((key) => ({ text: key, key })) },
  trickyKey.map((key) => ({ text: JSON.stringify(key), key })),
  trickyKey.filter((key) => key !== "\u0001").map((key) => ({ text: `'${key}'`, key })),
);

/** Keys of a table begin with their number, so that none is defined twice. */
const dottedKey = (number: number) =>
  fc.tuple(fc.array(keyPart, { maxLength: 2 }), noise, noise).map(([parts, before, after]) => ({
    text: [`k${number}`, ...parts.map((part) => part.text)].join(`${before}.${after}`),
    path: [`k${number}`, ...parts.map((part) => part.key)],
  }));

const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.integer({ min: -1e6, max: 1e6 }).map((number) => ({ text: String(number), value: number })),
  fc.constantFrom<Value>(
    { text: "1_000", value: 1000 },
    { text: "0xDEAD", value: 0xdead },
    { text: "6.5e-2", value: 0.065 },
    { text: "true", value: true },
  ),
  trickyText.map((text) => ({ text: JSON.stringify(text), value: text })),
  trickyText.filter((text) => !text.includes("'")).map((text) => ({ text: `'${text}'`, value: text })),
  fc.array(trickyText, { maxLength: 4 }).map((lines) => longText(lines, '"""')),
  fc.array(trickyText, { maxLength: 4 }).map((lines) =>
    longText(
      lines.map((line) => line.replaceAll("'", '"""')),
      "'''",
    ),
  ),
);

/** A multi-line string whose lines look like TOML themselves. */
function longText(lines: readonly string[], quotes: string): Value {
  const value = lines.join("\n");
  const inner = quotes === '"""' ? value.replaceAll("\\", "\\\\") : value;
  return { text: `${quotes}\n${inner}${quotes}`, value };
}

const value: fc.Arbitrary<Value> = fc.letrec<{ any: Value }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.tuple(fc.array(scalar, { maxLength: 3 }), blank, comment).map(arrayOfScalars) },
    { weight: 1, arbitrary: fc.tuple(fc.array(tie("any"), { minLength: 1, maxLength: 3 }), noise).map(inlineTable) },
    { weight: 1, arbitrary: fc.tuple(fc.array(tie("any"), { minLength: 1, maxLength: 2 }), blank).map(arrayOfTables) },
  ),
})).any;

function arrayOfScalars([elements, between, note]: [Value[], string, string]): Value {
  const text = elements.map((element) => `${element.text},${note}\n`).join(between);
  return { text: `[${note}\n${text}]`, value: elements.map((element) => element.value) };
}

/** Multi-line values are not allowed in an inline table of TOML 1.0, except inside of arrays. */
function inlineTable([values, space]: [Value[], string]): Value {
  let text = "{";
  const inner: NonNullable<Value["inner"]> = [];
  values.forEach((each, index) => {
    text += `${index > 0 ? "," : ""}${space}k${index}${space}=${space}`;
    inner.push(...leavesIn(each, [`k${index}`], lineCount(text)));
    text += each.text;
  });
  return { text: `${text}${space}}`, inner };
}

function arrayOfTables([values, between]: [Value[], string]): Value {
  let text = "[\n";
  const inner: NonNullable<Value["inner"]> = [];
  values.forEach((each, index) => {
    text += between;
    const table = inlineTable([[each], " "]);
    inner.push(...leavesIn(table, [String(index)], lineCount(text)));
    text += `${table.text},\n`;
  });
  return { text: `${text}]`, inner };
}

function leavesIn({ inner, value: leaf }: Value, path: string[], line: number): NonNullable<Value["inner"]> {
  if (!inner) return [{ path, value: leaf, line }];
  return inner.map((each) => ({ ...each, path: [...path, ...each.path], line: line + each.line }));
}

interface Block {
  header?: { text: string; path: string[]; many: boolean };
  pairs: { key: { text: string; path: string[] }; value: Value; before: string; note: string }[];
}

const pairs = fc
  .array(fc.tuple(value, blank, comment), { maxLength: 4 })
  .chain((list) =>
    fc.tuple(
      ...list.map(([each, before, note], number) =>
        dottedKey(number).map((key) => ({ key, value: each, before, note })),
      ),
    ),
  );

/** Tables are named by their number; those of an array of tables have the same one. */
const blocks: fc.Arbitrary<Block[]> = fc
  .array(fc.tuple(pairs, fc.boolean(), fc.boolean(), keyPart), { maxLength: 5 })
  .map((list) =>
    list.map(([each, many, child, part], number) => ({
      pairs: each,
      header: child
        ? { text: `t${number}.${part.text}`, path: [`t${number}`, part.key], many }
        : { text: many ? "list" : `t${number}`, path: [many ? "list" : `t${number}`], many },
    })),
  );

export const tomlDocument: fc.Arbitrary<Doc> = fc
  .tuple(pairs, blocks, fc.boolean())
  .map(([root, tables, windows]) => write([{ pairs: root }, ...tables], windows));

function write(list: readonly Block[], windows: boolean): Doc {
  let text = "";
  const leaves: Doc["leaves"] = [];
  const counts = new Map<string, number>();
  for (const { header, pairs: each } of list) {
    if (header) text += `${header.many ? `[[${header.text}]]` : `[${header.text}]`}\n`;
    const table = header ? pathOf(header, counts) : [];
    for (const { key, value: written, before, note } of each) {
      text += before;
      const here = leavesIn(written, [...table, ...key.path], lineCount(text) + 1);
      leaves.push(...here);
      text += `${key.text} = ${written.text}${note}\n`;
    }
  }
  return { text: windows ? text.replaceAll("\n", "\r\n") : text, leaves: windows ? leaves.map(windowsLeaf) : leaves };
}

/** The parser keeps the line ends of multi-line strings. */
function windowsLeaf<L extends { value: unknown }>(leaf: L): L {
  const convert = (each: unknown): unknown =>
    typeof each === "string" ? each.replaceAll("\n", "\r\n") : Array.isArray(each) ? each.map(convert) : each;
  return { ...leaf, value: convert(leaf.value) };
}

function pathOf({ path, many }: NonNullable<Block["header"]>, counts: Map<string, number>): string[] {
  if (!many) return path;
  const id = JSON.stringify(path);
  const index = (counts.get(id) ?? -1) + 1;
  counts.set(id, index);
  return [...path, String(index)];
}
