import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { userConfigDir } from '../environment.js';
import { Misuse, CommandRefusal } from '../refusal.js';

/** Keys, secrets, ids and URLs by name, as in the demo's credentials file. */
export type Credentials = Record<string, string>;

const NAME = /^\w[\w.-]{0,63}$/;

/** The name of a profile and of its file. */
export function profileName(given: string): string {
  if (NAME.test(given)) return given;
  throw new Misuse(`the name of a profile must have 1 to 64 letters, digits and _ . -, not "${given}"`);
}

/**
 * The logins of this machine's user: one file each, so that concurrent logins do not overwrite each other, and one
 * with the name of the current profile. Only their owner can read them.
 */
export class Profiles {
  constructor(private readonly folder = userConfigDir()) {}

  /** The file of a profile. */
  pathOf(name: string): string {
    return join(this.folder, 'profiles', `${name}.json`);
  }

  names(): string[] {
    const files = unlessMissing(() => readdirSync(join(this.folder, 'profiles'))) ?? [];
    return files.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : [])).sort();
  }

  /** The current profile, which is the default. */
  current(): string | undefined {
    const name = unlessMissing(() => readFileSync(this.currentPath, 'utf8'))?.trim();
    return name !== undefined && NAME.test(name) ? name : undefined;
  }

  /** The content of a profile; undefined where it does not exist. */
  find(name: string): Credentials | undefined {
    const text = unlessMissing(() => readFileSync(this.pathOf(name), 'utf8'));
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as Credentials;
    } catch {
      throw new CommandRefusal(
        `${this.pathOf(name)} is not JSON; \`marquee login --profile ${name}\` creates it again`,
      );
    }
  }

  /** The content of a profile; an unknown one is a Refusal that lists the profiles. */
  get(name: string): Credentials {
    const found = this.find(name);
    if (found) return found;
    const others = this.names();
    const known = others.length > 0 ? `; existing profiles are ${others.join(', ')}` : '';
    throw new CommandRefusal(`there is no profile ${name}${known}; \`marquee login --profile ${name}\` creates it`);
  }

  /** Stores a profile, replacing one with the same name, and makes it the current one. */
  keep(name: string, credentials: Credentials): void {
    this.update(name, credentials);
    this.use(name);
  }

  /** Replaces the content of a profile, and leaves the current one. */
  update(name: string, credentials: Credentials): void {
    this.write(this.pathOf(name), `${JSON.stringify(credentials, null, 2)}\n`);
  }

  use(name: string): void {
    this.write(this.currentPath, `${name}\n`);
  }

  /** Deletes a profile. */
  remove(name: string): void {
    rmSync(this.pathOf(name), { force: true });
    if (this.current() === name) rmSync(this.currentPath, { force: true });
  }

  private get currentPath(): string {
    return join(this.folder, 'current-profile');
  }

  /** Writes atomically, readable by the owner only. */
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
