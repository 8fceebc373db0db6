/** Words of what can be done with sessions and projects. */
const en = {
  actionsFor: (name: string) => `Actions for ${name}`,
  moreActions: "More",
  rename: "Rename",
  renameTitle: "Rename the session",
  sessionName: "Name",
  clone: "Clone",
  exportAs: (format: string) => `Export as ${format}`,
  exportLog: "Export the whole log",
  moveToTrash: "Delete",
  inTrash: (title: string) => `“${title}” is in the trash.`,
  undo: "Undo",
  deletedSessions: "Deleted sessions",
  trashEmpty: "The trash is empty.",
  restore: "Restore",
  restoreNamed: (title: string) => `Restore ${title}`,
  wasDeleted: "This session was deleted. It is in the trash.",
};

const zh: typeof en = {
  actionsFor: (name) => `${name} 的操作`,
  moreActions: "更多",
  rename: "重命名",
  renameTitle: "重命名会话",
  sessionName: "名称",
  clone: "复制会话",
  exportAs: (format) => `导出为 ${format}`,
  exportLog: "导出完整日志",
  moveToTrash: "删除",
  inTrash: (title) => `“${title}”已移到回收站。`,
  undo: "撤销",
  deletedSessions: "已删除的会话",
  trashEmpty: "回收站是空的。",
  restore: "恢复",
  restoreNamed: (title) => `恢复 ${title}`,
  wasDeleted: "这个会话已被删除，在回收站中。",
};

export const manageWords = { en, zh };
