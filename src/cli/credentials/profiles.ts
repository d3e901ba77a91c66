import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { userConfigDir } from '../environment.js';
import { Misuse, Refusal } from '../refusal.js';

/** Keys, secrets, ids and URLs by name, as the demo's file has them. */
export type Credentials = Record<string, string>;

const NAME = /^\w[\w.-]{0,63}$/;

/** The name of a profile, which is also that of its file. */
export function profileName(given: string): string {
  if (NAME.test(given)) return given;
  throw new Misuse(`the name of a profile takes 1 to 64 letters, digits and _ . -, not "${given}"`);
}

/**
 * The logins of this machine's user: a file for each, so that two that are made at once do not lose each other, and one
 * with the name of that which is used where none is named. Only their owner can read them.
 */
export class Profiles {
  constructor(private readonly folder = userConfigDir()) {}

  /** Where a profile is kept. */
  pathOf(name: string): string {
    return join(this.folder, 'profiles', `${name}.json`);
  }

  names(): string[] {
    const files = unlessMissing(() => readdirSync(join(this.folder, 'profiles'))) ?? [];
    return files.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : [])).sort();
  }

  /** The profile that is used where none is named. */
  current(): string | undefined {
    const name = unlessMissing(() => readFileSync(this.currentPath, 'utf8'))?.trim();
    return name !== undefined && NAME.test(name) ? name : undefined;
  }

  /** What a profile holds; undefined where there is none of the name. */
  find(name: string): Credentials | undefined {
    const text = unlessMissing(() => readFileSync(this.pathOf(name), 'utf8'));
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as Credentials;
    } catch {
      throw new Refusal(`${this.pathOf(name)} is not JSON; \`marquee login --profile ${name}\` makes it anew`);
    }
  }

  /** What a profile holds; a Refusal that names those there are where it is none of them. */
  get(name: string): Credentials {
    const found = this.find(name);
    if (found) return found;
    const others = this.names();
    const known = others.length > 0 ? `; there are ${others.join(', ')}` : '';
    throw new Refusal(`there is no profile ${name}${known}; \`marquee login --profile ${name}\` makes it`);
  }

  /** Keeps a profile, in place of the one of its name, and makes it the current one. */
  keep(name: string, credentials: Credentials): void {
    this.write(this.pathOf(name), `${JSON.stringify(credentials, null, 2)}\n`);
    this.use(name);
  }

  use(name: string): void {
    this.write(this.currentPath, `${name}\n`);
  }

  /** Forgets a profile. */
  remove(name: string): void {
    rmSync(this.pathOf(name), { force: true });
    if (this.current() === name) rmSync(this.currentPath, { force: true });
  }

  private get currentPath(): string {
    return join(this.folder, 'current-profile');
  }

  /** All at once, and never readable for others. */
  private write(path: string, text: string): void {
    const folder = join(this.folder, 'profiles');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const fresh = `${path}.${process.pid}.new`;
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, path);
  }
}

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
