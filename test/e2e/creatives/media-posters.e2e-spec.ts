import { spawnSync } from 'node:child_process';
import { readConfig } from '../../../src/config.js';
import sharp from 'sharp';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { mp4 } from '../../support/media/files.js';
import { sendMultipart } from '../../support/media/upload.js';

useApp({ PATH: process.env.PATH ?? '' });

/** Where it is installed, the real program makes the video and takes its first frame. */
const installed = readConfig({ PATH: process.env.PATH, NODE_ENV: 'test' }).ffmpeg;

const posterOf = async (bytes: Buffer) => {
  const { status, body } = await sendMultipart(await given.client(), { media_category: 'post_video' }, bytes);
  expect({ status, errors: body.errors }).toEqual({ status: 200 });
  const [{ posterFile, width, height }] = await world().sql<{ posterFile: string; width: number; height: number }>(
    'SELECT "posterFile", width, height FROM media WHERE id = $1',
    body.media_id_string,
  );
  const poster = Buffer.from(await (await fetch(`${world().url}/media/${posterFile}`)).arrayBuffer());
  const about = await sharp(poster).metadata();
  expect(about).toMatchObject({ format: 'jpeg', width, height });
  const { dominant } = await sharp(poster).stats();
  return { width, height, dominant };
};

/** A video of one colour, made by the program. */
function redVideo(...more: string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-video-'));
  try {
    const file = join(folder, 'red.mp4');
    const made = spawnSync(installed!, [
      '-y',
      '-f',
      'lavfi',
      '-i',
      'color=c=red:s=320x180:d=2:r=10',
      ...more,
      '-pix_fmt',
      'yuv420p',
      file,
    ]);
    expect(made.status).toBe(0);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('a video that no decoder knows has a neutral poster', async () => {
  expect(await posterOf(await mp4({ width: 640, height: 360 }))).toMatchObject({
    width: 640,
    height: 360,
    dominant: { r: 40, g: 56, b: 72 },
  });
});

(installed ? describe : describe.skip)('the first frame of a video', () => {
  it.each([
    ['whose description stands behind its media', [], [320, 180]],
    ['whose description stands before them', ['-movflags', '+faststart'], [320, 180]],
    ['in fragments', ['-movflags', 'frag_keyframe+empty_moov'], [320, 180]],
  ] as const)('%s is its poster', async (_, args, [width, height]) => {
    const poster = await posterOf(redVideo(...args));
    expect(poster).toMatchObject({ width, height });
    expect(poster.dominant.r).toBeGreaterThan(200);
    expect(poster.dominant.b).toBeLessThan(60);
  });
});
