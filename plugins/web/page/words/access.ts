/** Texts for keyboard and screen reader users, and for tokens with limited scopes. */
const en = {
  skip: "Skip to the conversation",
  notDone: "not done",
  needsAdmin: "Changing this needs the scope admin.",
  /** `isPaired`: the host knows this browser by its paired keys; otherwise by the token of the page. */
  mayNotCreate: (isPaired: boolean): string =>
    isPaired
      ? "This browser may not begin sessions. On the host's computer, `scorel device scopes <name> view,prompt` lets it; `scorel device list` shows its name."
      : "This page's token may not begin sessions. Open the page by `scorel up`, or with a token that has the scope prompt.",
  limited: (write: boolean, answer: boolean, isPaired: boolean) => {
    const parts = ["read sessions", write && "write in them", answer && "answer questions"].filter(Boolean);
    return isPaired
      ? `This browser may ${parts.join(", ")}. On the host's computer, \`scorel device scopes <name> admin\` lets it do the rest; \`scorel device list\` shows its name.`
      : `This page's token may ${parts.join(", ")}. The rest needs one with the scope admin, which the page has when \`scorel up\` opens it.`;
  },
};

const zh: typeof en = {
  skip: "跳到对话",
  notDone: "未完成",
  needsAdmin: "更改此项需要 admin 权限。",
  mayNotCreate: (isPaired) =>
    isPaired
      ? "此浏览器不能新建会话。请在主机所在的电脑上运行 `scorel device scopes <name> view,prompt`；`scorel device list` 会显示其名称。"
      : "此页面的令牌不能新建会话。请用 `scorel up` 打开页面，或使用带有 prompt 权限的令牌。",
  limited: (write, answer, isPaired) => {
    const parts = ["阅读会话", write && "写消息", answer && "回答问题"].filter(Boolean);
    return isPaired
      ? `此浏览器只能${parts.join("、")}。要允许其余操作，请在主机所在的电脑上运行 \`scorel device scopes <name> admin\`；\`scorel device list\` 会显示其名称。`
      : `此页面的令牌只能${parts.join("、")}。其余操作需要带有 admin 权限的令牌，用 \`scorel up\` 打开页面即可获得。`;
  },
};

export const accessWords = { en, zh };
