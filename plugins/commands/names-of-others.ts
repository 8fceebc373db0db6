/** Advice for slash commands of other tools that no slash command of Scorel replaces, by name. */
const INSTEAD: Readonly<Record<string, string>> = {
  "add-dir": "To let Write and Edit change files in another folder, start with: scorel --allow-write <dir>",
  agents:
    'To work with subagents, add them to the top of ~/.scorel/config.toml: use = ["subagents"]. Their agents are files in .scorel/agents or .claude/agents.',
  config: "To see the settings: scorel config show. They are set in ~/.scorel/config.toml.",
  doctor: "To check this installation, run in a shell: scorel doctor",
  fork: "To continue from an earlier point: /branch. To continue in a copy of the conversation: /clone",
  hooks: "Hooks are part of extensions. To create one, run in a shell: scorel plugin new <name>",
  ide: "To use Scorel in an editor, let the editor start: scorel acp",
  memory: "What the model should always know is in AGENTS.md, in the project or in ~/.scorel. Edit that file.",
  plan: "To let the model only read and plan: /permission plan",
  share: "Scorel uploads nothing. To write the conversation as a page that you can send: /export html",
  theme: 'The terminal\'s colours are set in ~/.scorel/config.toml, as in: [terminal] theme = "light"',
  todos: "The todo list is shown above the field of the terminal; Alt-T folds and unfolds it.",
  usage: "To see what this session has used: /cost. For all sessions, run in a shell: scorel usage",
  vim: "There is no vi mode. Ctrl-G opens the message in your editor.",
};

/** Advice for an unknown slash command; undefined if no other tool is known to have it. */
export function insteadOf(name: string): string | undefined {
  return Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined;
}
