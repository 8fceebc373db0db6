import { knownInChinese } from "@scorel/kit/text/known-zh";

/** Texts of questions to a person. */
const en = {
  asked: "Your answer is needed",
  asks: (plugin: string) => `asked by the plugin ${plugin}`,
  askedAbout: "What the question is about",
  decline: "Decline",
  answer: "Answer",
  reason: "Reason (optional)",
  reasonForNo: "Reason for no (optional)",
  yes: "Yes",
  no: "No",
  /** Translates a text of a question, if it is one of Scorel's own. */
  known: (text: string) => text,
  /** Translates the label of an answer, if it is one of Scorel's own. The page has a field of its own for the reason. */
  answerLabel: (text: string) => {
    const label = text.replace(/^no \(you can add a reason\)$/, "no");
    return label.charAt(0).toUpperCase() + label.slice(1);
  },
  emptyLines: (count: number) => `${count} empty lines`,
  spaces: (count: number) => `${count} spaces`,
  endsWith: "It ends with:",
  notAllSeen: "Its end had not been on the screen. Read it, then answer again.",
  longAs: (lines: number, characters: number) =>
    `${lines === 1 ? "1 line" : `${lines} lines`}, ${characters} characters.`,
  endIsBelow: " The end is below: scroll to see it.",
};

const zh: typeof en = {
  asked: "需要你的回答",
  asks: (plugin) => `由插件 ${plugin} 提出`,
  askedAbout: "问题的内容",
  decline: "拒绝回答",
  answer: "回答",
  reason: "理由（可选）",
  reasonForNo: "回答“否”的理由（可选）",
  yes: "是",
  no: "否",
  known: knownInChinese,
  answerLabel: (text) => (/^no \(you can add a reason\)$/.test(text) ? "否" : text),
  emptyLines: (count) => `${count} 个空行`,
  spaces: (count) => `${count} 个空格`,
  endsWith: "结尾是：",
  notAllSeen: "结尾尚未在屏幕上显示过。请先阅读，再回答一次。",
  longAs: (lines, characters) => `共 ${lines} 行、${characters} 个字符。`,
  endIsBelow: "结尾在下方，请滚动查看。",
};

export const questionsWords = { en, zh };
