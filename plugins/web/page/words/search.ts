/** Texts of the search in all conversations. */
const en = {
  noTitle: "No session title matches.",
  inConversations: "In conversations",
  searching: "Searching…",
  searchedLater: "Conversations can be searched when the host is back.",
  foundCount: (count: number, hasMore: boolean) =>
    `${count} ${count === 1 ? "message" : "messages"} found${hasMore ? ", and there are more" : ""}`,
  foundWho: { user: "Message", assistant: "Reply", thinking: "Thinking", summary: "Summary" },
  moreFound: "Show more messages",
  onOtherBranch: "That message is on another branch of this conversation: see Branches under Details.",
  notInConversation: "That message is no longer in this conversation.",
};

const zh: typeof en = {
  noTitle: "没有标题包含这些字词。",
  inConversations: "对话内容",
  searching: "正在搜索…",
  searchedLater: "主机恢复连接后才能搜索对话内容。",
  foundCount: (count, hasMore) => `找到 ${count} 条消息${hasMore ? "，还有更多" : ""}`,
  foundWho: { user: "消息", assistant: "回答", thinking: "思考", summary: "总结" },
  moreFound: "显示更多消息",
  onOtherBranch: "这条消息在本对话的另一个分支上：请看“详情”中的“分支”。",
  notInConversation: "这条消息已不在本对话中。",
};

export const searchWords = { en, zh };
