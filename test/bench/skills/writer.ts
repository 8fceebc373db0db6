import type { Random } from "./random.ts";
import { adjectives, adverbs, nouns, terms, verbs } from "./words.ts";

type Make = () => string;

/** Writes texts of an exact number of bytes, all ASCII, with about as many tokens per byte as real ones. */
export class Writer {
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  /** Instructions: headings, paragraphs, lists, tables and code. */
  markdown = (bytes: number) => fill(bytes, () => this.any([...this.blocks, ...this.paragraphs]), "\n\n");
  /** The same with more code. */
  reference = (bytes: number) => fill(bytes, () => this.any(this.blocks), "\n\n");
  /** A licence, which no task needs. */
  licence = (bytes: number) => fill(bytes, () => this.some(5, this.clause, " "), "\n\n");
  /** One line. */
  line = (bytes: number) => fill(bytes, () => this.sentence(), " ");

  private any = (from: readonly Make[]) => this.random.pick(from)();
  private some = (most: number, make: Make, joint: string) =>
    Array.from({ length: 1 + this.random.below(most) }, make).join(joint);
  private noun = () => this.random.pick(nouns);
  private adjective = () => this.random.pick(adjectives);
  private verb = () => this.random.pick(verbs);
  private number = () => String(this.random.below(400));
  private name = () => `${this.noun()}_${this.noun()}`;
  private colour = () => `#${this.random.below(0xffffff).toString(16).padStart(6, "0")}`;
  private adverb = () => this.random.pick(adverbs);
  private doing = () => `${this.verb()} ${this.thing()}`;
  private sentence = () => capital(`${this.any(this.sentences)}.`);
  private row = (make: Make) => `| ${[make(), make(), make()].join(" | ")} |`;

  private thing = () => {
    if (this.random.below(2) === 0) return `the ${this.noun()}`;
    return `${this.random.pick(["a", "each", "every"])} ${this.adjective()} ${this.noun()}`;
  };

  private readonly sentences: readonly Make[] = [
    () => `${this.doing()} and ${this.adverb()} ${this.doing()}`,
    () => `${this.adverb()} ${this.doing()}, so that ${this.thing()} is ${this.adjective()}`,
    () => `when ${this.thing()} is ${this.adjective()}, ${this.doing()} with ${this.thing()}`,
    () => `do not ${this.doing()} unless ${this.thing()} needs it`,
    () => `${this.thing()} of ${this.thing()} should be ${this.adjective()} and ${this.adjective()}`,
    () => `if you cannot ${this.doing()}, ${this.doing()} and say what is ${this.adjective()}`,
  ];

  private readonly statements: readonly Make[] = [
    () => `${this.name()} = ${this.verb()}_${this.noun()}(${this.name()}, ${this.noun()}=${this.number()})`,
    () => `if not ${this.name()}: raise ValueError("${this.noun()} is ${this.adjective()}")`,
    () =>
      `const ${this.noun()} = await ${this.noun()}.${this.verb()}({ ${this.noun()}: "${this.adjective()}", ${this.noun()}: ${this.number()} });`,
    () => `.${this.noun()}-${this.noun()} { color: ${this.colour()}; margin: ${this.number()}px; }`,
    () => `python3 scripts/${this.verb()}.py --${this.noun()} ${this.noun()}.json --${this.noun()}=${this.number()}`,
    () =>
      `{"${this.noun()}": "${this.adjective()}", "${this.noun()}": ${this.number()}, "${this.noun()}": [${this.number()}, ${this.number()}]}`,
    () => `# ${this.doing()}`,
  ];

  private readonly paragraphs: readonly Make[] = [5, 6].map((most) => () => this.some(most, this.sentence, " "));

  private readonly blocks: readonly Make[] = [
    () => {
      const marks = "#".repeat(2 + this.random.below(2));
      return `${marks} ${capital(this.some(2, () => `${this.adjective()} ${this.noun()}`, " and "))}`;
    },
    ...this.paragraphs,
    () => this.some(4, () => `- **${capital(this.noun())}**: ${this.sentence()}`, "\n"),
    () => this.some(6, () => `- ${capital(this.doing())}`, "\n"),
    () => ["```", this.some(12, () => this.any(this.statements), "\n"), "```"].join("\n"),
    () => this.table(),
  ];

  private table(): string {
    const cell = () => this.any([this.noun, this.number, this.colour, this.name]);
    return [this.row(this.noun), "| --- | --- | --- |", this.some(5, () => this.row(cell), "\n")].join("\n");
  }

  private party = () => `${this.random.pick(["any", "the", "such"])} ${this.random.pick(terms)}`;

  private clause = () => {
    const { below, pick } = this.random;
    const act = pick(["include", "grant", "survive", "apply to", "exclude"]);
    const but = pick(["subject to", "notwithstanding", "in accordance with"]);
    const mark = `${below(12)}.${below(9)}(${pick(["a", "b", "c"])})`;
    const loud = below(3) === 0 ? pick(terms).toUpperCase() : pick(terms);
    const who = `${this.party()}, ${loud} and ${this.party()}`;
    return `${mark} ${who} shall ${act} ${this.party()}, ${but} ${this.party()};`;
  };
}

function fill(bytes: number, make: Make, joint: string): string {
  let text = make();
  while (text.length < bytes) text += joint + make();
  return text.slice(0, bytes);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
