/** Words for those who use a keyboard or listen, and for tokens that allow less than everything. */
const en = {
  skip: "Skip to the conversation",
  notDone: "not done",
  needsAdmin: "Changing this needs a token with the scope admin.",
  mayNotCreate:
    "This page's token may not begin sessions. Open the page by `scorel up`, or with a token that has the scope prompt.",
  limited: (write: boolean, answer: boolean) => {
    const parts = ["read sessions", write && "write in them", answer && "answer questions"].filter(Boolean);
    return `This page's token may ${parts.join(", ")}. The rest needs one with the scope admin, which the page has when \`scorel up\` opens it.`;
  },
};

const zh: typeof en = {
  skip: "跳到对话",
  notDone: "未完成",
  needsAdmin: "更改此项需要带有 admin 权限的令牌。",
  mayNotCreate: "此页面的令牌不能新建会话。请用 `scorel up` 打开页面，或使用带有 prompt 权限的令牌。",
  limited: (write, answer) => {
    const parts = ["阅读会话", write && "写消息", answer && "回答问题"].filter(Boolean);
    return `此页面的令牌只能${parts.join("、")}。其余操作需要带有 admin 权限的令牌，用 \`scorel up\` 打开页面即可获得。`;
  },
};

export const accessWords = { en, zh };
