import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  WEB_PAGE_UNBUILT: (a: { folder: string }) =>
    `The page is not in ${a.folder}. It comes with the installed command; in the sources, \`npm run build\` builds it.`,
  WEB_PAGE_FOLDER: {
    exit: 2,
    text: (a: { folder: string }) =>
      `The page was not written into ${a.folder}: its index.html is not a page of Scorel, or cannot be read. Name another folder.`,
  },
  WEB_DEVICES: (a: { path: string; problem: string }) =>
    `The list of devices of the page, ${a.path}, cannot be used: ${a.problem}. Correct it, or move it away: the devices can be added again.`,
  WEB_DEVICE_ADDRESS: () =>
    "This is not the address of a host: it begins with wss:// or ws://, names its host or its IPv4 address with the port, such as wss://build.example.org:7777, and contains no user, password, token, query or fragment.",
  WEB_DEVICE_MANY: (a: { max: number }) =>
    `There are ${a.max} devices already, which is the maximum. Remove one first.`,
  WEB_DEVICE_UNKNOWN: (a: { id: string }) =>
    `The device ${JSON.stringify(a.id)} was removed. Reload the page to see the others.`,
  WEB_PUSH: (a: { path: string; problem: string }) =>
    `The list of browsers that receive pushes, ${a.path}, cannot be used: ${a.problem}. Correct it, or move it away: their pages can subscribe again.`,
  WEB_PUSH_SERVICE: (a: { origin: string }) =>
    `Pushes are not sent to ${a.origin}, since it is not a known push service of a browser. If your browser uses it, name its origin in \`pushServices\` of the table [web].`,
});
