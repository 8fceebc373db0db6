import { findEnvKeys, getProviders } from "@mariozechner/pi-ai";
import type { Services } from "@scorel/kernel";
import model from "@scorel/model";
import type {} from "@scorel/model/contract";
import { afterEach, describe, expect, it } from "vitest";
import { testKernel } from "../harness.ts";
import { fc } from "../property.ts";

const custom = {
  type: "custom",
  api: "openai-completions",
  provider: "test",
  id: "m1",
  baseUrl: "https://models.example/v1",
  contextWindow: 8000,
  maxTokens: 1000,
};

/** The plugin's secrets in this environment, with this table `[model]`. */
async function secretsIn(env: Record<string, string>, config?: object): Promise<Services["secrets"]> {
  process.env = env;
  await using opened = await testKernel([{ plugin: model, config }]);
  return opened.kernel.find("secrets") as Services["secrets"];
}
const realEnv = process.env;
afterEach(() => {
  process.env = realEnv;
});

describe("the environment of child processes", () => {
  it("keeps what is ordinary", async () => {
    const ordinary = {
      PATH: "/bin",
      HOME: "/home/me",
      MY_TOKEN: "t0ken-of-mine",
      MONKEY: "see",
      TOKENIZERS_PARALLELISM: "1",
      OPENAI_MODEL: "gpt",
      OPENAI_MAX_TOKENS: "100",
      AWS_PROFILE: "work",
    };
    expect((await secretsIn(ordinary)).childEnv()).toEqual(ordinary);
  });

  it("is without the variable that apiKeyEnv names", async () => {
    const secrets = await secretsIn({ PATH: "/bin", MINE: "sk-0123456789" }, { ...custom, apiKeyEnv: "MINE" });
    expect(secrets.childEnv()).toEqual({ PATH: "/bin" });
  });

  it("is without any provider's key, by whatever name", async () => {
    const names = [
      "OPENAI_API_KEY",
      "OPENAI_API_KEY_2",
      "OPENAI_ADMIN_KEY",
      "openai_api_key",
      "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "GEMINI_API_KEY",
      "GOOGLE_API_KEY",
      "HUGGING_FACE_HUB_TOKEN",
      "AWS_SECRET_ACCESS_KEY",
      "AWS_BEARER_TOKEN_BEDROCK",
      "TOGETHER_API_KEY",
      "SCOREL_API_KEY",
    ];
    const secrets = await secretsIn({
      PATH: "/bin",
      ...Object.fromEntries(names.map((name, i) => [name, `value-of-${i}`])),
    });
    expect(secrets.childEnv()).toEqual({ PATH: "/bin" });
  });

  it("is without a copy of a key under another name", async () => {
    const secrets = await secretsIn({ GROQ_API_KEY: "gsk-0123456789", COPY: "key=gsk-0123456789;", PATH: "/bin" });
    expect(secrets.childEnv()).toEqual({ PATH: "/bin" });
  });

  it("is without every key that pi-ai would find by itself", async () => {
    const asked = keysAskedFor();
    const secrets = await secretsIn(Object.fromEntries([...asked].map((name) => [name, "x"])));
    expect(asked.size).toBeGreaterThan(20);
    expect(secrets.childEnv()).toEqual({});
  });
});

/** The variables that pi-ai looks at for any of its providers. */
function keysAskedFor(): Set<string> {
  const asked = new Set<string>();
  process.env = new Proxy({}, { get: (_env, name) => void asked.add(String(name)) });
  for (const provider of getProviders()) findEnvKeys(provider);
  return asked;
}

