import type { AgentDefinition } from "../contract.ts";
import type { Agents } from "./agents.ts";

/** Most characters of a description in the request to the model. */
const DESCRIBED = 400;

/** The list of definitions in the description of the tool Task. */
export function listForModel({ all }: Agents, redact: (text: string) => string): string {
  const rows = all.map(({ name, description, source }) => {
    const told = source === "shipped" ? description : redact(description);
    return `- ${name}: ${shortened(told)}`;
  });
  return `Values of \`agent\`, each with its own instructions and never with more tools or permissions than you have:\n${rows.join("\n")}`;
}

function shortened(text: string): string {
  const points = [...text];
  return points.length <= DESCRIBED ? text : `${points.slice(0, DESCRIBED - 1).join("")}…`;
}

/** The output of `/agents`: each definition with its limits, and the problems of invalid files. */
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
