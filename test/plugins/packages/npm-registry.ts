import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { npmTarball } from "../../tarball.ts";

/** A version of a package: its package.json and its other files. */
export interface Published {
  name: string;
  version: string;
  manifest?: Record<string, unknown>;
  files?: Record<string, string>;
  /** A tarball to serve instead of the one that the integrity is for. */
  served?: Buffer;
}

/** A registry on 127.0.0.1 with the part of npm's protocol that installing needs. Records its requests. */
export interface Registry extends AsyncDisposable {
  url: string;
  requests: { path: string; authorization: string | undefined }[];
  publish(published: Published): void;
}

interface Version {
  manifest: Record<string, unknown>;
  bytes: Buffer;
  served: Buffer;
}

export async function startRegistry(...packages: Published[]): Promise<Registry> {
  const versions = new Map<string, Map<string, Version>>();
  const requests: Registry["requests"] = [];
  const publish = ({ name, version, manifest = {}, files = {}, served }: Published) => {
    const own = { name, version, ...manifest };
    const bytes = npmTarball({ "package.json": JSON.stringify(own), ...files });
    const known = versions.get(name) ?? new Map<string, Version>();
    versions.set(name, known.set(version, { manifest: own, bytes, served: served ?? bytes }));
  };
  for (const each of packages) publish(each);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    requests.push({ path, authorization: request.headers.authorization });
    const [, name = "", version] = /^\/(.+?)(?:\/-\/(.+)\.tgz)?$/.exec(path) ?? [];
    const known = versions.get(name);
    const tarball = version === undefined ? undefined : known?.get(version)?.served;
    if (tarball) response.end(tarball);
    else if (known && version === undefined) response.end(JSON.stringify(packument(name, known, url())));
    else response.writeHead(404, { "content-type": "application/json" }).end('{ "error": "not found" }');
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: url(),
    requests,
    publish,
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function packument(name: string, versions: ReadonlyMap<string, Version>, url: string) {
  const described = [...versions].map(([version, { manifest, bytes }]) => {
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    const shasum = createHash("sha1").update(bytes).digest("hex");
    return [version, { ...manifest, dist: { tarball: `${url}${name}/-/${version}.tgz`, integrity, shasum } }];
  });
  return { name, "dist-tags": { latest: [...versions.keys()].at(-1) }, versions: Object.fromEntries(described) };
}