describe("redaction", () => {
  it("replaces every key it knows, and leaves the rest", async () => {
    const secrets = await secretsIn(
      { OPENAI_API_KEY: "sk-0123456789", MINE: "abc.def+ghi" },
      { ...custom, apiKeyEnv: "MINE" },
    );
    expect(secrets.redact("a sk-0123456789 b sk-0123456789, abc.def+ghi; abcxdef+ghi")).toBe(
      "a [redacted] b [redacted], [redacted]; abcxdef+ghi",
    );
  });

  it("takes the longer of two keys that start alike", async () => {
    const secrets = await secretsIn({ OPENAI_API_KEY: "sk-01234567", GROQ_API_KEY: "sk-0123456789" });
    expect(secrets.redact("sk-0123456789 sk-01234567")).toBe("[redacted] [redacted]");
  });

  it("lets short values be", async () => {
    expect((await secretsIn({ OPENAI_API_KEY: "test123" })).redact("a test123 b")).toBe("a test123 b");
  });

  it("knows headers of the table that carry a secret", async () => {
    const headers = { "x-api-key": "header-secret", authorization: "Bearer token-secret", "x-team": "blue-team-9" };
    const secrets = await secretsIn({ MINE: "k" }, { ...custom, apiKeyEnv: "MINE", headers });
    expect(secrets.redact("header-secret token-secret blue-team-9")).toBe("[redacted] [redacted] blue-team-9");
  });

  it("of a stream holds back what could be the start of a key, and no more", async () => {
    const stream = (await secretsIn({ OPENAI_API_KEY: "sk-0123456789" })).redactor();
    expect([
      stream.write("my key is s"),
      stream.write("k-01234"),
      stream.write("56789 ok sk"),
      stream.write("y"),
      stream.end(),
    ]).toEqual(["my key is ", "", "[redacted] ok ", "sky", ""]);
  });

  it("of a stream waits no longer once a key is whole", async () => {
    const stream = (await secretsIn({ OPENAI_API_KEY: "sk-0123456789" })).redactor();
    expect(stream.write("sk-0123456789")).toBe("[redacted]");
  });

  it("of a stream gives out what it held at the end", async () => {
    const stream = (await secretsIn({ OPENAI_API_KEY: "sk-0123456789" })).redactor();
    expect([stream.write("ends with sk-01"), stream.end(), stream.end()]).toEqual(["ends with ", "sk-01", ""]);
  });

  it("covers the token of any host, however a stream is cut, and no other words", async () => {
    const secrets = await secretsIn({});
    const token = `scorel_${"aB-_9".repeat(8)}xyz`;
    const text = `the token is ${token}, not scorel_host_token or scorel`;
    const hidden = "the token is s[redacted], not scorel_host_token or scorel";
    expect(secrets.redact(text)).toBe(hidden);
    for (let size = 1; size < 60; size++) {
      const stream = secrets.redactor();
      let out = "";
      for (let at = 0; at < text.length; at += size) out += stream.write(text.slice(at, at + size));
      expect(out + stream.end()).toBe(hidden);
    }
    expect(secrets.redactor().write("words and words")).toBe("words and words");
    const bytes = Buffer.from(`é ${token}`);
    expect(secrets.spans(bytes)).toEqual([[bytes.indexOf("corel_"), bytes.length]]);
    expect(secrets.childEnv({ PATH: "/bin", SCOREL_HOST_TOKEN: token, OTHER: `x${token}` })).toEqual({ PATH: "/bin" });
  });

  it("of a stream equals that of the whole, however it is cut", async () => {
    const alike = {
      OPENAI_API_KEY: "aabaabaa",
      GROQ_API_KEY: "aabaabaabb",
      XAI_API_KEY: "baabaaba",
      ZAI_API_KEY: "aaaaaaaa",
    };
    const secrets = await secretsIn(alike);
    const word = fc.constantFrom("a", "b", "ab", ...Object.values(alike));
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 20 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (words, sizes) => {
          const whole = words.join("");
          const stream = secrets.redactor();
          let out = "";
          for (let at = 0; at < whole.length; ) {
            const size = sizes.next().value as number;
            out += stream.write(whole.slice(at, at + size));
            at += size;
          }
          expect(out + stream.end()).toBe(secrets.redact(whole));
        },
      ),
      { numRuns: 2000 },
    );
  });
});
