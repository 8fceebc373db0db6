import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type DownloadOptions, download } from "../../../plugins/skillstore/download.ts";
import { type Answer, type ArchiveServer, serveArchives } from "../../archive-server.ts";
import { fixture, startProxy } from "../../proxy.ts";

const root = mkdtempSync(join(tmpdir(), "scorel-download-"));
afterAll(() => rmSync(root, { recursive: true }));
let count = 0;

/** Downloads; returns what was received, or the error's code and message, and the stored part. */
async function fetched(
  url: string,
  settings: Partial<DownloadOptions> = {},
): Promise<string | [code: string, reason: string]> {
  const into = join(root, `${count++}`);
  try {
    const { bytes } = await download(new URL(url), into, { allowHosts: [], env: {}, ...settings });
    const text = readFileSync(into, "utf8");
    expect(bytes).toBe(Buffer.byteLength(text));
    return text;
  } catch (thrown) {
    const { code, data, message } = thrown as { code: string; data: { reason?: string }; message: string };
    expect(message).not.toContain("geheim");
    return [code, data.reason ?? ""];
  }
}

async function served(
  answers: Record<string, Answer>,
  work: (server: ArchiveServer, settings: Partial<DownloadOptions>) => Promise<void>,
) {
  await using server = await serveArchives(answers);
  await work(server, { allowHosts: ["127.0.0.1"] });
}

const words = Buffer.from("words");

