/** Texts of the list of projects and sessions. */
const en = {
  projects: "Projects",
  sessions: "Sessions",
  search: "Search sessions",
  noSessions: "No sessions yet.",
  nothingFound: "Nothing found.",
  newSession: "New session",
  recent: "Recent sessions",
  newSessionIn: (project: string) => `New session in ${project}`,
  untitled: "New session",
  ago: {
    now: "now",
    minutes: (n: number) => `${n} min`,
    hours: (n: number) => `${n} h`,
    days: (n: number) => `${n} d`,
    date: (at: number) => new Date(at).toLocaleDateString("en", { dateStyle: "medium" }),
  },
  working: "working",
  waitingForYou: "waiting for you",
};

const zh: typeof en = {
  projects: "项目",
  sessions: "会话",
  search: "搜索会话",
  noSessions: "还没有会话。",
  nothingFound: "没有找到。",
  newSession: "新会话",
  recent: "最近的会话",
  newSessionIn: (project) => `在 ${project} 中新建会话`,
  untitled: "新会话",
  ago: {
    now: "刚刚",
    minutes: (n) => `${n} 分钟`,
    hours: (n) => `${n} 小时`,
    days: (n) => `${n} 天`,
    date: (at) => new Date(at).toLocaleDateString("zh", { dateStyle: "medium" }),
  },
  working: "工作中",
  waitingForYou: "等待你的回答",
};

export const sidebarWords = { en, zh };
