import { shellWord } from "@scorel/kit/text/shell-word";
import type { TrustedProject } from "@scorel/trust/contract";
import { type CheckContext, type Part, thrownFindings } from "./check-context.ts";
import type { Finding } from "./contract.ts";

/** Checks which projects are trusted and what still waits for the user's trust. */
export async function checkTrust({ trust, cwd, home }: CheckContext): Promise<Part> {
  if (home === undefined) return { findings: [] };
  const findings: Finding[] = [];
  const attempt = async <R>(work: () => Promise<R>): Promise<R | undefined> => {
    try {
      return await work();
    } catch (thrown) {
      const fresh = thrownFindings(
        thrown,
        "",
        "Fix or remove that file, and trust what you need again: scorel trust add",
      );
      findings.push(...fresh.filter(({ what }) => !findings.some((known) => known.what === what)));
      return undefined;
    }
  };
  const projects = (await attempt(() => trust.list())) ?? [];
  const review = await attempt(() => trust.review(cwd));
  if (review)
    findings.push({
      code: review.changes ? "TRUST_CHANGED" : "TRUST_NOT_GIVEN",
      severity: review.changes ? "warning" : "note",
      what: `${review.changes ? "It has changed since you trusted it" : "It is not trusted"}, so nothing in it is used: ${counted(review.items.length)}.`,
      where: review.folders.join(", "),
      doNext: `scorel trust add ${shellWord(review.path)}`,
    });
  for (const { id, path, sessionId } of (await attempt(() => trust.held())) ?? [])
    findings.push({
      code: "EXTENSION_HELD",
      severity: "warning",
      what: `The extension "${id}" is held back: it appeared or changed while tools of session ${sessionId} ran.`,
      where: path,
      doNext: `Review it; if you want it loaded: scorel trust confirm ${shellWord(id)}`,
    });
  findings.push(...projects.flatMap(aboutProject));
  if (findings.length === 0)
    findings.push({
      code: "TRUST",
      severity: "ok",
      what: "No project or extension here needs your trust.",
      where: "",
      doNext: "",
    });
  return { trust: { projects }, findings };
}

function aboutProject({ path, state }: TrustedProject): Finding[] {
  const remove = `scorel trust remove ${shellWord(path)}`;
  if (state === "gone")
    return [
      {
        code: "TRUST_GONE",
        severity: "note",
        what: "It is trusted, but does not exist any more.",
        where: path,
        doNext: remove,
      },
    ];
  if (state === "dev")
    return [
      {
        code: "TRUST_BY_PATH",
        severity: "note",
        what: "It is trusted whatever it becomes.",
        where: path,
        doNext: `To end that: ${remove}`,
      },
    ];
  return [];
}

function counted(things: number): string {
  return things === 1 ? "one thing" : `${things} things`;
}
