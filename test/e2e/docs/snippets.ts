import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Visitor } from '../auth/visitor.js';

export const PAGE = readFileSync('docs/clients.md', 'utf8');

export interface Snippet {
  /** The heading of the second level that it stands below. */
  chapter: string;
  /** The nearest heading, and which of its snippets this is. */
  name: string;
  language: string;
  text: string;
}

/** The fenced blocks of the page, in its order. */
export const SNIPPETS: Snippet[] = PAGE.split(/^## /m).flatMap((part) => {
  const chapter = part.split('\n', 1)[0];
  return part.split(/^### /m).flatMap((section) => {
    const title = section.split('\n', 1)[0];
    return [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text], i) => ({
      chapter,
      name: `${title} ${i + 1}`,
      language,
      text,
    }));
  });
});

/** Whether a snippet needs the hosts of X, for which clients/x-clients has a service and a proxy. */
export const needsHostsOfX = ({ chapter, name }: Snippet) =>
  chapter === 'An SDK for X' && !name.startsWith('twitter-api-v2 without a proxy');

/** The first of these programs that can do what is asked of it. */
export const able = (programs: string[], ...args: string[]) =>
  programs.find((program) => spawnSync(program, args).status === 0);

/** What runs the snippets of a language, as a file; undefined where it is not installed. */
export const RUNNERS: Record<string, { program?: string; args?: string[]; file: string }> = {
  sh: { program: 'sh', args: ['-e'], file: 'snippet.sh' },
  js: { program: process.execPath, file: 'snippet.mjs' },
  python: {
    program: able(['python3', '/usr/bin/python3'], '-c', 'import httpx, requests_oauthlib'),
    file: 'snippet.py',
  },
  ruby: { program: able(['ruby'], '-e', "require 'oauth'"), file: 'snippet.rb' },
};

export interface Ran {
  status: number;
  stdout: string;
  stderr: string;
}

/** What a reader knows of the service. */
interface Started {
  dataDir: string;
  url: string;
  credentials: () => Record<string, string>;
}

/** A folder as that of the service is for a reader of the page. */
export class ReadersFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'marquee-clients-'));

  /** `installed` is the folder in which a reader has installed packages. */
  constructor(
    private readonly service: Started,
    installed = '.',
  ) {
    symlinkSync(service.dataDir, join(this.path, 'data'));
    symlinkSync(resolve(installed, 'node_modules'), join(this.path, 'node_modules'));
    for (const name of ['package.json', 'assets', 'bin', 'docs', 'packages'])
      symlinkSync(resolve(name), join(this.path, name));
  }

  remove() {
    rmSync(this.path, { recursive: true, force: true });
  }

  /** Runs a snippet, which has to succeed; resolves to what it printed. */
  async carryOut({ language, text }: Snippet, env: Record<string, string> = {}): Promise<string> {
    const { program, args = [], file } = RUNNERS[language];
    writeFileSync(join(this.path, file), text.replaceAll('http://localhost:3000', this.service.url));
    const { stdout, stderr, status } = await this.run(program!, [...args, file], env);
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  }

  /** Runs a program there. If it asks for a PIN, it is given one. */
  run(program: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
    const { PATH = '', HOME = '' } = process.env;
    const options = {
      cwd: this.path,
      env: { PATH, HOME, npm_config_update_notifier: 'false', ...env },
      maxBuffer: 64 * 1024 * 1024,
    };
    return new Promise((done, fail) => {
      const child = execFile(program, args, options, (error, stdout, stderr) =>
        done({ status: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      );
      let printed = '';
      let answered = false;
      child.stdout!.on('data', (chunk) => {
        const line = answered ? undefined : this.approved((printed += String(chunk)));
        if (!line) return;
        answered = true;
        line.then((text) => child.stdin!.end(`${text}\n`), fail);
      });
    });
  }

  /** What a person does with the URL that a snippet prints: signs in, approves, and reads the PIN. */
  private approved(printed: string): Promise<string> | undefined {
    const token = /^Open \S+oauth_token=([\w-]+)\S*\n/m.exec(printed)?.[1];
    if (!token) return undefined;
    const { username, password } = this.service.credentials();
    return new Visitor({}, this.service.url)
      .signIn(username, password)
      .then((visitor) => visitor.decide(token))
      .then(({ pin }) => pin);
  }
}
