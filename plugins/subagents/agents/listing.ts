import type { AgentDefinition } from "../contract.ts";
import type { Agents } from "./agents.ts";

/** Characters of a description that the model gets with each request. */
const DESCRIBED = 400;

/** The definitions in the description of the tool Task. */
export function listForModel({ all }: Agents, redact: (text: string) => string): string {
  const rows = all.map(({ name, description, source }) => {
    const told = source === "shipped" ? description : redact(description);
    return `- ${name}: ${shortened(told)}`;
  });
  return `Values of \`agent\`, each with instructions of its own and never with more tools or permissions than you have:\n${rows.join("\n")}`;
}

function shortened(text: string): string {
  const points = [...text];
  return points.length <= DESCRIBED ? text : `${points.slice(0, DESCRIBED - 1).join("")}…`;
}

/** What `/agents` prints: each definition with what limits it, and what is wrong with other files. */
export function listForPeople({ all, flaws }: Agents): string {
  const rows = all.map((agent) => [
    `${agent.name}  (${agent.file ?? "comes with Scorel"})`,
    `  ${shortened(agent.description)}`,
    ...limitsOf(agent).map((line) => `  ${line}`),
  ]);
  return [...rows.flat(), ...flaws.map(({ message }) => message)].join("\n");
}

function limitsOf({
  model,
  tools,
  withoutTools,
  permission,
  skills,
  isolation,
  background,
}: AgentDefinition): string[] {
  const parts = [
    ["model", model],
    ["tools", tools && (tools.join(", ") || "none")],
    ["without", withoutTools?.join(", ")],
    ["permission", permission],
    ["skills", skills?.join(", ")],
    ["isolation", isolation],
    ["background", background && "yes"],
  ] as const;
  const told = parts.flatMap(([key, value]) => (value === undefined ? [] : `${key}: ${value}`));
  return told.length > 0 ? [told.join("; ")] : [];
}
