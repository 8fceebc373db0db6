import type { Invocation } from "@scorel/cli/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import { flawOfUrl } from "@scorel/kit/schema/model-table";
import { plainText, visibleName } from "@scorel/kit/text/plain";
import { shellWord } from "@scorel/kit/text/shell-word";
import type { LocalModel, ModelAdminService, ServedModels } from "@scorel/model/contract";
import { errors } from "./errors.ts";
import { createLines, type Lines } from "./lines.ts";
import {
  type CustomModel,
  configOf,
  hasDefault,
  newTable,
  tableText,
  takeBack,
  type Where,
  whereFor,
  writeModel,
} from "./model-file.ts";
import { checkText } from "./text.ts";

/** Arguments of `scorel login`, instead of a provider's name, for a server that Scorel does not know. */
export const CUSTOM: readonly string[] = ["custom", "local"];

const MOST_SHOWN = 40;
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;

/** Errors after which another address may help. */
const CORRECTABLE = ["MODELS_ADDRESS", "MODELS_SERVER_EMPTY", "MODEL_SERVER_LIST"];

type Reached = ServedModels & { found: LocalModel[]; apiKeyEnv?: string };

type Check = (table: object) => ReturnType<ModelAdminService["check"]>;

/** Asks for a server and one of its models, shows and writes the model's table, and tests it with one request. */
export async function loginToServer(invocation: Invocation, admin: ModelAdminService, check: Check): Promise<number> {
  const lines = createLines(invocation);
  try {
    return await new Dialog(invocation, admin, lines).run(check);
  } finally {
    lines.close();
  }
}

class Dialog {
  private readonly to: Invocation;
  private readonly admin: ModelAdminService;
  private readonly lines: Lines;

  constructor(to: Invocation, admin: ModelAdminService, lines: Lines) {
    this.to = to;
    this.admin = admin;
    this.lines = lines;
  }

  async run(check: Check): Promise<number> {
    const { baseUrl, models, found, apiKeyEnv } = await this.server();
    const model = await this.model(models);
    const contextWindow = await this.window(model.contextWindow ?? (await this.admin.servedWindow(baseUrl, model.id)));
    const usual = found.find((each) => each.baseUrl === baseUrl)?.provider ?? nameOf(baseUrl);
    const provider = await this.admin.serverName(baseUrl, usual);
    return this.write({ provider, id: model.id, baseUrl, ...(apiKeyEnv && { apiKeyEnv }), contextWindow }, check);
  }

  /** Asks for a server that lists its models. In a terminal, asks again if the server does not. */
  private async server(): Promise<Reached> {
    for (;;) {
      try {
        return await this.reached();
      } catch (thrown) {
        if (!this.to.stdin.isTTY || this.to.interrupt.aborted || !CORRECTABLE.includes(codeOf(thrown) ?? ""))
          throw thrown;
        this.say(`${messageOf(thrown)}\n\n`);
      }
    }
  }

  private async reached(): Promise<Reached> {
    const { address, found } = await this.address();
    const flaw = flawOf(address);
    if (flaw !== undefined) throw errors.MODELS_ADDRESS({ reason: flaw });
    const apiKeyEnv = await this.variable();
    const served = await this.admin.served(address, apiKeyEnv && (this.to.env[apiKeyEnv] || undefined));
    if (served.models.length === 0) throw errors.MODELS_SERVER_EMPTY({ address: served.baseUrl });
    return { ...served, found, ...(apiKeyEnv && { apiKeyEnv }) };
  }

  /** The server's address: typed, or chosen from the servers on this computer. */
  private async address(): Promise<{ address: string; found: LocalModel[] }> {
    const found = await this.admin.local();
    const servers = [...new Map(found.map((model) => [model.baseUrl, model.server]))];
    for (const [baseUrl, server] of servers) this.say(`${server} runs at ${baseUrl}\n`);
    const [first] = servers;
    const usual = first ? ` (Enter: ${first[0]})` : ", such as http://127.0.0.1:8000/v1";
    const answer = await this.ask(`Address of the server${usual}: `);
    const address = answer === "" ? first?.[0] : answer;
    return address === undefined ? this.address() : { address, found };
  }

  private async variable(): Promise<string | undefined> {
    const answer = await this.ask("Environment variable that holds its key, such as MY_SERVER_KEY (Enter: no key): ");
    if (answer === "") return undefined;
    if (!VARIABLE.test(answer)) {
      this.say(
        "That is not the name of a variable. The key itself is not written into the configuration: set a variable to it, and enter its name.\n",
      );
      return this.variable();
    }
    if (!this.to.env[answer]) this.say(`${answer} is not set here, so the server is asked without a key.\n`);
    return answer;
  }

  private async model(models: ServedModels["models"]): Promise<ServedModels["models"][number]> {
    const [only] = models;
    if (models.length === 1 && only) return only;
    this.say(
      `${models
        .slice(0, MOST_SHOWN)
        .map(({ id }, at) => `${String(at + 1).padStart(3)}  ${visibleName(id)}\n`)
        .join("")}`,
    );
    if (models.length > MOST_SHOWN) this.say(`     and ${models.length - MOST_SHOWN} more\n`);
    for (;;) {
      const answer = await this.ask("Which model, by number or name? ");
      const chosen = models.find(({ id }, at) => id === answer || String(at + 1) === answer);
      if (chosen) return chosen;
      this.say(`There is no such model. Enter a number from 1 to ${models.length}, or the exact name of a model.\n`);
    }
  }

