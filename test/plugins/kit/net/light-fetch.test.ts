import { describe, expect, it } from "vitest";
import * as light from "../../../../plugins/kit/net/light-fetch.ts";

/** Tests that the bundle's classes behave like the built-in ones. */
describe.each([
  ["built-in", { Headers, Response, Request, FormData }],
  [
    "light",
    light as unknown as {
      Headers: typeof Headers;
      Response: typeof Response;
      Request: typeof Request;
      FormData: typeof FormData;
    },
  ],
])("the %s classes of fetch", (_name, kind) => {
  it("ignore the case of header names, and join added values", () => {
    const headers = new kind.Headers({ "X-One": " 1 ", two: "2" });
    headers.append("x-one", "more");
    headers.set("Three", "3");
    headers.delete("TWO");
    const visited: string[] = [];
    headers.forEach((value, name) => void visited.push(`${name}: ${value}`));
    expect({
      all: Object.fromEntries(headers),
      names: [...headers.keys()].sort(),
      values: [...headers.values()].sort(),
      got: [headers.get("X-ONE"), headers.get("none"), headers.has("Two")],
      visited: visited.sort(),
      copy: Object.fromEntries(new kind.Headers(headers).entries()),
      pairs: Object.fromEntries(new kind.Headers([["A", "b"]])),
    }).toEqual({
      all: { "x-one": "1, more", three: "3" },
      names: ["three", "x-one"],
      values: ["1, more", "3"],
      got: ["1, more", null, false],
      visited: ["three: 3", "x-one: 1, more"],
      copy: { "x-one": "1, more", three: "3" },
      pairs: { a: "b" },
    });
  });
  it.each([
    ["key", "with\nline"],
    ["key", "\u{1f511}"],
    ["no name", "value"],
    ["", "value"],
  ])("refuse the header %j with the value %j", (name, value) => {
    expect(() => new kind.Headers({ [name]: value })).toThrow(TypeError);
    expect(() => new kind.Headers().append(name, value)).toThrow(TypeError);
  });
  it("return a text once", async () => {
    const response = new kind.Response("gr\u00fc\u00dfe", { status: 418, statusText: "teapot", headers: { a: "b" } });
    const { ok, status, statusText, headers, url } = response;
    expect({ ok, status, statusText, headers: headers.get("a"), url, before: response.bodyUsed }).toEqual({
      ok: false,
      status: 418,
      statusText: "teapot",
      headers: "b",
      url: "",
      before: false,
    });
    expect([await response.text(), response.bodyUsed]).toEqual(["gr\u00fc\u00dfe", true]);
    await expect(response.text()).rejects.toThrow(TypeError);
  });
  it("return JSON, bytes, and a stream", async () => {
    expect(await new kind.Response('{"a":1}').json()).toEqual({ a: 1 });
    const json = kind.Response.json({ a: 1 }, { status: 400 });
    expect([json.status, json.headers.get("content-type"), await json.text()]).toEqual([
      400,
      "application/json",
      '{"a":1}',
    ]);
    expect(new Uint8Array(await new kind.Response("ab").arrayBuffer())).toEqual(new Uint8Array([97, 98]));
    const pieces: string[] = [];
    for await (const piece of new kind.Response("abc").body as unknown as AsyncIterable<Uint8Array>)
      pieces.push(Buffer.from(piece).toString());
    expect(pieces).toEqual(["abc"]);
    expect([new kind.Response(null).body, await new kind.Response(null, { status: 204 }).text()]).toEqual([null, ""]);
  });
  it("read streams, with characters split anywhere", async () => {
    const bytes = Buffer.from('{"a":"\u00fc"}');
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(await new kind.Response(stream).json()).toEqual({ a: "\u00fc" });
  });
  it("recognize their own objects and built-in ones", () => {
    const known = [new Headers() instanceof kind.Headers, new Response() instanceof kind.Response];
    const requests = [new Request("http://a") instanceof kind.Request, new FormData() instanceof kind.FormData];
    const others = [
      {} instanceof kind.Headers,
      Object("text") instanceof kind.FormData,
      new URL("http://a") instanceof kind.Request,
    ];
    expect([...known, ...requests, ...others, new kind.Headers() instanceof kind.Headers]).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      true,
    ]);
  });
});
