import { type Answer, ask } from './requests.js';

/** A browser without a screen: keeps its cookie and sends the forms of the pages that it opened. */
export class Browser {
  page = '';
  private cookie = '';

  /** `headers` go with everything, those of a balancer for one. */
  constructor(
    private readonly port: number,
    private readonly host: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** Of the form on the page. */
  get csrf(): string {
    return /name="csrf" value="([^"]*)"/.exec(this.page)?.[1] ?? '';
  }

  async open(target: string): Promise<Answer> {
    return this.keep(await ask(this.port, { method: 'GET', target, headers: this.own() }));
  }

  async send(target: string, form: Record<string, string>): Promise<Answer> {
    const headers = { ...this.own(), 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ csrf: this.csrf, ...form }).toString();
    return this.keep(await ask(this.port, { method: 'POST', target, headers, body }));
  }

  private own(): Record<string, string> {
    return { ...this.headers, host: this.host, cookie: this.cookie };
  }

  private keep(answer: Answer): Answer {
    this.page = answer.body;
    if (answer.cookie) this.cookie = answer.cookie;
    return answer;
  }
}
