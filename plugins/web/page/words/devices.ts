/** Words of the other hosts of the page. */
const en = {
  devices: "Devices",
  thisHost: "This host",
  deviceStates: {
    idle: "token needed",
    connecting: "connecting",
    live: "connected",
    unproven: "not proved",
    refused: "token refused",
    version: "other version",
    ended: "ended",
  },
  deviceAwaits: (seconds: number) => (seconds > 0 ? `away, again in ${seconds} s` : "connecting"),
  deviceAdd: "Add a device",
  deviceRename: "Rename device",
  deviceRemove: "Remove from this page",
  deviceHurry: "Connect now",
  deviceRemoved: (name: string) => `“${name}” was removed, with its token and what this browser kept of it.`,
  deviceName: "Name",
  deviceAddress: "Address",
  deviceToken: "Token",
  deviceHelp: (origin: string) =>
    `On that computer, \`scorel host token rotate phone\` makes a token and says in which file it is, and \`scorel host status\` shows the address. Its config.toml must let this page in: pages = ["${origin}"] in the table [web-server].`,
  deviceFlaws: {
    form: "This is not an address. It looks like wss://build.example.org:7777.",
    scheme: "The address of a host begins with wss://, ws://, https:// or http://.",
    secret: "Leave the token, user and password out of the address. The token has a field of its own.",
    plain:
      "This page is encrypted, so browsers let it connect only to encrypted hosts: use wss://, and start that host with --tls-cert.",
    host: "Name the host or its IPv4 address: browsers cannot allow other addresses for a page.",
  },
  deviceUnreachable: (address: string, origin: string) =>
    `${address} does not answer, or does not let this page in. Check that the host runs and listens there, and that its config.toml has pages = ["${origin}"] in the table [web-server].`,
  deviceEnter: (name: string) => `A token for ${name}`,
  deviceEnterHelp: "This tab has no token for this device. `scorel host token rotate phone` on its computer makes one.",
  backToOwn: "Back to this host",
  deviceUnknown: "This device is not among those of this host.",
  goToDevice: (name: string) => `Go to ${name}`,
};

const zh: typeof en = {
  devices: "设备",
  thisHost: "本主机",
  deviceStates: {
    idle: "需要令牌",
    connecting: "正在连接",
    live: "已连接",
    unproven: "身份未证实",
    refused: "令牌被拒绝",
    version: "版本不同",
    ended: "已断开",
  },
  deviceAwaits: (seconds) => (seconds > 0 ? `离线，${seconds} 秒后重试` : "正在连接"),
  deviceAdd: "添加设备",
  deviceRename: "重命名设备",
  deviceRemove: "从此页面移除",
  deviceHurry: "立即连接",
  deviceRemoved: (name) => `已移除“${name}”，连同它的令牌和此浏览器保存的内容。`,
  deviceName: "名称",
  deviceAddress: "地址",
  deviceToken: "令牌",
  deviceHelp: (origin) =>
    `在那台电脑上，\`scorel host token rotate phone\` 会生成令牌并说明它所在的文件，\`scorel host status\` 会显示地址。它的 config.toml 必须允许此页面：在 [web-server] 表中写 pages = ["${origin}"]。`,
  deviceFlaws: {
    form: "这不是地址。地址形如 wss://build.example.org:7777。",
    scheme: "主机地址以 wss://、ws://、https:// 或 http:// 开头。",
    secret: "地址中不要写令牌、用户名或密码。令牌有单独的输入框。",
    plain: "此页面是加密的，浏览器只允许它连接加密的主机：请使用 wss://，并用 --tls-cert 启动那台主机。",
    host: "请写主机名或 IPv4 地址：浏览器不能为页面允许其他形式的地址。",
  },
  deviceUnreachable: (address, origin) =>
    `${address} 没有应答，或不允许此页面连接。请检查主机是否在该地址运行，并检查其 config.toml 的 [web-server] 表中是否有 pages = ["${origin}"]。`,
  deviceEnter: (name) => `${name} 的令牌`,
  deviceEnterHelp: "此标签页没有该设备的令牌。在那台电脑上运行 `scorel host token rotate phone` 可以生成一个。",
  backToOwn: "返回本主机",
  deviceUnknown: "此设备不在本主机的设备列表中。",
  goToDevice: (name) => `前往 ${name}`,
};

export const deviceWords = { en, zh };
