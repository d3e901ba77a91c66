import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { StartFailure } from '../../start-failure.js';

/** A running process already uses the store in this directory. */
export class StoreInUse extends StartFailure {
  constructor(
    readonly pid: number,
    readonly dataDir: string,
  ) {
    super(
      `The store in ${dataDir} is in use by process ${pid}. Stop that process, or set DATA_DIR to another directory. ` +
        `Several processes can share a PostgreSQL server: set DATABASE_URL.`,
    );
  }
}

/** The holder of a lock, described so that another process with the same id is not mistaken for it. */
interface Holder {
  pid: number;
  /** When the process started, as reported by its system. */
  startedAt?: string;
  /** Identifies the machine and its boot. */
  bootId?: string;
  /** The namespace of its process id: containers have their own. */
  pidNamespace?: string;
  /** Unique for every lock. */
  token: string;
}

const HEARTBEAT_MS = 1_000;
/** A holder whose process id is meaningless here counts as ended after this time without renewal. */
const STALE_MS = 6_000;

/**
 * Takes the lock file, or throws StoreInUse. Replaces the file of an ended process (killed, machine restarted, id
 * reused). Returns a function that releases the lock.
 */
export async function takeLock(path: string, dataDir: string, silence = STALE_MS): Promise<() => void> {
  const holder: Holder = { ...describe(process.pid), token: randomBytes(8).toString('hex') };
  const own = JSON.stringify(holder);
  const draft = `${path}.${holder.token}`;
  writeFileSync(draft, own);
  try {
    // a link appears with its content, and only if the name is free
    for (let attempt = 0; !linked(draft, path); attempt++) {
      const found = read(path);
      if (found === undefined) continue;
      const other = parse(found);
      if (attempt > 20 || (other && (await isRunning(other, path, draft, silence))))
        throw new StoreInUse(other?.pid ?? 0, dataDir);
      discard(path, found);
    }
  } finally {
    rmSync(draft, { force: true });
  }

  const heartbeat = setInterval(() => {
    const found = read(path);
    if (found === own) renew(path, own);
    else if (found !== undefined) clearInterval(heartbeat);
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return () => {
    clearInterval(heartbeat);
    if (read(path) === own) rmSync(path, { force: true });
  };
}

/**
 * Writes the same again, so that the time of the file system counts. The file keeps its content also where nothing can be written:
 * then the next renewal may succeed.
 */
function renew(path: string, own: string): void {
  orUndefined(() => {
    const file = openSync(path, 'r+');
    try {
      writeSync(file, own, 0);
    } finally {
      closeSync(file);
    }
  });
}

/** Identifies a process, as far as this system allows. */
function describe(pid: number): Omit<Holder, 'token'> {
  return {
    pid,
    startedAt: startTimeOf(pid),
    bootId: orUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: orUndefined(() => readlinkSync('/proc/self/ns/pid')),
  };
}

function startTimeOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    // the name in parentheses may contain any character; the 20th field after it is the start time
    return orUndefined(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19]);
  }
  if (process.platform === 'win32') return undefined;
  return orUndefined(() => execFileSync('ps', ['-o', 'lstart=', '-p', `${pid}`], { encoding: 'utf8' }).trim());
}

async function isRunning(other: Holder, path: string, draft: string, silence: number): Promise<boolean> {
  const here = describe(other.pid);
  if (other.bootId === here.bootId && other.pidNamespace === here.pidNamespace) {
    return isAlive(other.pid) && (!other.startedAt || !here.startedAt || other.startedAt === here.startedAt);
  }
  // another container or machine: its process id is meaningless here, but a running holder renews its file
  const before = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (before === undefined || statSync(draft).mtimeMs - before > silence) return false;
  await pause(silence);
  const after = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return after !== undefined && after !== before;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes a stale lock, unless another process has replaced it meanwhile. */
function discard(path: string, stale: string): void {
  const aside = `${path}.${randomBytes(8).toString('hex')}.stale`;
  if (orUndefined(() => renameSync(path, aside) ?? true) === undefined) return;
  if (read(aside) !== stale) linked(aside, path);
  rmSync(aside, { force: true });
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const read = (path: string) => orUndefined(() => readFileSync(path, 'utf8'));

/** An invalid file belongs to an ended process: locks appear with their content. */
const parse = (text: string) => orUndefined(() => JSON.parse(text) as Holder);

function orUndefined<R>(work: () => R): R | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
