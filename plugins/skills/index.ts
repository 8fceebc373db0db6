import type {} from "@scorel/agent/contract";
import type {} from "@scorel/commands/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/prompt/contract";
import type {} from "@scorel/tools/contract";
import { config } from "./config.ts";
import type {} from "./contract.ts";
import { events } from "./events.ts";
import { Skills } from "./load/skills.ts";
import { skillContents, skillIndex, skillState } from "./load/state.ts";
import { tools } from "./load/tools.ts";
import { namesToMention, skillCommands } from "./match/commands.ts";
import { newWords } from "./match/words.ts";
import { operations } from "./operations.ts";

/** The longest time to wait for archives that are fetched for the first time. */
const PATIENCE_MS = { start: 5_000, turn: 25_000 };

/** Instructions for tasks, in folders: the model sees their names and loads what it needs. */
export default definePlugin({
  id: "skills",
  name: "Skills",
  version: "0.1.0",
  needs: ["agent", "prompt"],
  provides: ["skills"],
  config,
  events,
  projections: { skillIndex, skillContents, skillState },

  async activate(ctx) {
    const skills = new Skills(ctx);
    ctx.provide("skills", skills);
    await skills.ready(PATIENCE_MS.start);
    await skills.rank();
  },

  tools: (ctx) => tools(ctx.find("skills") as Skills),
  commands: (ctx) => skillCommands(ctx.find("skills") as Skills),
  markedWords: (ctx) => [{ sign: "$", complete: () => namesToMention(ctx.find("skills") as Skills) }],
  operations: (ctx) => operations(() => ctx.find("skills") as Skills),

  promptParts(ctx) {
    const skills = ctx.find("skills") as Skills;
    const { text } = skills.overview;
    return text === "" || !skills.isOffered ? [] : [{ section: "baseline", priority: 60, text }];
  },

  hooks(ctx) {
    const skills = ctx.find("skills") as Skills;
    return {
      async promptSubmit() {
        skills.turnBegins = true;
        if (skills.fetches.size > 0) await skills.ready(PATIENCE_MS.turn);
      },
      async transformContext(messages) {
        if (skills.turnBegins) await (await import("./match/turn-start.ts")).beginTurn(skills);
        skills.turnBegins = false;
        skills.system = "";
        const words = newWords(skills);
        if (skills.state.loaded.length === 0 && !skills.once && words.length === 0) return messages;
        return (await import("./load/request.ts")).prepare(skills, messages, words);
      },
      systemPrompt: (text) => (skills.system === "" ? text : [text, skills.system].filter(Boolean).join("\n\n")),
    };
  },
});