describe("a download", () => {
  it("fetches from a host that the user allowed, without sending credentials", () =>
    served({ "/a.zip": words }, async ({ origin, host, heard }, settings) => {
      expect(await fetched(`${origin}/a.zip?key=geheim`, settings)).toBe("words");
      expect(heard).toEqual([
        {
          line: `${host} /a.zip?key=geheim`,
          headers: { "user-agent": "scorel", accept: "*/*", "accept-encoding": "identity", host, connection: "close" },
        },
      ]);
    }));

  it("contacts no other host over http, nor this machine", () =>
    served({ "/a.zip": words }, async ({ origin, host, heard }) => {
      expect(await fetched(`${origin}/a.zip`)).toEqual(["SKILLSTORE_HOST", "only https:// is used"]);
      expect(await fetched(`https://${host}/a.zip`)).toEqual([
        "SKILLSTORE_HOST",
        "127.0.0.1 is an address of this machine or of a private network",
      ]);
      expect(
        await fetched(`https://localhost/a.zip`, { lookup: async () => [{ address: "127.0.0.1", family: 4 }] }),
      ).toEqual(["SKILLSTORE_HOST", "127.0.0.1 is an address of this machine or of a private network"]);
      expect(heard).toEqual([]);
    }));

  it("connects to the address that was checked, even if the name resolves differently later", () =>
    served({ "/a.zip": words }, async ({ origin, host, heard }) => {
      const port = host.split(":")[1];
      let asked = 0;
      const lookup = async () => {
        asked++;
        return [{ address: asked === 1 ? "127.0.0.1" : "127.0.0.99", family: 4 }];
      };
      // This name is known only to the test's own resolver.
      expect(
        await fetched(`http://rebinding.invalid:${port}/a.zip`, { allowHosts: ["rebinding.invalid"], lookup }),
      ).toBe("words");
      expect({ asked, heard: heard.map(({ line }) => line), origin }).toEqual({
        asked: 1,
        heard: [`rebinding.invalid:${port} /a.zip`],
        origin,
      });
    }));

  it("follows five redirects, each checked again, but not a sixth", () =>
    served({ "/a.zip": words }, async (server, settings) => {
      for (let hop = 1; hop <= 6; hop++)
        server.answers[`/${hop}`] = {
          to: hop === 1 ? "/a.zip" : `/${hop - 1}`,
          status: [301, 302, 303, 307, 308][hop % 5] as number,
        };
      expect(await fetched(`${server.origin}/5`, settings)).toBe("words");
      expect(await fetched(`${server.origin}/6`, settings)).toEqual([
        "SKILLSTORE_FETCH",
        "it was redirected more than 5 times",
      ]);
    }));

  it.each([
    ["another host over http", "http://example.com/x.zip", "SKILLSTORE_HOST", "only https:// is used"],
    [
      "this machine",
      "https://127.0.0.2/x?geheim",
      "SKILLSTORE_HOST",
      "127.0.0.2 is an address of this machine or of a private network",
    ],
    [
      "this machine, in numbers",
      "https://2130706434/x",
      "SKILLSTORE_HOST",
      "127.0.0.2 is an address of this machine or of a private network",
    ],
    [
      "a cloud's own answers",
      "https://169.254.169.254/latest",
      "SKILLSTORE_HOST",
      "169.254.169.254 is an address of this machine or of a private network",
    ],
    [
      "a name for a private address",
      "https://inside.test/x",
      "SKILLSTORE_HOST",
      "10.1.2.3 is an address of this machine or of a private network",
    ],
    ["a file", "file:///etc/passwd", "SKILLSTORE_FETCH", "redirected to an invalid address"],
    ["a password", "https://ann:geheim@example.com/", "SKILLSTORE_FETCH", "redirected to an invalid address"],
    ["nowhere", "https://[", "SKILLSTORE_FETCH", "redirected to an invalid address"],
  ])("does not follow to %s", (_, to, code, reason) =>
    served({ "/a.zip": { to } }, async ({ origin }, settings) => {
      const lookup = async () => [{ address: "10.1.2.3", family: 4 }];
      expect(await fetched(`${origin}/a.zip`, { ...settings, lookup })).toEqual([
        code,
        expect.stringContaining(reason),
      ]);
    }),
  );

  it.each<[string, Answer, string]>([
    ["an error", 404, "answered 404"],
    ["a part", 206, "answered 206"],
    ["a redirect to no place", 302, "answered 302"],
    ["less than was announced", (r: ServerResponse) => cut(r, 100), "ECONNRESET"],
    [
      "nonsense",
      (r: ServerResponse) => void r.socket?.end("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nwords"),
      "HPE_",
    ],
    ["nothing at all", (r: ServerResponse) => void r.socket?.destroy(), "ECONNRESET"],
  ])("fails for %s", (_, answer, reason) =>
    served({ "/a.zip": answer }, async ({ origin }, settings) => {
      expect(await fetched(`${origin}/a.zip`, settings)).toEqual(["SKILLSTORE_FETCH", expect.stringContaining(reason)]);
    }),
  );

  it("reads no more than the limit, whatever length is announced", () =>
    served(
      {
        "/announced": (response) => void response.writeHead(200, { "content-length": 1001 }).write("x"),
        "/endless": (response) => endless(response),
        "/just": Buffer.alloc(1000, "x"),
      },
      async ({ origin }, settings) => {
        const limited = { ...settings, largest: 1000 };
        expect(await fetched(`${origin}/announced`, limited)).toEqual(["SKILLSTORE_LARGE", ""]);
        expect(await fetched(`${origin}/endless`, limited)).toEqual(["SKILLSTORE_LARGE", ""]);
        expect(await fetched(`${origin}/just`, limited)).toHaveLength(1000);
      },
    ));

  it("ends at its time limit in every phase, and when the caller cancels", () =>
    served(
      {
        "/silent": () => {},
        "/slow": (response) => void response.writeHead(200).write("x"),
        "/round": { to: "/silent" },
      },
      async ({ origin }, settings) => {
        const late = ["SKILLSTORE_FETCH", "it took longer than 0.1 seconds"];
        for (const path of ["/silent", "/slow", "/round"])
          expect(await fetched(origin + path, { ...settings, time: 100 })).toEqual(late);
        const lookup = () => new Promise<never>(() => {});
        expect(await fetched("https://never.test/", { lookup, time: 100 })).toEqual(late);
        const signal = AbortSignal.abort();
        expect(await fetched(`${origin}/slow`, { ...settings, signal })).toEqual([
          "SKILLSTORE_FETCH",
          "it was interrupted",
        ]);
      },
    ));

  it("refuses a self-signed certificate, even if the environment disables the check", async () => {
    const tls = {
      key: readFileSync(fixture("tls/models.test.key.pem")),
      cert: readFileSync(fixture("tls/models.test.cert.pem")),
    };
    await using server = await serveArchives({ "/a.zip": words }, tls);
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      expect(await fetched(`${server.origin}/a.zip`, { allowHosts: ["127.0.0.1"] })).toEqual([
        "SKILLSTORE_FETCH",
        expect.stringContaining("cannot be reached"),
      ]);
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  it("sends the checked address to a proxy, and the name only if the user allowed it", async () => {
    await using server = await serveArchives({});
    await using proxy = await startProxy(Number(server.host.split(":")[1]));
    const env = { https_proxy: `http://${proxy.address}` };
    const lookup = async (host: string) => [
      { address: host.startsWith("six") ? "2606:4700::1111" : "1.1.1.1", family: 4 },
    ];
    for (const host of ["example.com", "six.example.com:8443", "inside.test"])
      await fetched(`https://${host}/a.zip`, { env, lookup, allowHosts: ["inside.test"] });
    expect(proxy.heard).toEqual(
      ["CONNECT 1.1.1.1:443", "CONNECT [2606:4700::1111]:8443", "CONNECT inside.test:443"].map((line) =>
        expect.stringContaining(line),
      ),
    );
    const unknown = async () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    expect(await fetched("https://inside.test/a.zip", { env, lookup: unknown })).toEqual([
      "SKILLSTORE_HOST",
      "its address cannot be looked up here (ENOTFOUND), only by the proxy",
    ]);
  });

  it("does not overwrite an existing file", () =>
    served({ "/a.zip": words }, async ({ origin }, settings) => {
      const into = join(root, "there");
      await download(new URL(`${origin}/a.zip`), into, { allowHosts: [], env: {}, ...settings });
      await expect(
        download(new URL(`${origin}/a.zip`), into, { allowHosts: [], env: {}, ...settings }),
      ).rejects.toMatchObject({ code: "SKILLSTORE_FETCH" });
      expect(existsSync(into)).toBe(true);
    }));
});

function cut(response: ServerResponse, length: number): void {
  response.writeHead(200, { "content-length": length });
  response.write("words", () => response.socket?.destroy());
}

function endless(response: ServerResponse): void {
  response.writeHead(200);
  const more = () => {
    while (!response.destroyed && response.write("x".repeat(100)));
    response.once("drain", more);
  };
  more();
}
