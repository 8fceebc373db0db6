/** Advice for slash commands of other tools, and of the full-screen terminal, that are no commands of the session, by name. */
const INSTEAD: Readonly<Record<string, string>> = {
  "add-dir": "To let Write and Edit change files in another folder, start with: scorel --allow-write <dir>",
  agents:
    'To work with subagents, add them to the top of ~/.scorel/config.toml: use = ["subagents"]. Their agents are files in .scorel/agents or .claude/agents.',
  branches:
    "It is a list in the full-screen terminal. Elsewhere, /tree draws the branches, and /branch switches to one.",
  config: "To see the settings: scorel config show. They are set in ~/.scorel/config.toml.",
  doctor: "To check this installation, run in a shell: scorel doctor",
  fork: "To continue from an earlier point: /branch. To continue in a copy of the conversation: /clone",
  hooks: "Hooks are part of extensions. To create one, run in a shell: scorel plugin new <name>",
  ide: "To use Scorel in an editor, let the editor start: scorel acp",
  memory: "What the model should always know is in AGENTS.md, in the project or in ~/.scorel. Edit that file.",
  permissions: "To show or change what runs without asking: /permission",
  plan: "To let the model only read and plan: /permission plan",
  presets: "It is a list in the full-screen terminal. Elsewhere, run in a shell: scorel preset list",
  rename: "To rename the session: /name",
  sessions: "To list the sessions of this project: /resume",
  settings: "It is a list in the full-screen terminal. Elsewhere, run in a shell: scorel config show",
  share: "Scorel uploads nothing. To write the conversation as a page that you can send: /export html",
  skills: "It is a list in the full-screen terminal. Elsewhere, run in a shell: scorel skill list",
  theme: 'The terminal\'s colours are set in ~/.scorel/config.toml, as in: [terminal] theme = "light"',
  todos: "The todo list is shown above the field of the terminal; Alt-T folds and unfolds it.",
  usage: "To see what this session has used: /cost. For all sessions, run in a shell: scorel usage",
  vim: "There is no vi mode. Ctrl-G opens the message in your editor.",
};

/** Advice for an unknown slash command; undefined if it is not known from elsewhere. */
export function insteadOf(name: string): string | undefined {
  return Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined;
}
