/** A hint that is shown only if the page was loaded over https, as through a proxy. */
const behindProxy = (origin: string, hint: string) => (origin.startsWith("https:") ? hint : "");

/** Texts for when the host cannot be reached, and about data that this browser stores. */
const en = {
  lost: "The connection was lost.",
  shownAsOf: (time: string) => `You see what was there at ${time}.`,
  keptAsOf: (time: string) => `From this browser, as of ${time}.`,
  notKept: "This browser has kept nothing of this session. It opens when the host is back.",
  untaken: "On its way; the host has not taken it yet:",
  sentWhenBack: "The host cannot be reached. This is sent as soon as it is back, unless you change it before.",
  startHost: "If the host does not run, start it on its computer:",
  notSentAway: "The host cannot be reached. What you have written stays here until it is back.",
  signOut: "Sign out",
  unproven: (origin: string) =>
    `What answers at this address has not proved that it is your host. Nothing was sent to it: either the host does not know this page's token any more, or another program has taken its port. Do not reload this page here; \`scorel up\` makes a new link.${behindProxy(origin, ` If ${origin} is a proxy of your host, name it in \`origins\` in the table [web-server] of the host's config.toml.`)}`,
  enterAnother: "Enter another token",
};

const zh: typeof en = {
  lost: "连接已断开。",
  shownAsOf: (time) => `你看到的是 ${time} 的内容。`,
  keptAsOf: (time) => `来自此浏览器，截至 ${time}。`,
  notKept: "此浏览器没有保存该会话。主机恢复后会打开它。",
  untaken: "正在发送，主机尚未接收：",
  sentWhenBack: "无法连接到主机。除非你在此之前修改，主机恢复后会立即发送。",
  startHost: "如果主机没有运行，请在其电脑上启动：",
  notSentAway: "无法连接到主机。你写的内容会留在这里，直到主机恢复。",
  signOut: "退出",
  unproven: (origin) =>
    `在此地址应答的程序没有证明它是你的主机，因此没有向它发送任何内容：要么主机不再认识此页面的令牌，要么另一个程序占用了它的端口。请不要在这里重新加载页面；\`scorel up\` 会生成新链接。${behindProxy(origin, `如果 ${origin} 是你主机的代理，请在主机 config.toml 的 [web-server] 表的 \`origins\` 中写上它。`)}`,
  enterAnother: "输入其他令牌",
};

export const awayWords = { en, zh };
