/** English texts of questions about permissions, with their Chinese translations. */
const texts: readonly (readonly [english: RegExp, chinese: string])[] = [
  [/^Run this command\?$/, "运行此命令？"],
  [/^Make this edit\?$/, "进行此编辑？"],
  [/^Write this file\?$/, "写入此文件？"],
  [/^Read this file\?$/, "读取此文件？"],
  [/^Use the tool (.+)\?$/s, "使用工具 $1？"],
  [/^Another client wants to run:$/, "另一个客户端想要运行："],
  [/^Another client wants to use the tool (.+):$/s, "另一个客户端想要使用工具 $1："],
  [/^(.+) wants to run:$/s, "$1 想要运行："],
  [/^(.+) wants to use the tool (.+):$/s, "$1 想要使用工具 $2："],
  [/^What the other answers allow:\n(.+)$/s, "其他回答将允许：\n$1"],
  [/^in (?=[/~])(.+)$/s, "位于 $1"],
  [/^It runs in the background, until it ends or the session does\.$/, "它在后台运行，直到自行结束或会话结束。"],
  [
    /^It runs in the background, until it ends or the session does\. The other answers allow it there and in the foreground\.$/,
    "它在后台运行，直到自行结束或会话结束。其他回答同时允许它在后台和前台运行。",
  ],
  [/^yes, this once$/, "是，仅此一次"],
  [/^no \(you can add a reason\)$/, "否（可以说明原因）"],
  [/^yes, and all edits in this session \(mode edits\)$/, "是，并允许本会话中的所有编辑（编辑模式）"],
  [/^Carry out this plan\?$/, "执行此计划？"],
  [/^yes, and edit files without asking \(mode edits\)$/, "是，编辑文件时不再询问（编辑模式）"],
  [/^yes, and ask before each edit \(mode ask\)$/, "是，每次编辑前询问（询问模式）"],
  [/^no, keep planning \(you can add what to change\)$/, "否，继续计划（可以说明要改什么）"],
];
/** Answers that name the files or commands that they cover. */
const scopes: readonly (readonly [english: RegExp, chinese: string])[] = [
  [/^yes, and in this session: (.+)$/s, "是，并在本会话中允许："],
  [/^always in this project: (.+)$/s, "在此项目中始终允许："],
  [/^always in every project: (.+)$/s, "在所有项目中始终允许："],
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
  [/^this call of (.+)$/s, "$1 的此次调用"],
];
/** A list of commands: exact ones, or `any` and how they begin. */
const COMMANDS = /^(?:any )?`[^`]+`(?:, (?:any )?`[^`]+`)*$/;

/** The reasons that guards of Scorel's own plugins give for a question. */
const reasons: readonly (readonly [english: RegExp, chinese: string])[] = [
  [/^(.+) is outside of the project$/s, "$1 位于项目之外"],
  [/^(.+) leads to no file that can be read$/s, "$1 不指向任何可读取的文件"],
  [/^(.+) can change what Scorel or git does$/s, "$1 会改变 Scorel 或 git 的行为"],
  [/^(.+) needs approval each time$/s, "$1 每次都需要批准"],
  [/^(.+) needs? approval$/s, "$1 需要批准"],
  [/^the rule "(.+)" asks for approval$/s, "规则“$1”要求批准"],
  [/^it may run what the rule "(.+)" is about$/s, "它可能运行规则“$1”所涉及的内容"],
  [/^(`.+`) runs what it reads, so it needs approval each time$/s, "$1 会运行它读到的内容，每次都需要批准"],
  [/^it reads (.+), and the rule "(.+)" asks for approval$/s, "它读取 $1，而规则“$2”要求批准"],
  [/^it may read (.+), which the rule "(.+)" is about$/s, "它可能读取规则“$2”所涉及的 $1"],
  [
    /^it goes through (.+), which may contain what the rule "(.+)" is about$/s,
    "它会遍历 $1，其中可能有规则“$2”所涉及的内容",
  ],
  [/^it goes through (.+), which contains keys$/s, "它会遍历含有密钥的 $1"],
  [/^(.+) usually contains keys or passwords$/s, "$1 通常含有密钥或密码"],
  [
    /^(.+) is one of Scorel's own records, which may be about other projects$/s,
    "$1 是 Scorel 自己的记录，可能涉及其他项目",
  ],
  [
    /^this project has its own tool (.+), which does not come with Scorel$/s,
    "此项目有自己的工具 $1，它不是 Scorel 自带的",
  ],
];
/** The ends of reasons that begin by naming a part of a command that cannot be checked. */
const unchecked: readonly (readonly [english: RegExp, chinese: string])[] = [
  [/^, so it needs approval each time$/s, "，每次都需要批准"],
  [/^, so it may run what the rule "(.+)" is about$/s, "，可能运行规则“$1”所涉及的内容"],
  [/^, so it may read what the rule "(.+)" is about$/s, "，可能读取规则“$1”所涉及的内容"],
];
const CONTAINS =
  /^it contains (.+?)(, so it (?:needs approval each time|may (?:run|read) what the rule ".+" is about))$/s;
