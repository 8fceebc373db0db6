import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type { Services } from "./check-context.ts";
import type {} from "./contract.ts";

/** The most findings in a result; the worst come first. */
const MOST_FINDINGS = 200;
/** The most characters of each text of a finding. */
const MOST_TEXT = 2_000;

const result = () => {
  const text = z.string();
  const severity = z.enum(["ok", "note", "warning", "error"]);
  const finding = z.strictObject({ code: text, severity, what: text, where: text, doNext: text });
  return z.strictObject({ findings: z.array(finding), more: z.boolean(), ms: z.number() });
};

/** The operation `check_health`. */
export function operations(services: () => Services) {
  return {
    check_health: {
      summary: "Checks everything that a session's host depends on, and says how to fix what is wrong.",
      size: { bounded: `It returns at most ${MOST_FINDINGS} findings, and says that there are more.` },
      params: () => z.strictObject({ sessionId: z.string(), offline: z.boolean().optional() }),
      result,
      run: async ({ sessionId, offline = false }, { look, left, assertOperations }) => {
        // The checks start programs, and report about other projects and sessions.
        assertOperations("all", "check_health");
        const cwd = await look(sessionId, ({ workspace }) => workspace.cwd);
        const { examination } = await import("./examination.ts");
        const asked = { cwd, env: process.env, options: { offline }, interrupt: left(sessionId) };
        const { findings, ms } = await examination(asked, services());
        const cut = (text: string) => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)} …` : text);
        const shown = findings.slice(0, MOST_FINDINGS).map(({ code, severity, what, where, doNext }) => ({
          ...{ code, severity },
          ...{ what: cut(what), where: cut(where), doNext: cut(doNext) },
        }));
        return { findings: shown, more: findings.length > MOST_FINDINGS, ms };
      },
    },
  } satisfies Contributions["operations"];
}
