import { STOP_WORDS } from "./stop-words.ts";

/** The parts of a skill that are matched. */
export interface Described {
  name: string;
  description: string;
}
/** A skill that matches a text. */
export interface Fit<R extends Described = Described> {
  skill: R;
  score: number;
  /** The matching words as written, in text order. */
  words: string[];
}
/** Maps stems to words as first written. */
export type Words = ReadonlyMap<string, string>;

/** A word in the name counts more than one in the description. */
export const POINTS = { name: 3, description: 1 };
/**
 * A text matches a skill with this many points (such as for a name word that the description also has), or this many
 * words.
 */
const FITS = { points: 4, words: 3 };
/** A word is ignored if at least so many skills have it, which must also be at least this share of all. */
const COMMON = { least: 4, share: 0.25 };
/** Scripts written without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;
const SHORTEST = 2;
const ENDING = /(?:ies|ing|ed|es|er|s|e|y)$/;
const SHORTEST_STEM = 3;

/** The characters that are segmented at a time. */
const PART = 1_000;

let segmenter: Intl.Segmenter | undefined;

/** Every word of a text once, in lower case. */
export function wordsIn(text: string): Words {
  const words = new Map<string, string>();
  for (const [run] of text.toLowerCase().matchAll(/[\p{L}\p{M}\p{N}]+/gu))
    for (const word of UNSPACED.test(run) ? segments(run) : [run]) {
      const stem = stemOf(word);
      if (!words.has(stem)) words.set(stem, word);
    }
  return words;
}

/** The words of a text without stop words, numbers and single letters. */
export function tellingWords(text: string): Words {
  const telling = [...wordsIn(text)].filter(
    ([, word]) => word.length >= SHORTEST && !STOP_WORDS.has(word) && !/^\p{N}+$/u.test(word),
  );
  return new Map(telling);
}

/** Matches texts against skills. Reusable for many texts. */
export class Matching<R extends Described> {
  /** Maps a stem to the skills that have it, with points. */
  private readonly holders = new Map<string, Map<R, number>>();
  private readonly common: number;

  constructor(skills: readonly R[]) {
    for (const skill of skills) {
      this.enter(skill, skill.name, POINTS.name);
      this.enter(skill, skill.description, POINTS.description);
    }
    this.common = Math.max(COMMON.least, Math.ceil(skills.length * COMMON.share));
  }

  /** Skills that match the words, best first. Words that many skills share are ignored. */
  fits(words: Words): Fit<R>[] {
    const fits = new Map<R, Fit<R>>();
    for (const [stem, word] of words) {
      const holders = this.holders.get(stem);
      if (!holders || holders.size >= this.common) continue;
      for (const [skill, points] of holders) {
        const fit = fits.get(skill) ?? { skill, score: 0, words: [] };
        fit.score += points;
        fit.words.push(word);
        fits.set(skill, fit);
      }
    }
    return [...fits.values()]
      .filter(({ score, words: held }) => score >= FITS.points || held.length >= FITS.words)
      .sort((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1));
  }

  private enter(skill: R, text: string, points: number): void {
    for (const stem of wordsIn(text).keys()) {
      const holders = this.holders.get(stem) ?? new Map<R, number>();
      holders.set(skill, (holders.get(skill) ?? 0) + points);
      this.holders.set(stem, holders);
    }
  }
}

/** Reduces `commit`, `commits` and `committing` to the same stem. Rough: used only to compare words, never shown. */
export function stemOf(word: string): string {
  const stem = word.replace(ENDING, "");
  return stem.length < SHORTEST_STEM ? word : stem.replace(/([b-df-hj-np-tv-z])\1$/, "$1");
}

/** The words of a text. It is segmented in parts, since V8 keeps a copy of the segmented text for each segment. */
function segments(run: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
  const words: string[] = [];
  for (let from = 0; from < run.length; ) {
    const part = Array.from(segmenter.segment(run.slice(from, from + PART)), ({ segment }) => segment);
    // The last word may continue behind the part.
    if (from + PART < run.length && part.length > 1) part.pop();
    for (const word of part) {
      words.push(word);
      from += word.length;
    }
  }
  return words;
}
