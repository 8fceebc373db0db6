import { describe, expect, it } from "vitest";
import { STYLE } from "../../../plugins/transfer/export/style.ts";
import type { Desk } from "./desk.ts";
import { drawingDesk, drawn, filled } from "./page.ts";
import { payloads } from "./payloads.ts";
import { PNG } from "./peers.ts";
import { oddities } from "./strict-page.ts";

async function pageOf(t: Desk, sessionId: string): Promise<string> {
  return (await t.client.request("export_session", { sessionId, format: "html" })).content as string;
}

describe("an exported page", () => {
  it("shows an event of a plugin as the plugin draws it", async () => {
    await using t = await drawingDesk();
    const page = await pageOf(
      t,
      await drawn(t, [
        {
          display: "card",
          title: "Build\n  all",
          status: "done",
          text: "built",
          body: [{ display: "diff", path: "a.js", text: "-a\n+b" }],
        },
        { display: "list", title: "Todo", items: [{ text: "one", state: "done" }, { text: "two" }], text: "" },
      ]),
    );
    expect(page).toContain(
      '<details class="card done" open><summary><code>Build ⏎ all</code></summary><pre>built</pre>',
    );
    expect(page).toContain('<span class="removed">-a</span>\n<span class="added">+b</span>');
    expect(page).toContain('<ul><li class="done">one</li><li class="open">two</li></ul>');
    expect(oddities(page, STYLE)).toEqual([]);
  });

  it("renders Markdown, highlights code, and links only to safe addresses", async () => {
    await using t = await drawingDesk();
    const words =
      "# Hi\n\n**bold** [a](https://a.example/?x=1&y=2) [m](mailto:a@b.example) [f](file:///x) ![p](https://a.example/p.png)\n\n```js\nconst a = '<b>';\n```\n\n| a |\n|---|\n| b |\n";
    const page = await pageOf(t, await drawn(t, [], [{ content: [{ type: "text", text: words }] }]));
    expect(page).toContain("<h1>Hi</h1>\n<p><strong>bold</strong>");
    expect(page).toContain('<a href="https://a.example/?x=1&amp;y=2" rel="noreferrer noopener">a</a>');
    expect(page).toContain('<a href="mailto:a@b.example" rel="noreferrer noopener">m</a> [f](file:///x)');
    expect(page).toContain('<a href="https://a.example/p.png" rel="noreferrer noopener">[image: p]</a>');
    expect(page).toContain('<span class="hljs-keyword">const</span> a = <span class="hljs-string">');
    expect(page).toContain("&lt;b&gt;");
    expect(page).toContain("<td>b</td>");
    expect(oddities(page, STYLE)).toEqual([]);
  });

  it("spends little time on highlighting, and shows further code without colours", async () => {
    await using t = await drawingDesk();
    const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`;
    const slow = Array<string>(40).fill(block("csharp", "List<int> a\n".repeat(1_500)));
    const words = [block("js", "const a = 1;"), ...slow, block("js", "const z = 1;")].join("\n");
    const began = performance.now();
    const page = await pageOf(t, await drawn(t, [], [{ content: [{ type: "text", text: words }] }]));
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(page).toContain('<span class="hljs-keyword">const</span> a =');
    expect(page).toContain("<code>const z = 1;\n</code>");
  });

  it("shows the line breaks of Windows and of old terminals as line breaks", async () => {
    await using t = await drawingDesk();
    const words = "One\r\n\r\n```\r\nls\r\n```\r\n\r\nTwo\r\n";
    const card = { display: "card", title: "Build", status: "done", text: "10 %\r20 %\r\ndone" } as const;
    const page = await pageOf(t, await drawn(t, [card], [{ content: [{ type: "text", text: words }] }]));
    expect(page).toContain("<p>One</p>\n<pre><code>ls\n</code></pre>\n<p>Two</p>");
    expect(page).toContain("<pre>10 %\n20 %\ndone</pre>");
    expect(page).not.toContain("\ufffd");
  });

  it("embeds raster images, and folds thinking and long outputs", async () => {
    await using t = await drawingDesk();
    const long = Array.from({ length: 100 }, (_, line) => `line ${line}`).join("\n");
    const thought = {
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Yes." },
      ],
    };
    const image = { role: "user", content: [{ type: "image", data: PNG, mimeType: "image/png" }], timestamp: 1 };
    const vector = { role: "user", content: [{ type: "image", data: PNG, mimeType: "image/svg+xml" }], timestamp: 1 };
    const page = await pageOf(
      t,
      await drawn(t, [{ display: "card", title: "Run", status: "error", text: long }], [thought, image, vector]),
    );
    expect(page).toContain(`<img alt="" src="data:image/png;base64,${PNG}">`);
    expect(page.match(/<img/g)).toHaveLength(1);
    expect(page).toContain('<details class="thinking"><summary>Thinking</summary>');
    expect(page).toContain("<summary>60 more lines</summary>");
    expect(oddities(page, STYLE)).toEqual([]);
  });

  it("escapes all text: a strict parser finds only what the export writes", async () => {
    await using t = await drawingDesk();
    for (const words of payloads("http://127.0.0.1:9")) {
      const page = await pageOf(t, await filled(t, words));
      expect({ words, odd: oddities(page, STYLE) }).toEqual({ words, odd: [] });
    }
  }, 60_000);
});
