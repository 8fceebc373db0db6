import type { SlashCommand } from "@scorel/commands/contract";
import { untrustedSkills } from "../library/missing.ts";
import type { Skills } from "../load/skills.ts";

/**
 * Commands `/skill:<name>`: each sends a message that names the skill, which loads it. Those for skills of a project that is not trusted say
 * how to trust it.
 */
export function skillCommands(skills: Skills): Record<string, SlashCommand> {
  return { ...untrustedCommands(skills), ...usableCommands(skills) };
}

function untrustedCommands(skills: Skills): Record<string, SlashCommand> {
  const workspace = skills.ctx.find("workspace");
  const names = workspace ? untrustedSkills(workspace) : [];
  return Object.fromEntries(
    names.map((name): [string, SlashCommand] => [
      `skill:${name}`,
      {
        summary: "Not used, because the project is not trusted: scorel trust add",
        group: "Skills",
        operations: [],
        run() {
          throw skills.missing(name, skills.look.skills);
        },
      },
    ]),
  );
}

function usableCommands(skills: Skills): Record<string, SlashCommand> {
  const rows = skills.look.skills.filter(({ name }) => !/\s/.test(name));
  return Object.fromEntries(
    rows.map(({ name, description }): [string, SlashCommand] => [
      `skill:${name}`,
      {
        summary: description,
        group: "Skills",
        operations: ["send_message"],
        async run(args: string, { sessionId, request }) {
          const content = [`/skill:${name}`, args.trim()].filter((part) => part !== "").join(" ");
          return { turn: (await request("send_message", { sessionId, content })).id };
        },
      },
    ]),
  );
}

/** Skill names that can be completed after a `$`. */
export function namesToMention({ look: { skills } }: Skills): string[] {
  return skills.map(({ name }) => name).filter((name) => /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?$/u.test(name));
}
