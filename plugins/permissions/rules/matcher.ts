/** A set of positions in a pattern that matching has reached after some text. */
export interface State {
  readonly places: readonly number[];
  readonly isEmpty: boolean;
  /** Whether the text may end here. */
  readonly isEnd: boolean;
  /** Whether any remaining text matches. */
  readonly takesRest: boolean;
  readonly next: Map<string, State>;
  readonly joined: Map<State, State>;
}
/**
 * How a character of the text matches: normally, only as a letter and by no wildcard, or as a gap (unknown text) within
 * a word or of any size.
 */
export type Meaning = "all" | "letters" | "word" | "gap";

/**
 * Matches texts against one pattern, in which `null` is a wildcard. Transitions between states are cached, so matching a long
 * text costs little more than reading it.
 */
export class Matcher {
  readonly none: State;
  readonly start: State;
  /** The number of states computed so far. */
  worked = 0;
  private readonly states = new Map<string, State>();

  private readonly steps: readonly (string | null)[];
  private readonly open: boolean;

  /** @param open whether the words before a final ` *` match on their own, too */
  constructor(steps: readonly (string | null)[], open: boolean) {
    this.steps = steps;
    this.open = open;
    this.none = this.stateOf([]);
    this.start = this.stateOf([0]);
  }

  /** Whether the pattern matches a whole text, which is divided as the pattern's steps are. */
  matches(text: Iterable<string>): boolean {
    let state = this.start;
    for (const char of text) {
      if (state.isEmpty) break;
      state = this.after(state, char, "all");
    }
    return state.isEnd;
  }

  after(state: State, char: string, meaning: Meaning): State {
    const key = meaning === "all" ? char : `${char}${meaning}`;
    let next = state.next.get(key);
    if (!next) {
      next = this.stateOf(this.placesAfter(state.places, char, meaning));
      state.next.set(key, next);
    }
    return next;
  }

  both(one: State, other: State): State {
    if (one === other || other.isEmpty) return one;
    if (one.isEmpty) return other;
    let joined = one.joined.get(other);
    if (!joined) {
      joined = this.stateOf([...one.places, ...other.places]);
      one.joined.set(other, joined);
    }
    return joined;
  }

  private placesAfter(places: readonly number[], char: string, meaning: Meaning): number[] {
    if (meaning === "word" || meaning === "gap") return this.acrossGap(places, meaning === "gap");
    return places.flatMap((place) => {
      const step = this.steps[place];
      if (step === null) return meaning === "all" ? [place] : [];
      return step === char ? [place + 1] : [];
    });
  }

  /** A gap matches any part of the pattern; a gap within a word matches no blank. */
  private acrossGap(places: readonly number[], isMany: boolean): number[] {
    const all = new Set(places);
    for (const place of all) if (place < this.steps.length && (isMany || this.steps[place] !== " ")) all.add(place + 1);
    return [...all];
  }

  private stateOf(places: readonly number[]): State {
    this.worked++;
    const { steps, open } = this;
    const all = new Set(places);
    // A wildcard may match nothing.
    for (const place of all) if (steps[place] === null) all.add(place + 1);
    const sorted = [...all].sort((a, b) => a - b);
    const key = sorted.join();
    let state = this.states.get(key);
    if (!state) {
      state = {
        places: sorted,
        isEmpty: sorted.length === 0,
        isEnd: all.has(steps.length) || (open && all.has(steps.length - 2)),
        takesRest: steps.at(-1) === null && all.has(steps.length - 1),
        next: new Map(),
        joined: new Map(),
      };
      this.states.set(key, state);
    }
    return state;
  }
}
