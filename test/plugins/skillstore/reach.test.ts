import { describe, expect, it } from "vitest";
import { isPublic } from "../../../plugins/kit/net/public-address.ts";
import { addressOf } from "../../../plugins/skillstore/address.ts";
import { isAllowed, type Lookup, pinnedTo } from "../../../plugins/skillstore/reach.ts";

const answers = (...addresses: string[]): Lookup => {
  return async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
};
const reasonOf = async (work: Promise<unknown>) => {
  const thrown = await work.then(
    () => undefined,
    (error: { code: string; data: { reason: string } }) => error,
  );
  return thrown && [thrown.code, thrown.data.reason];
};

describe("an address", () => {
  it.each([
    ["this machine", ["127.0.0.1", "127.255.255.254", "0.0.0.0", "::1", "::"]],
    ["a private net", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1"]],
    ["the link", ["169.254.0.1", "fe80::1", "fe80::1%eth0", "febf::1"]],
    ["a cloud's own answers", ["169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"]],
    ["a carrier's shared net", ["100.64.0.1", "100.127.255.255"]],
    ["a group", ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"]],
    [
      "an address of version 4 in another dress",
      ["::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::1"],
    ],
    ["a tunnel", ["2002:7f00:1::1", "2001:0:4136:e378::1", "192.88.99.1"]],
    [
      "what is for examples and tests",
      ["192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "2001:db8::1", "3fff::1"],
    ],
    ["what is kept for later", ["240.0.0.1", "4000::1", "100::1"]],
    ["no address at all", ["", "example.com", "127.1", "0x7f.1"]],
  ])("of %s may not be contacted", (_, addresses) => {
    expect(addresses.filter(isPublic)).toEqual([]);
  });

  it("of a public machine may be contacted", () => {
    const addresses = [
      "1.1.1.1",
      "8.8.8.8",
      "172.15.0.1",
      "172.32.0.1",
      "100.63.0.1",
      "2606:4700::1111",
      "2a00:1450::1",
    ];
    expect(addresses.filter(isPublic)).toEqual(addresses);
  });
});

describe("a host", () => {
  it("is pinned to the addresses of its name", async () => {
    const url = new URL("https://example.com/x.zip");
    expect(await pinnedTo(url, [], answers("1.1.1.1", "2606:4700::1111"))).toEqual([
      { address: "1.1.1.1", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
  });

  it("is refused if any of its addresses is not public", async () => {
    const url = new URL("https://example.com/x.zip");
    const refused = (address: string) => [
      "SKILLSTORE_HOST",
      `${address} is an address of this machine or of a private network`,
    ];
    expect(await reasonOf(pinnedTo(url, [], answers("10.0.0.1")))).toEqual(refused("10.0.0.1"));
    expect(await reasonOf(pinnedTo(url, [], answers("1.1.1.1", "::1")))).toEqual(refused("::1"));
    expect(await reasonOf(pinnedTo(url, [], answers()))).toEqual(["SKILLSTORE_HOST", "it has no address"]);
  });

  it.each([
    ["https://127.0.0.1/", "127.0.0.1"],
    ["https://2130706433/", "127.0.0.1"],
    ["https://0x7f.1/", "127.0.0.1"],
    ["https://127.1/", "127.0.0.1"],
    ["https://017700000001/", "127.0.0.1"],
    ["https://[::1]/", "::1"],
    ["https://[::ffff:127.0.0.1]/", "::ffff:7f00:1"],
    ["https://169.254.169.254/latest/meta-data", "169.254.169.254"],
  ])("is checked as an address if it is one: %s", async (address, shown) => {
    const refused = ["SKILLSTORE_HOST", `${shown} is an address of this machine or of a private network`];
    expect(await reasonOf(pinnedTo(new URL(address), [], answers("1.1.1.1")))).toEqual(refused);
  });

  it("may have any address if the user allowed it", async () => {
    const url = new URL("http://Git.Intranet:8080/x.zip");
    const hosts = ["git.intranet", "GIT.intranet.", "git.intranet:8080"];
    expect(hosts.map((host) => isAllowed(url, [host]))).toEqual([true, true, true]);
    const others = ["intranet", "a.git.intranet", "git.intranet:80", "git.intranet.evil", "*", ""];
    expect(others.map((host) => isAllowed(url, [host]))).toEqual(others.map(() => false));
    expect(await pinnedTo(url, ["git.intranet"], answers("10.0.0.1"))).toEqual([{ address: "10.0.0.1", family: 4 }]);
    expect(["::1", "[::1]", "[::1]:443"].map((host) => isAllowed(new URL("https://[::1]/"), [host]))).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe("an address for display", () => {
  it("is shown without its query, and never with a password", async () => {
    const { shown, isWhole, label } = addressOf("https://example.com/a/skills.tar.gz?token=geheim#x", "/");
    expect({ shown, isWhole, label }).toEqual({
      shown: "https://example.com/a/skills.tar.gz?…",
      isWhole: false,
      label: "skills",
    });
    for (const given of [
      "https://ann:geheim@example.com/x.zip",
      "https://geheim@example.com/x.zip",
      "ftp://ann:geheim@h/x",
      "https://geheim:x:y/",
      "file://geheim/x.zip",
    ]) {
      const thrown = await reasonOf((async () => addressOf(given, "/"))());
      expect(thrown?.[0]).toBe("SKILLSTORE_ADDRESS");
      expect(
        JSON.stringify(await (async () => addressOf(given, "/"))().catch((error: Error) => [error.message, error])),
      ).not.toContain("geheim");
    }
  });

  it.each([
    ["https://example.com/pdf.zip", "pdf"],
    ["https://example.com/skills/pdf/SKILL.md", "pdf"],
    ["https://github.com/acme/skills/archive/refs/heads/main.zip", "skills"],
    ["https://codeload.github.com/acme/tools/zip/refs/heads/main", "tools"],
    ["https://example.com/", "example.com"],
    ["https://example.com/%2e%2e%2fx%20y.tgz", "x-y"],
    ["file:///srv/my%20skills.tar", "my-skills"],
    ["/srv/pdf", "pdf"],
    ["./team.tar.gz", "team"],
  ])("gets a label that is a valid folder name: %s", (given, label) => {
    expect(addressOf(given, "/work").label).toBe(label);
  });

  it("is a path if it is not an address", () => {
    expect(addressOf("./a.zip", "/work").url.href).toBe("file:///work/a.zip");
    expect(addressOf("file://localhost/a.zip", "/").url.href).toBe("file:///a.zip");
  });
});
