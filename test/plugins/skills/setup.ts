import { newId, type Services } from "@scorel/kernel";
import prompt from "@scorel/prompt";
import skills from "@scorel/skills";
import type { SkillsService } from "@scorel/skills/contract";
import type { TestPlugin } from "../../harness.ts";
import type { RecordedRequest, Script } from "../../model-server.ts";
import { type AgentTest, openAgent } from "../agent/setup.ts";
import type { Ground } from "../prompt/setup.ts";

export { type Ground, ground } from "../prompt/setup.ts";

type OpenOptions = NonNullable<Parameters<typeof openAgent>[1]>;
export interface Options extends Omit<OpenOptions, "config"> {
  /** The table `[skills]`. */
  config?: object;
  /** The table `[agent]`. */
  agent?: object;
  workspace?: Partial<Services["workspace"]>;
}
export interface SkillsTest extends AgentTest {
  skills: SkillsService;
  requests: readonly RecordedRequest[];
}

/** The text of a SKILL.md. */
export const skillText = (name: string, description: string, body = `Do as ${name} says.`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;

/** Writes a skill to `~/.scorel/skills`, with docs by path; returns its folder relative to the home. */
export function addSkill(
  g: Ground,
  name: string,
  docs: Record<string, string> = {},
  text = skillText(name, `All of ${name}`),
): string {
  const folder = `.scorel/skills/${name}`;
  g.file(`${folder}/SKILL.md`, text);
  for (const [path, content] of Object.entries(docs)) g.file(`${folder}/${path}`, content);
  return folder;
}

/** The plugin in a session whose model plays this script. Shipped skills are disabled unless a test sets `disabled`. */
export async function openSkills(
  { home, project }: Ground,
  script: Script,
  options: Options = {},
): Promise<SkillsTest> {
  const { config = {}, agent, workspace: place, plugins = [], kernel, ...rest } = options;
  const workspace = { cwd: project, root: project, home, ...place } as Services["workspace"];
  const own: TestPlugin[] = [prompt, { plugin: skills, config: { disabled: SHIPPED, ...config } }, ...plugins];
  const opened = await openAgent(script, {
    tools: [],
    ...rest,
    ...(agent && { config: agent }),
    model: { contextWindow: 1_000_000, ...rest.model },
    plugins: own,
    kernel: { newId, ...kernel, services: { workspace, ...kernel?.services } },
  });
  const service = opened.kernel.find("skills") as SkillsService;
  return { ...opened, skills: service, requests: opened.server.requests };
}

export const SHIPPED = [
  "code-review",
  "compose-preset",
  "debug-session",
  "git-commit",
  "python-math",
  "write-scorel-extension",
];

/** The role and text of each message of a request; the first is the system prompt. */
export function sent({ body }: RecordedRequest): { role: string; text: string }[] {
  return body.messages.map(({ role, content }: any) => ({ role, text: textOf(content) }));
}

function textOf(content: any): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((block: any) => block.text ?? "").join("\n");
}

/** The texts of stored tool results, in order. */
export function results(t: AgentTest): string[] {
  return [...t.session.tree.ofType("message")].flatMap(({ message }) =>
    message.role === "tool_result" ? textOf(message.content) : [],
  );
}

/** The stored events of these types, without their envelopes. */
export function payloads(t: AgentTest, ...types: string[]): object[] {
  return t
    .stored()
    .flatMap(({ id: _i, parentId: _p, seq: _s, sessionId: _o, clientId: _c, ts: _t, type, ...payload }) =>
      types.includes(type) ? [{ type, ...payload }] : [],
    );
}
