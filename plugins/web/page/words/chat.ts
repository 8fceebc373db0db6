/** Words of the conversation, its field and its waiting messages. */
const en = {
  message: "Message",
  placeholder: "What should be done? Ctrl-Enter sends.",
  send: "Send",
  stop: "Stop",
  queue: "Queue",
  steer: "Steer",
  conversation: "Conversation",
  jump: "Jump to the end",
  loadEarlier: "Loading earlier messages…",
  queued: "Waiting messages",
  queuedFollowUp: "when this turn ends",
  queuedSteer: "as soon as possible",
  remove: "Remove",
  notSent: "The message was not sent:",
  finished: "The reply is complete.",
};

const zh: typeof en = {
  message: "消息",
  placeholder: "要做什么？Ctrl-Enter 发送。",
  send: "发送",
  stop: "停止",
  queue: "排队",
  steer: "插话",
  conversation: "对话",
  jump: "跳到末尾",
  loadEarlier: "正在加载更早的消息…",
  queued: "等待中的消息",
  queuedFollowUp: "本轮结束后发送",
  queuedSteer: "尽快送达",
  remove: "移除",
  notSent: "消息没有发送：",
  finished: "回答已完成。",
};

export const chatWords = { en, zh };
