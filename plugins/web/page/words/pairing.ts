/** Texts of pairing. They are loaded together with the pairing form. */
const en = {
  pairHelp:
    "On the computer of the host, `scorel pair` shows a code, and the relay that both computers reach. That host needs no address of its own.",
  pairCode: "Code, or the whole link",
  pairRelay: "Relay",
  pairBrowser: "Name of this browser, for the other computer",
  pairFromLink: (relay: string, host: string) =>
    `The link belongs to the host ${host} behind the relay ${relay}. Pair only if you asked for it just now.`,
  pairFromLinkAlone: (relay: string) => `The link names the relay ${relay}. Pair only if you asked for it just now.`,
  pairSubmit: "Pair",
  pairConnecting: "Connecting…",
  pairUnstored:
    "This browser stores nothing for this page, and pairing needs that. Allow it to store data, as with cookies, open the page again, and pair then.",
  pairConfirmed: (fingerprint: string) =>
    `The code is right. Say yes on the other computer: it shows this browser as ${fingerprint}.`,
};

const zh: typeof en = {
  pairHelp: "在主机所在的电脑上运行 `scorel pair`，会显示配对码和两台电脑都能连接的中继。那台主机不需要自己的地址。",
  pairCode: "配对码，或完整链接",
  pairRelay: "中继",
  pairBrowser: "此浏览器的名称，供另一台电脑显示",
  pairFromLink: (relay, host) => `此链接属于主机 ${host}，经由中继 ${relay}。仅当这是你刚刚请求的链接时才配对。`,
  pairFromLinkAlone: (relay) => `此链接使用中继 ${relay}。仅当这是你刚刚请求的链接时才配对。`,
  pairSubmit: "配对",
  pairConnecting: "正在连接…",
  pairUnstored:
    "此浏览器不为本页面保存任何数据，而配对需要保存数据。请允许它保存数据（例如允许 Cookie），重新打开页面后再配对。",
  pairConfirmed: (fingerprint) => `配对码正确。请在另一台电脑上同意：它把此浏览器显示为 ${fingerprint}。`,
};

export const pairingWords = { en, zh };
