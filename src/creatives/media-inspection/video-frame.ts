import { spawn } from 'node:child_process';
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock } from '../../common/time/clock.js';
import { watchProcess } from './process-limits.js';
import type { ReadRange, TopLevelBox } from './video-layout.rules.js';

/** Maximum bytes copied from a media box; the first frame is near its beginning. */
const MAX_MEDIA = 12 * 1024 * 1024;
/** Number of media boxes copied: the first ones of a fragmented file. */
const MAX_MEDIA_BOXES = 4;
/** Maximum bytes copied of all boxes: the metadata of a video of ten minutes has a few MiB. */
const MAX_COPIED = 64 * 1024 * 1024;
/** A killed process leaves its folder. One frame takes seconds. */
const LEFT_MS = 600_000;
const PREFIX = 'marquee-frame-';
const PIECE = 256 * 1024;

/** Limits for one frame: a frame may reference sixteen pictures of 4,096 x 4,096 pixels. */
const LIMITS = { memoryMib: 640, processorMs: 8_000, wallMs: 15_000 };
const MAX_ALLOCATED = 256 * 1024 * 1024;
const MAX_FRAME_BYTES = 24 * 1024 * 1024;

/**
 * Extracts the first frame of a video with `ffmpeg`: an image of any size, or undefined on failure. The program
 * receives a sparse file with the video's metadata and the beginning of its media.
 */
export async function firstFrameOf(
  ffmpeg: string,
  read: ReadRange,
  { size, boxes }: { size: number; boxes: TopLevelBox[] },
): Promise<Buffer | undefined> {
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  try {
    const file = join(folder, 'video');
    await copyBeginnings(file, read, size, boxes);
    return await frameOf(ffmpeg, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    // another process may remove it at the same time, or own it
    const found = await stat(folder).catch(() => undefined);
    if (found && found.mtimeMs < Clock.machineMs() - LEFT_MS)
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function copyBeginnings(path: string, read: ReadRange, size: number, boxes: TopLevelBox[]): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.truncate(size);
    let [media, copied] = [0, 0];
    for (const { type, start, end } of boxes) {
      const isMedia = type === 'mdat';
      if (isMedia && media++ >= MAX_MEDIA_BOXES) continue;
      const last = Math.min(end, start + Math.min(MAX_MEDIA, MAX_COPIED - copied));
      copied += last - start;
      for (let at = start; at < last; at += PIECE) {
        const piece = await read(at, Math.min(at + PIECE, last));
        await file.write(piece, 0, piece.length, at);
      }
    }
  } finally {
    await file.close();
  }
}

function frameOf(ffmpeg: string, file: string): Promise<Buffer | undefined> {
  const args = [
    '-nostdin',
    '-hide_banner',
    '-loglevel',
    'quiet',
    '-threads',
    '1',
    '-max_alloc',
    `${MAX_ALLOCATED}`,
    '-protocol_whitelist',
    'file',
    '-f',
    'mov',
  ];
  args.push('-i', file, '-map', '0:v:0', '-frames:v', '1', '-an', '-sn', '-dn');
  args.push('-f', 'image2pipe', '-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p', 'pipe:1');
  return new Promise((resolve) => {
    // the program does not receive our environment variables
    const program = spawn(ffmpeg, args, {
      env: {},
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const stopWatching =
      program.pid === undefined ? undefined : watchProcess(program.pid, LIMITS, () => program.kill('SIGKILL'));
    const pieces: Buffer[] = [];
    let bytes = 0;
    program.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > MAX_FRAME_BYTES) program.kill('SIGKILL');
      else pieces.push(piece);
    });
    program.on('error', () => resolve(undefined));
    program.on('exit', () => stopWatching?.());
    program.on('close', (code) => resolve(code === 0 && bytes > 0 ? Buffer.concat(pieces) : undefined));
  });
}
