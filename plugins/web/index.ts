import { definePlugin } from "@scorel/kernel";
import type { WebRoute } from "@scorel/web-server/contract";

/** Plugin `web`: the page in the browser, which is a client of the host like any other. */
export default definePlugin({
  id: "web",
  name: "Web page",
  version: "0.1.0",
  scope: "host",

  webRoutes: (): WebRoute[] => {
    const open: NonNullable<WebRoute["open"]> = async (request, response) =>
      (await import("./answer.ts")).answer(request, response);
    return [
      { path: "/", open },
      { path: "/page/", open },
    ];
  },
});
