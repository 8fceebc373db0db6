/** Texts of actions on messages, and of rewinding. */
const en = {
  messageActions: "What can be done with this message",
  copyMessage: "Copy",
  messageCopied: "Copied",
  retry: "Retry",
  edit: "Edit",
  goBack: "Go back…",
  notCopied: "The browser did not allow copying.",
  rewindTitle: "Go back to before this message",
  rewindAbout:
    "This message and everything after it are taken out of the conversation, and its text comes back to the field. Nothing is lost: /tree shows what was left, and /branch goes there.",
  reading: "Looking which files would change…",
  filesNone: "No files would change.",
  filesChange: (count: number) => (count === 1 ? "1 file would change:" : `${count} files would change:`),
  filesNotCovered: "These cannot be restored:",
  filesUnknown: "This session keeps no earlier states of files: only the conversation can go back.",
  changeKinds: {
    created: "comes back",
    deleted: "is removed",
    modified: "is changed back",
    mode: "its mode is set back",
  },
  overwrite: "Overwrite files that were changed elsewhere meanwhile, too",
  rewindBoth: "Conversation and files",
  rewindConversation: "Only the conversation",
  rewindFiles: "Only the files",
  filesRestored: (count: number) => (count === 1 ? "1 file was restored." : `${count} files were restored.`),
  filesSkipped: "These were left as they are:",
};

const zh: typeof en = {
  messageActions: "对这条消息的操作",
  copyMessage: "复制",
  messageCopied: "已复制",
  retry: "重试",
  edit: "编辑",
  goBack: "回退…",
  notCopied: "浏览器不允许复制。",
  rewindTitle: "回退到这条消息之前",
  rewindAbout:
    "这条消息及其后的内容会离开对话，它的文字回到输入框。什么都不会丢失：/tree 显示留下的内容，/branch 可以回到那里。",
  reading: "正在查看哪些文件会改变…",
  filesNone: "没有文件会改变。",
  filesChange: (count: number) => `${count} 个文件会改变：`,
  filesNotCovered: "以下内容无法恢复：",
  filesUnknown: "这个会话不保存文件的早先状态，只能回退对话。",
  changeKinds: { created: "会恢复", deleted: "会删除", modified: "会改回", mode: "权限会改回" },
  overwrite: "也覆盖其间在别处改过的文件",
  rewindBoth: "对话和文件",
  rewindConversation: "仅对话",
  rewindFiles: "仅文件",
  filesRestored: (count: number) => `已恢复 ${count} 个文件。`,
  filesSkipped: "以下文件保持不变：",
};

export const messageWords = { en, zh };
