import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createGunzip } from "node:zlib";

/** A server on 127.0.0.1 that offers the repositories of a folder by git's own protocol. Records the requested paths. */
export interface GitServer extends AsyncDisposable {
  /** `git+http://127.0.0.1:port` */
  url: string;
  requests: string[];
}

export async function startGitServer(folder: string): Promise<GitServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://127.0.0.1");
    requests.push(request.url ?? "");
    const [, name = "", what = ""] = /^\/([\w.-]+)\/(info\/refs|git-upload-pack)$/.exec(pathname) ?? [];
    if (what === "" || !existsSync(join(folder, name))) return void response.writeHead(404).end();
    const isList = what === "info/refs";
    const args = ["upload-pack", "--stateless-rpc", ...(isList ? ["--advertise-refs"] : []), join(folder, name)];
    const git = spawn("git", args, { stdio: ["pipe", "pipe", "ignore"] });
    response.writeHead(200, { "content-type": `application/x-git-upload-pack-${isList ? "advertisement" : "result"}` });
    if (isList) response.write("001e# service=git-upload-pack\n0000");
    const isPacked = request.headers["content-encoding"] === "gzip";
    (isPacked ? request.pipe(createGunzip()) : request).pipe(git.stdin);
    git.stdin.on("error", () => {});
    git.stdout.pipe(response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `git+http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
