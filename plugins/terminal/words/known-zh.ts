/** Texts of questions about permissions, as the host says them, and what they are in Chinese. */
const texts: readonly (readonly [english: RegExp, chinese: string])[] = [
  [/^Run this command\?$/, "运行此命令?"],
  [/^Make this edit\?$/, "进行此编辑?"],
  [/^Write this file\?$/, "写入此文件?"],
  [/^Read this file\?$/, "读取此文件?"],
  [/^Use the tool (.+)\?$/s, "使用工具 $1?"],
  [/^(.+) wants to run:$/s, "$1 想要运行:"],
  [/^(.+) wants to use the tool (.+):$/s, "$1 想要使用工具 $2:"],
  [/^Why you are asked: (.+)$/s, "询问的原因:$1"],
  [/^What the other answers allow:\n(.+)$/s, "其他回答将允许:\n$1"],
  [/^in (?=[/~])(.+)$/s, "位于 $1"],
  [/^yes, this once$/, "是,仅此一次"],
  [/^yes, and all edits in this session \(mode edits\)$/, "是,并允许本会话中的所有编辑(编辑模式)"],
];
/** Answers that name what they cover. */
const scopes: readonly (readonly [english: RegExp, chinese: string])[] = [
  [/^yes, and in this session: (.+)$/s, "是,并在本会话中允许:"],
  [/^always in this project: (.+)$/s, "在此项目中始终允许:"],
  [/^always in every project: (.+)$/s, "在所有项目中始终允许:"],
];
const covered: readonly (readonly [english: RegExp, chinese: string])[] = [
  [/^edits of (\d+) files$/, "编辑 $1 个文件"],
  [/^this command$/, "此命令"],
  [/^edits of this file$/, "编辑此文件"],
  [/^these (\d+) commands$/, "这 $1 个命令"],
  [/^these (\d+) rules$/, "这 $1 条规则"],
  [/^every command$/, "所有命令"],
  [/^every call of (.+)$/s, "$1 的所有调用"],
  [/^edits of (.+)$/s, "编辑 $1"],
  [/^reading everything in (.+)$/s, "读取 $1 中的所有内容"],
  [/^reading (.+)$/s, "读取 $1"],
];

/** A text of a question in Chinese; unknown texts stay as they are. */
export function knownInChinese(text: string): string {
  for (const [english, chinese] of scopes) {
    const [, what] = english.exec(text) ?? [];
    if (what !== undefined) return chinese + translated(what, covered);
  }
  return translated(text, texts);
}

function translated(text: string, table: readonly (readonly [RegExp, string])[]): string {
  const [english, chinese] = table.find(([each]) => each.test(text)) ?? [];
  return english && chinese !== undefined ? text.replace(english, chinese) : text;
}
