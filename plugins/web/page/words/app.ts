/** Words of the page as a whole: getting in, the connection, places. */
const en = {
  connecting: "Connecting…",
  enterTitle: "Open this page with a link",
  enterHelp: "Run this on the computer where Scorel runs. It opens the page, or prints a link to open here:",
  enterRefused: "This link was used already, or is older than a minute. Run the command again for a new one.",
  enterEnded: "The host does not accept this page's token any more. Open a new link.",
  enterToken: "Or enter a token of this host:",
  enterSubmit: "Connect",
  unreachable: "The host cannot be reached.",
  tryAgain: "Try again",
  hostStopped: "The host has stopped. The page goes on when it is started again.",
  reconnecting: (seconds: number) => `Trying again in ${seconds} s.`,
  reconnectNow: "Connect now",
  mayOnlyRead: "You may only read this session: others send messages and answer questions.",
  mayNotWrite: "You may read this session and answer its questions, and not write in it.",
  mayNotAnswer: "You may write in this session. Its questions wait for somebody who may answer.",
  menu: "Menu",
  close: "Close",
  choose: "Choose a session at the left, or begin a new one.",
};

const zh: typeof en = {
  connecting: "正在连接…",
  enterTitle: "请用链接打开此页面",
  enterHelp: "在运行 Scorel 的电脑上执行下面的命令。它会打开此页面，或显示一个可在这里打开的链接：",
  enterRefused: "这个链接已经用过，或已超过一分钟。请重新执行命令获取新链接。",
  enterEnded: "主机不再接受此页面的令牌。请打开新的链接。",
  enterToken: "或者输入此主机的令牌：",
  enterSubmit: "连接",
  unreachable: "无法连接到主机。",
  tryAgain: "重试",
  hostStopped: "主机已停止，重新启动后此页面会继续。",
  reconnecting: (seconds) => `${seconds} 秒后重试。`,
  reconnectNow: "立即连接",
  mayOnlyRead: "你只能阅读此会话：由其他人发送消息和回答问题。",
  mayNotWrite: "你可以阅读此会话并回答问题，但不能在其中写消息。",
  mayNotAnswer: "你可以在此会话中写消息；其中的问题由有权限的人回答。",
  menu: "菜单",
  close: "关闭",
  choose: "请在左侧选择一个会话，或新建一个。",
};

export const appWords = { en, zh };
