/**
 * Containers of an image in buildah's store, without a container runtime, which not every machine can run: namespaces of processes
 * and mounts, the image's user, environment and command, and a root file system that is read-only but for the volume and /tmp.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.mjs';

const START_MS = 60_000;
const STOP_MS = 40_000;

const buildah = (...args) => execFileSync('buildah', args, { encoding: 'utf8' }).trim();

/** Becomes the first process of the container. The arguments: root, user, volume and its folder, then the command. */
const START = `set -e
root=$1 user=$2 volume=$3 data=$4
shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --bind /etc/hosts "$root/etc/hosts"
mount --bind "$data" "$root$volume"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"`;

/** An image, unpacked. */
export class Image {
  constructor(name) {
    this.config = JSON.parse(buildah('inspect', '--type', 'image', name)).Docker.config;
    this.container = buildah('from', '--pull-never', name);
    this.root = buildah('mount', this.container);
    const passwd = readFileSync(join(this.root, 'etc/passwd'), 'utf8').split('\n');
    const [, , uid, gid] = passwd.map((line) => line.split(':')).find(([user]) => user === this.config.User) ?? [];
    if (uid === undefined) throw new Error(`the image has no user ${this.config.User}`);
    this.user = { uid: Number(uid), gid: Number(gid) };
    const hosts = join(this.root, 'etc/hosts');
    if (!existsSync(hosts)) writeFileSync(hosts, '');
  }

  /** The size of a folder in MB, as `du` counts it. */
  sizeOf(path) {
    const [bytes] = execFileSync('du', ['-s', '--block-size=1', join(this.root, path)], { encoding: 'utf8' }).split(
      '\t',
    );
    return Number(bytes) / 1e6;
  }

  /** Starts the image's command with a folder as its volume, and waits until it is ready. */
  async start(data, env = {}) {
    const port = await freePort();
    const container = new Container(this, data, { PORT: String(port), HOST: '127.0.0.1', ...env });
    await container.ready();
    return container;
  }

  /** Runs another command than the image's, with a folder as its volume. */
  run(data, env, command) {
    return finished('unshare', startArguments(this, data, env, command));
  }

  remove() {
    buildah('rm', this.container);
  }
}

/** A service in a container. */
export class Container {
  log = '';

  constructor(image, data, env) {
    this.image = image;
    this.env = env;
    this.url = `http://127.0.0.1:${env.PORT}`;
    this.startedAt = performance.now();
    this.runner = spawn('unshare', startArguments(image, data, env, image.config.Cmd));
    for (const stream of [this.runner.stdout, this.runner.stderr]) stream.on('data', (said) => (this.log += said));
    this.ended = once(this.runner, 'exit');
  }

  /** Waits until the service is ready, and notes how long that took. */
  async ready() {
    while ((await this.status('/health/ready')) !== 200) {
      if (this.runner.exitCode !== null || performance.now() - this.startedAt > START_MS)
        throw new Error(`the service is not ready:\n${this.log}`);
      await pause(10);
    }
    this.readySeconds = (performance.now() - this.startedAt) / 1000;
    this.pid = Number(readFileSync(`/proc/${this.runner.pid}/task/${this.runner.pid}/children`, 'utf8'));
  }

  /** The status of an answer; 0 if there is none. */
  async status(path) {
    try {
      return (await fetch(this.url + path)).status;
    } catch {
      return 0;
    }
  }

  /** The number in a line of /proc/<pid>/status. */
  figure(name) {
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))[1]);
  }

  /** Runs a command in the container, as its user: exit code, output and error output. */
  exec(...command) {
    const { uid, gid } = this.image.user;
    const inside = ['--mount', '--pid', '--root', `--setuid=${uid}`, `--setgid=${gid}`];
    return finished('nsenter', [`--target=${this.pid}`, ...inside, ...withEnvironment(this.image, this.env, command)]);
  }

  /** Sends a signal; resolves with the exit code when the service has ended. */
  async stop(signal) {
    const late = setTimeout(() => process.kill(this.pid, 'SIGKILL'), STOP_MS);
    process.kill(this.pid, signal);
    const [code] = await this.ended;
    clearTimeout(late);
    return code;
  }
}

function startArguments(image, data, env, command) {
  const { uid, gid } = image.user;
  const [volume] = Object.keys(image.config.Volumes);
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  const shell = ['sh', '-c', START, 'sh', image.root, `${uid}:${gid}`, volume, data];
  return [...namespaces, ...shell, ...withEnvironment(image, env, command)];
}

/** The command in the image's environment and folder, and with nothing of ours. */
function withEnvironment({ config }, env, command) {
  const own = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return ['/usr/bin/env', '--ignore-environment', `--chdir=${config.WorkingDir}`, ...config.Env, ...own, ...command];
}

const finished = (program, args) =>
  new Promise((resolve) =>
    execFile(program, args, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? 1) : 0, stdout, stderr }),
    ),
  );