  private async window(known: number): Promise<number> {
    for (;;) {
      const answer = await this.ask(`Context window in tokens (Enter: ${known}): `);
      if (answer === "") return known;
      const tokens = tokensOf(answer);
      if (tokens !== undefined) return tokens;
      this.say("Write a number of tokens, such as 32768 or 128k.\n");
    }
  }

  private async write(model: CustomModel, check: Check): Promise<number> {
    const where = whereFor(model);
    const how = where.own ? "is described already. Its table changes in" : "is added to";
    this.say(`\nThis ${how} ${where.path}:\n\n${tableText(where, model)}\n`);
    if (!(await this.agrees(where.own ? "Change it? [Y/n] " : "Add it? [Y/n] "))) {
      this.say("Nothing was changed.\n");
      return 0;
    }
    writeModel(where, model);
    this.say(`${where.own ? "Changed" : "Added"}. One small request tries it:\n`);
    const outcome = await check(configOf(model));
    this.say(checkText(outcome));
    if (outcome.problem !== undefined && !(await this.keeps(where, model)))
      return (await this.wantsMore()) ? this.run(check) : 1;
    if (where.alias !== undefined && (hasDefault(where.text) || !(await this.becomesDefault(model))))
      this.say(
        `${hasDefault(where.text) ? "Your [model] was not changed. " : ""}To use this one: scorel --model ${shellWord(visibleName(`${model.provider}/${model.id}`))}\n`,
      );
    return outcome.problem === undefined ? 0 : 1;
  }

  /** Asks whether to keep the table of a model that did not answer. At the end of the input, it is kept. */
  private async keeps(where: Where, model: CustomModel): Promise<boolean> {
    this.say("\n");
    const keeps = await this.decides(`${where.own ? "Keep the change" : "Keep the table"} anyway? [y/N] `, false);
    if (keeps === undefined) this.say(`It stays in ${where.path}.\n`);
    if (keeps !== false) return true;
    takeBack(where, model);
    this.say(`Taken back: ${where.path} is as it was.\n`);
    return false;
  }

  /** Asks, in a terminal, whether to try another server or model. */
  private async wantsMore(): Promise<boolean> {
    if (!this.to.stdin.isTTY) return false;
    return (await this.decides("Try another server or model? [Y/n] ", true)) === true;
  }

  /** If there is no `[model]`, offers to add one for a model that has a table with another name. The end of the input means no. */
  private async becomesDefault(model: CustomModel): Promise<boolean> {
    if (!(await this.decides("There is no [model]. Use this one when none is named? [Y/n] ", true))) return false;
    writeModel(newTable(model.provider), model);
    this.say("Added as [model].\n");
    return true;
  }

  /** Asks a yes-or-no question. Enter means yes. Throws at the end of the input. */
  private async agrees(question: string): Promise<boolean> {
    const decided = await this.decides(question, true, () => this.lines.answer());
    return decided === true;
  }

  /** Asks a yes-or-no question until the answer is one. Enter means `usual`. Resolves with undefined when `next` has no line. */
  private async decides(
    question: string,
    usual: boolean,
    next: () => Promise<string | undefined> = async () => (this.to.interrupt.aborted ? undefined : this.lines.next()),
  ): Promise<boolean | undefined> {
    for (;;) {
      this.say(question);
      const answer = await next();
      if (answer === undefined || answer.trim() === "") return answer === undefined ? undefined : usual;
      if (/^\s*(y(es)?|no?)\s*$/i.test(answer)) return /^\s*y/i.test(answer);
      this.say("Answer y or n.\n");
    }
  }

  private async ask(question: string): Promise<string> {
    this.say(question);
    return this.lines.answer();
  }

  private say(text: string): void {
    this.to.stdout.write(plainText(text));
  }
}

/** Parses a number of tokens, also in forms such as 128k and 1M. */
function tokensOf(answer: string): number | undefined {
  const [, digits, unit = ""] = /^([1-9]\d*)\s*([km]?)$/i.exec(answer) ?? [];
  const tokens = Number(digits) * ({ k: 1_000, m: 1_000_000 }[unit.toLowerCase()] ?? 1);
  return tokens >= 100 && tokens < 1e9 ? tokens : undefined;
}

/** Why an address is invalid; undefined if it is valid. `http://` may be left out. */
function flawOf(address: string): string | undefined {
  const [, scheme] = /^([a-z][a-z0-9+.-]*:)\/\//i.exec(address) ?? [];
  if (scheme !== undefined && !/^https?:$/i.test(scheme)) return `begins with ${scheme}//`;
  return flawOfUrl(scheme === undefined ? `http://${address}` : address);
}

/** A provider name for a server: the name of its host, or `local` on this computer. */
function nameOf(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const isHere = hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
  return isHere
    ? "local"
    : hostname
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "") || "server";
}
