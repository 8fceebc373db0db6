/** Texts about a session's state and settings. */
const en = {
  mode: "Permission mode",
  model: "Model",
  noModel: "no model",
  context: (share: number) => `${Math.round(share * 100)} % of the context used`,
  cost: (dollars: number) => `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`,
  costUnknown: "cost unknown",
  /** Without seconds while the next attempt runs. */
  nextAttempt: (attempt: number, of: number, seconds: number, reason: string) =>
    `${seconds > 0 ? ` in ${seconds} s` : ""} (${attempt} of ${of}): ${reason}`,
  states: {
    waiting: "waiting for its turn",
    asking: "waiting for you",
    retrying: "trying again",
    compacting: "summarizing",
    tool: "running a tool",
    called: "waiting for the model",
    thinking: "thinking",
    answering: "answering",
  },
};

const zh: typeof en = {
  mode: "权限模式",
  model: "模型",
  noModel: "没有模型",
  context: (share) => `上下文已用 ${Math.round(share * 100)} %`,
  cost: (dollars) => `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`,
  costUnknown: "费用未知",
  nextAttempt: (attempt, of, seconds, reason) =>
    `${seconds > 0 ? `，${seconds} 秒后` : ""}（第 ${attempt} 次，共 ${of} 次）：${reason}`,
  states: {
    waiting: "等待轮到",
    asking: "等待你的回答",
    retrying: "正在重试",
    compacting: "正在总结",
    tool: "正在运行工具",
    called: "等待模型",
    thinking: "思考中",
    answering: "正在回答",
  },
};

export const statusWords = { en, zh };
