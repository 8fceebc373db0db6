interface Segment {
  segment: string;
  index: number;
  input: string;
}

/** The private members of pi-tui's editor that break lines, in the pinned version. */
export interface Breaking {
  segment(text: string): Iterable<Segment>;
  layoutText(width: number): unknown;
  buildVisualLineMap(width: number): unknown;
}

/** Characters that are written without spaces between words. Korean has spaces. */
const WIDE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60]/u;
/** Characters that no line begins with: closing punctuation, and signs that belong to the character before. */
const NOT_FIRST = /^[\p{Pe}\p{Pf},.!?;:%、。，．：；！？％·…—～々〻ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ]/u;
/** Characters that no line ends with: opening punctuation. */
const NOT_LAST = /^[\p{Ps}\p{Pi}]/u;
/** A character without width at which the editor may break a line, since it takes it for a space. */
const BREAK = "\ufeff";

/** Lets the editor break lines between Chinese and Japanese characters. By itself it breaks lines only at spaces. */
export function breakBetweenWide(editor: Breaking): void {
  const { segment, layoutText, buildVisualLineMap } = editor;
  let isBreaking = false;
  const breaking = <R>(work: () => R): R => {
    isBreaking = true;
    try {
      return work();
    } finally {
      isBreaking = false;
    }
  };
  editor.segment = (text) => {
    const segments = segment.call(editor, text);
    return isBreaking ? withBreaks([...segments]) : segments;
  };
  editor.layoutText = (width) => breaking(() => layoutText.call(editor, width));
  editor.buildVisualLineMap = (width) => breaking(() => buildVisualLineMap.call(editor, width));
}

function withBreaks(segments: readonly Segment[]): Segment[] {
  return segments.flatMap((each, at) => {
    const next = segments[at + 1];
    return next && mayBreak(each.segment, next.segment) ? [each, { ...next, segment: BREAK }] : [each];
  });
}

function mayBreak(before: string, after: string): boolean {
  if (!WIDE.test(before) && !WIDE.test(after)) return false;
  return !NOT_LAST.test(before) && !NOT_FIRST.test(after) && after.trim() !== "";
}
