/** Texts about sessions that wait for the person, and about what is new. */
const en = {
  unread: "new",
  waitsNow: (title: string) => `${title} waits for your answer.`,
  endedNow: (title: string) => `${title} has something new.`,
  allWaiting: "Waiting for you",
  waitingCount: (count: number) =>
    count === 0 ? "Nothing waits for you" : count === 1 ? "1 session waits for you" : `${count} sessions wait for you`,
  waitingShort: (count: number) => (count === 0 ? "Waiting" : `${count} waiting`),
  inProject: (project: string) => `in ${project}`,
  openToAnswer: "Open the session to answer",
  wasAnswered: "Answered.",
  notifications: "Notifications",
  notificationsAbout: "Get a browser notification when a session needs you, while this page is not in sight.",
  notificationsOn: "Notify me…",
  notificationsOff: "Do not notify me any more",
  notificationsDetailed: "Name the session, also where others may see it",
  notificationsDenied: "This browser does not let the page notify you. Its settings for this address can change that.",
  notificationsUnsupported: "This browser cannot show notifications of this page.",
  pushOn: "Also while no page is open",
  pushAbout:
    "Then the host tells the browser through the push service of its maker, who learns when, but nothing of the session. Its questions wait for you meanwhile.",
  pushFailed: (problem: string) => `The browser is not told: ${problem}`,
  notificationText: "A session waits for your answer.",
};

const zh: typeof en = {
  unread: "有新内容",
  waitsNow: (title) => `${title} 等待你的回答。`,
  endedNow: (title) => `${title} 有新内容。`,
  allWaiting: "等待你的问题",
  waitingCount: (count) => (count === 0 ? "没有会话在等待你" : `${count} 个会话在等待你`),
  waitingShort: (count) => (count === 0 ? "等待" : `${count} 个等待`),
  inProject: (project) => `项目 ${project}`,
  openToAnswer: "打开会话以回答",
  wasAnswered: "已回答。",
  notifications: "通知",
  notificationsAbout: "此页面不在前台时，浏览器会通知你有会话在等待。",
  notificationsOn: "开启通知…",
  notificationsOff: "关闭通知",
  notificationsDetailed: "显示会话名称（他人可能看到）",
  notificationsDenied: "浏览器不允许此页面发送通知，可在浏览器的网站设置中更改。",
  notificationsUnsupported: "此浏览器无法显示此页面的通知。",
  pushOn: "没有打开页面时也通知",
  pushAbout:
    "主机会通过浏览器厂商的推送服务通知浏览器。厂商只知道通知的时间，不知道会话内容。其间的问题会一直等待你的回答。",
  pushFailed: (problem) => `无法通知浏览器：${problem}`,
  notificationText: "有一个会话在等待你的回答。",
};

export const waitingWords = { en, zh };
