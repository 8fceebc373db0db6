import type { Random } from "./random.ts";
import { adjectives, adverbs, nouns, terms, verbs } from "./words.ts";

/** Texts of exactly so many bytes, all ASCII: what a byte costs in tokens is about what it costs in real ones. */
export interface Writer {
  sentence(): string;
  /** Instructions: headings, paragraphs, lists, tables and code. */
  markdown(bytes: number): string;
  /** The same with more code in it. */
  reference(bytes: number): string;
  /** The kind of text that no task is done by. */
  licence(bytes: number): string;
  /** One line, without a full stop at a cut. */
  line(bytes: number): string;
}

type Make = () => string;

export function writer(random: Random): Writer {
  const { below, pick } = random;
  const some = (most: number, make: Make, joint: string) => Array.from({ length: 1 + below(most) }, make).join(joint);
  const noun = () => pick(nouns);
  const thing = () =>
    below(2) === 0 ? `the ${noun()}` : `${pick(["a", "each", "every"])} ${pick(adjectives)} ${noun()}`;
  const doing = () => `${pick(verbs)} ${thing()}`;
  const sentence = () => capital(`${pick(sentences)()}.`);
  const sentences: Make[] = [
    () => `${doing()} and ${pick(adverbs)} ${doing()}`,
    () => `${pick(adverbs)} ${doing()}, so that ${thing()} is ${pick(adjectives)}`,
    () => `when ${thing()} is ${pick(adjectives)}, ${doing()} with ${thing()}`,
    () => `do not ${doing()} unless ${thing()} needs it`,
    () => `${thing()} of ${thing()} should be ${pick(adjectives)} and ${pick(adjectives)}`,
    () => `if you cannot ${doing()}, ${doing()} and say what is ${pick(adjectives)}`,
  ];
  const name = () => `${noun()}_${noun()}`;
  const number = () => String(below(400));
  const hex = () => `#${below(0xffffff).toString(16).padStart(6, "0")}`;
  const statement: Make = () =>
    pick<Make>([
      () => `${name()} = ${pick(verbs)}_${noun()}(${name()}, ${noun()}=${number()})`,
      () => `if not ${name()}: raise ValueError("${noun()} is ${pick(adjectives)}")`,
      () =>
        `const ${noun()} = await ${noun()}.${pick(verbs)}({ ${noun()}: "${pick(adjectives)}", ${noun()}: ${number()} });`,
      () => `.${noun()}-${noun()} { color: ${hex()}; margin: ${number()}px; }`,
      () => `python3 scripts/${pick(verbs)}.py --${noun()} ${noun()}.json --${noun()}=${number()}`,
      () => `{"${noun()}": "${pick(adjectives)}", "${noun()}": ${number()}, "${noun()}": [${number()}, ${number()}]}`,
      () => `# ${doing()}`,
    ])();
  const row = (make: Make) => `| ${[make(), make(), make()].join(" | ")} |`;
  const blocks: Make[] = [
    () => `${"#".repeat(2 + below(2))} ${capital(some(2, () => `${pick(adjectives)} ${noun()}`, " and "))}`,
    () => some(5, sentence, " "),
    () => some(6, sentence, " "),
    () => some(4, () => `- **${capital(noun())}**: ${sentence()}`, "\n"),
    () => some(6, () => `- ${capital(doing())}`, "\n"),
    () => ["```", some(12, statement, "\n"), "```"].join("\n"),
    () =>
      [row(noun), "| --- | --- | --- |", some(5, () => row(() => pick([noun, number, hex, name])()), "\n")].join("\n"),
  ];
  const prose = [...blocks, ...blocks.slice(1, 3)];
  const party = () => `${pick(["any", "the", "such"])} ${pick(terms)}`;
  const clause = () => {
    const act = pick(["include", "grant", "survive", "apply to", "exclude"]);
    const but = pick(["subject to", "notwithstanding", "in accordance with"]);
    return `${below(12)}.${below(9)}(${pick(["a", "b", "c"])}) ${party()}, ${pick(terms).toUpperCase()} and ${party()} shall ${act} ${party()}, ${but} ${party()};`;
  };
  const fill = (bytes: number, make: Make, joint: string) => {
    let text = make();
    while (text.length < bytes) text += joint + make();
    return text.slice(0, bytes);
  };
  return {
    sentence,
    markdown: (bytes) => fill(bytes, () => pick(prose)(), "\n\n"),
    reference: (bytes) => fill(bytes, () => pick(blocks)(), "\n\n"),
    licence: (bytes) => fill(bytes, () => some(5, clause, " "), "\n\n"),
    line: (bytes) => fill(bytes, sentence, " "),
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
