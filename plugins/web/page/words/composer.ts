/** Texts of the field to write in. */
const en = {
  command: "Command",
  shellLine: "Shell line",
  shellSilent: "Shell line that the model is not told of",
  commandHint: "A command. Enter runs it.",
  shellHint: "A line for the shell. Enter runs it.",
  toMessage: "Write a message instead",
  run: "Run",
  editing: "You are editing an earlier message: sending goes back to it.",
  marksHint: "@ file · / command · $ skill · ! shell",
  sentAsText: (name: string) =>
    `/${name} was sent to the model as text, since it was pasted or kept as a draft. To run the command, type / first in an empty field.`,
  suggestions: "Suggestions",
  suggested: (count: number) => (count === 1 ? "1 suggestion" : `${count} suggestions`),
};

const zh: typeof en = {
  command: "命令",
  shellLine: "Shell 命令行",
  shellSilent: "不告诉模型的 Shell 命令行",
  commandHint: "命令，按 Enter 执行。",
  shellHint: "Shell 命令行，按 Enter 执行。",
  toMessage: "改为写消息",
  run: "执行",
  editing: "你正在编辑较早的消息：发送时会回退到它之前。",
  marksHint: "@ 文件 · / 命令 · $ 技能 · ! Shell",
  sentAsText: (name: string) =>
    `/${name} 是粘贴的或来自草稿，已作为文字发给模型。要执行该命令，请在空的输入框中先键入 /。`,
  suggestions: "建议",
  suggested: (count: number) => `${count} 条建议`,
};

export const composerWords = { en, zh };
