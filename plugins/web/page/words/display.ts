/** Texts of the entries in a conversation. */
const en = {
  you: "You",
  assistant: "Assistant",
  thinking: "Thinking",
  thought: "Thought",
  partial: "not complete",
  running: "running",
  done: "done",
  failed: "failed",
  exitCode: (code: number) => `exit code ${code}`,
  openItsSession: "Open its session",
  openParent: "To the session that it belongs to",
  showMore: "Show all",
  showLess: "Show less",
  copy: "Copy",
  copied: "Copied",
  copiedPart: (characters: number, firstLine: string) => `Copied ${characters} characters: ${firstLine}`,
  image: "Image",
};

const zh: typeof en = {
  you: "你",
  assistant: "助手",
  thinking: "思考中",
  thought: "思考过程",
  partial: "不完整",
  running: "运行中",
  done: "完成",
  failed: "失败",
  exitCode: (code) => `退出码 ${code}`,
  openItsSession: "打开它的会话",
  openParent: "返回所属会话",
  showMore: "全部显示",
  showLess: "收起",
  copy: "复制",
  copied: "已复制",
  copiedPart: (characters, firstLine) => `已复制 ${characters} 个字符：${firstLine}`,
  image: "图片",
};

export const displayWords = { en, zh };
