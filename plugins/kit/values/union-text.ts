import type { z } from "zod";

type Issue = z.core.$ZodIssue;
type Union = Extract<Issue, { code: "invalid_union" }>;

/** How single issues are described. */
interface Words {
  /** What an issue says about the value at its path. */
  textOf(issue: Issue): string;
  /** The form that an alternative of this type or with these values has: `a text`, `"ask" or "full"`. */
  formOf(issue: Issue): string;
  /** The end of a message about the whole value: `, not the number 5`. */
  found: string;
}

/** Maximum alternatives that a message lists. */
const LISTED = 5;

/**
 * Describes why a value fits no alternative of a union. If its type fits none, lists the allowed types; otherwise describes the issues of
 * the closest alternative, or of each of several equally close ones.
 */
export function unionText(union: Union, words: Words): string {
  const alternatives = alternativesIn(union);
  const begun = closest(alternatives.filter((issues) => !issues.some(isForm)));
  if (begun.length > 0) return slipsText(begun, words);
  const forms = alternatives.flatMap((issues) => issues.find(isForm) ?? []);
  if (forms.length === 0) return "it has none of the allowed forms";
  const all = [...new Set(forms.map(words.formOf))].join(" or ");
  const isMissing = forms.some(({ message }) => message.endsWith("received undefined"));
  return isMissing ? `it is missing, ${all} is needed` : `it must be ${all}${words.found}`;
}

function slipsText(alternatives: readonly Issue[][], { textOf }: Words): string {
  const texts = alternatives.map((issues) => issues.map((issue) => `${placeOf(issue)}${textOf(issue)}`).join(" and "));
  const [text = "", ...others] = [...new Set(texts)].slice(0, LISTED);
  return others.length === 0 ? text : `it has none of the allowed forms: ${[text, ...others].join("; or ")}`;
}

/** The issues of each alternative, also of those in unions that are alternatives themselves. */
function alternativesIn({ errors }: Union): Issue[][] {
  return errors.flatMap((issues) => {
    const [inner] = issues;
    const isUnion = inner?.code === "invalid_union" && inner.path.length === 0 && !("options" in inner);
    return isUnion && inner.errors.length > 0 ? alternativesIn(inner) : [issues.flatMap(expanded)];
  });
}

/** Replaces an issue about a union by the issues of its closest alternative, if exactly one is closest. Keeps any other issue. */
function expanded(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const [meant, ...others] = closest(alternativesIn(issue).filter((issues) => !issues.some(isForm)));
  if (!meant || others.length > 0) return [issue];
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** The alternatives with the fewest mismatched literals, such as `type: "text"`, which usually identify the intended one. */
function closest(alternatives: readonly Issue[][]): Issue[][] {
  const slips = (issues: Issue[]) => issues.filter(({ code }) => code === "invalid_value").length;
  const least = Math.min(...alternatives.map(slips));
  return alternatives.filter((issues) => slips(issues) === least);
}

/** Whether the value as a whole has a different type than the alternative. */
function isForm({ code, path }: Issue): boolean {
  return path.length === 0 && (code === "invalid_type" || code === "invalid_value");
}

function placeOf({ path }: Issue): string {
  return path.length === 0 ? "" : `${path.map(String).join(".")}: `;
}