/** The names of parts of commands that cannot be checked. */
const findings: readonly (readonly [english: RegExp, chinese: string])[] = [
  [/^a command whose name is only known when it runs$/, "运行时才知道名称的命令"],
  [/^a substitution that cannot be read$/, "无法读取的替换"],
  [/^a here-document without its end$/, "没有结束标记的 here-document"],
  [/^a file that the command itself writes$/, "命令自己写入的文件"],
  [/^git in a folder that the same command may change$/, "在同一命令可能更改的文件夹中运行 git"],
  [/^a shell that reads its standard input$/, "读取标准输入的 shell"],
  [/^too many values of its variables$/, "变量取值过多"],
  [/^more levels than can be checked$/, "层级过多，无法检查"],
  [/^too many shells inside each other$/, "嵌套过多的 shell"],
  [/^no command$/, "没有命令"],
  [/^a descriptor in a variable$/, "变量中的文件描述符"],
  [/^more words than can be checked$/, "参数过多，无法检查"],
  [/^the option (\S+) of (\S+)$/, "$2 的选项 $1"],
  [/^the many options of (\S+)$/, "$1 的众多选项"],
  [/^the many commands of find$/, "find 的众多命令"],
  [/^the (?:terminal )?input of (\S+)$/, "$1 的输入"],
  [/^the file that (\S+) (?:begins with|runs)$/, "$1 运行的文件"],
  [/^a setting of git$/, "git 的设置"],
  [/^a script for (\S+)$/, "$1 的脚本"],
  [/^the standard input of (\S+)$/, "$1 的标准输入"],
  [/^the command that (\S+) runs$/, "$1 运行的命令"],
  [/^the arguments of (\S+)$/, "$1 的参数"],
  [/^the variables that (\S+) sets$/, "$1 设置的变量"],
  [/^the value of (\S+)$/, "$1 的值"],
  [/^the words of (\S+)$/, "$1 的参数"],
  [/^a loop that sets (\S+)$/, "设置 $1 的循环"],
];
/** The last lines of outputs, which tell whether the command runs or how it ended. */
const states: readonly (readonly [english: RegExp, chinese: string])[] = [
  [/^\[runs in the background as (\w+)\]$/, "[在后台运行，编号 $1]"],
  [/^\[running for (\d+) s\]$/, "[已运行 $1 s]"],
  [/^\[stopped, including its child processes\]$/, "[已停止，连同它启动的所有进程]"],
  [/^\[exit code (\d+)\]$/, "[退出码 $1]"],
  [/^\[exit code (\d+), ([\d.]+ m?s)\]$/, "[退出码 $1，$2]"],
  [/^\[killed by (SIG\w+)\]$/, "[被 $1 终止]"],
  [/^\[cancelled; the command and all its processes were killed\]$/, "[已取消；命令及其所有进程均已终止]"],
  [
    /^\[timed out after ([\d.]+) s; the command and all its processes were killed\. Set a longer timeout if it needs one\]$/,
    "[超过 $1 s 的时限；命令及其所有进程均已终止。如有需要，请设置更长的时限]",
  ],
  [/^\[processes it started in the background still run\]$/, "[它在后台启动的进程仍在运行]"],
];
const WHY = /^Why you are asked: (.+)$/s;

/** Translates a text of a question into Chinese. Returns an unknown text unchanged. */
export function knownInChinese(text: string): string {
  const [, why] = WHY.exec(text) ?? [];
  if (why !== undefined) return `询问的原因：${reasonInChinese(why)}`;
  for (const [english, chinese] of scopes) {
    const [, what] = english.exec(text) ?? [];
    if (what !== undefined) return chinese + (COMMANDS.test(what) ? anyInChinese(what) : translated(what, covered));
  }
  return translated(text, texts);
}

function anyInChinese(commands: string): string {
  return commands.replace(/any (?=`)/g, "任何 ");
}

/** Translates the last line of a command's output into Chinese, if it tells the state of the command. Returns other lines unchanged. */
export function stateInChinese(line: string): string {
  return translated(line, states);
}

/** Translates reasons joined by `; `. If a part is unknown, the text may be one reason that contains `; `, and is translated as a whole. */
function reasonInChinese(why: string): string {
  const parts = why.split("; ");
  const translations = parts.map(oneReason);
  return translations.every((each, at) => each !== parts[at]) ? translations.join("；") : oneReason(why);
}

function oneReason(why: string): string {
  const [, part, then] = CONTAINS.exec(why) ?? [];
  if (part === undefined || then === undefined) return translated(why, reasons);
  return `它包含 ${translated(part, findings)}${translated(then, unchecked)}`;
}

function translated(text: string, table: readonly (readonly [RegExp, string])[]): string {
  const [english, chinese] = table.find(([each]) => each.test(text)) ?? [];
  return english && chinese !== undefined ? text.replace(english, chinese) : text;
}
