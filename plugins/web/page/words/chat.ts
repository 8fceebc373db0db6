/** Texts of the conversation, its field and its queue. */
const en = {
  notices: "Notices",
  warning: "Warning",
  hideNotices: "Hide the notices",
  areHere: (names: readonly string[]): string => `Also here: ${listed(names)}.`,
  hasLeft: (name: string): string => `No longer here: ${name}.`,
  message: "Message",
  queuedHint: (byEnter: boolean): string =>
    byEnter ? "What should be done next? Enter queues it." : "What should be done next?",
  placeholder: (byEnter: boolean): string => (byEnter ? "What should be done? Enter sends." : "What should be done?"),
  send: "Send",
  stop: "Stop",
  queue: "Queue",
  steer: "Steer",
  conversation: "Conversation",
  jump: "Jump to the end",
  loadEarlier: "Loading earlier messages…",
  notLoadedEarlier: (reason: string): string =>
    `The earlier messages could not be loaded, which is tried again soon: ${reason}`,
  queued: "Waiting messages",
  queuedFollowUp: "when this turn ends",
  queuedSteer: "as soon as possible",
  queuedIdle: "with the next message",
  sendNow: "Send now",
  moveUp: "Move up",
  moveDown: "Move down",
  remove: "Remove",
  notSent: "The message was not sent:",
  modelNone: `No model is configured. On the computer of the host, run one of these, and then send again:

  scorel login openai   stores a key for OpenAI or another provider
  scorel login custom   sets up your own server, such as Ollama or vLLM

If a variable such as OPENAI_API_KEY has the key, start the host again where it is set: scorel host serve --replace`,
  readingFiles: "It is sent when its files have been read, unless you change it before.",
  changedMeanwhile:
    "It was not sent, since it was changed before it could be. Send it again when it is as you want it.",
  finished: "The reply is complete.",
  turnEnded: "The turn has ended.",
  stopped: "Stopped.",
};

const zh: typeof en = {
  notices: "提示",
  warning: "警告",
  hideNotices: "隐藏提示",
  areHere: (names) => `${names.join("、")} 也在这里。`,
  hasLeft: (name) => `${name} 已离开。`,
  message: "消息",
  queuedHint: (byEnter) => (byEnter ? "接下来要做什么？按 Enter 排队。" : "接下来要做什么？"),
  placeholder: (byEnter) => (byEnter ? "要做什么？按 Enter 发送。" : "要做什么？"),
  send: "发送",
  stop: "停止",
  queue: "排队",
  steer: "插话",
  conversation: "对话",
  jump: "跳到末尾",
  loadEarlier: "正在加载更早的消息…",
  notLoadedEarlier: (reason) => `更早的消息无法加载，稍后会重试：${reason}`,
  queued: "等待中的消息",
  queuedFollowUp: "本轮结束后发送",
  queuedSteer: "尽快送达",
  queuedIdle: "随下一条消息发送",
  sendNow: "立即发送",
  moveUp: "上移",
  moveDown: "下移",
  remove: "移除",
  notSent: "消息没有发送：",
  modelNone: `没有配置模型。请在主机所在的电脑上执行以下命令之一，然后重新发送：

  scorel login openai   保存 OpenAI 或其他提供方的密钥
  scorel login custom   设置自己的服务器，例如 Ollama 或 vLLM

如果密钥在 OPENAI_API_KEY 等变量中，请在设置了该变量的地方重新启动主机：scorel host serve --replace`,
  readingFiles: "文件读取完成后会发送，除非你在此之前修改。",
  changedMeanwhile: "没有发送，因为在发送之前内容有改动。改好后请再发送一次。",
  finished: "回答已完成。",
  turnEnded: "本轮已结束。",
  stopped: "已停止。",
};

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

export const chatWords = { en, zh };
