/**
 * Draws the images, the GIF and the videos of the demo, assets/demo: run by hand when they are to look different. Videos
 * take ffmpeg. What it draws is its own, so nobody else has rights in it.
 */
import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const OUT = fileURLToPath(new URL('../assets/demo', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'marquee-demo-media-'));
mkdirSync(OUT, { recursive: true });

/** Steam above a cup, at a time from 0 to 1. */
const steam = (x, y, s, t = 0) =>
  [0, 34, 68]
    .map((d, i) => {
      const k = Math.sin(t * 2 * Math.PI + i * 1.3) * 12 * s;
      return `<path d="M${x + d * s} ${y} c ${-18 * s + k} ${-30 * s}, ${22 * s + k} ${-52 * s}, ${k} ${-92 * s}" fill="none" stroke="#fff" stroke-opacity="${0.55 - i * 0.1}" stroke-width="${7 * s}" stroke-linecap="round"/>`;
    })
    .join('');
/** A cup on its saucer: where, how large, of which colour. */
const cup = (x, y, s, colour, t = 0) => `
  ${steam(x + 66 * s, y - 18 * s, s, t)}
  <ellipse cx="${x + 100 * s}" cy="${y + 176 * s}" rx="${142 * s}" ry="${20 * s}" fill="#000" fill-opacity=".16"/>
  <ellipse cx="${x + 100 * s}" cy="${y + 166 * s}" rx="${132 * s}" ry="${19 * s}" fill="#f6efe6"/>
  <path d="M${x + 190 * s} ${y + 34 * s} q ${66 * s} ${-4 * s} ${54 * s} ${48 * s} q ${-10 * s} ${40 * s} ${-72 * s} ${36 * s}" fill="none" stroke="${colour}" stroke-width="${17 * s}" stroke-linecap="round"/>
  <path d="M${x} ${y} h ${200 * s} q ${-2 * s} ${150 * s} ${-66 * s} ${160 * s} h ${-68 * s} q ${-64 * s} ${-10 * s} ${-66 * s} ${-160 * s} z" fill="${colour}"/>
  <path d="M${x + 16 * s} ${y + 10 * s} q ${6 * s} ${104 * s} ${44 * s} ${136 * s}" fill="none" stroke="#fff" stroke-opacity=".28" stroke-width="${11 * s}" stroke-linecap="round"/>
  <ellipse cx="${x + 100 * s}" cy="${y}" rx="${100 * s}" ry="${17 * s}" fill="#fff" fill-opacity=".9"/>
  <ellipse cx="${x + 100 * s}" cy="${y + 2 * s}" rx="${90 * s}" ry="${13 * s}" fill="#4b2a17"/>`;
const bean = (x, y, r, a) =>
  `<g transform="translate(${x} ${y}) rotate(${a})"><ellipse rx="${r}" ry="${r * 0.66}" fill="#5b3520"/><path d="M${-r * 0.8} 0 q ${r * 0.4} ${-r * 0.34} ${r * 0.8} 0 t ${r * 0.8} 0" fill="none" stroke="#2f190d" stroke-width="${r * 0.13}" stroke-linecap="round"/></g>`;
/** Beans on the ground, the same for the same seed. */
const beans = (w, h, n, seed) => {
  let z = seed;
  const rnd = () => (z = (z * 1103515245 + 12345) % 2147483648) / 2147483648;
  return Array.from({ length: n }, () =>
    bean(rnd() * w, h - rnd() * rnd() * h * 0.34, 12 + rnd() * 16, rnd() * 360),
  ).join('');
};
/** A background of two colours and what stands before it. */
const scene = (w, h, [a, b], body) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}"><defs><linearGradient id="g" x1="0" y1="0" x2=".7" y2="1"><stop offset="0" stop-color="${a}"/><stop offset="1" stop-color="${b}"/></linearGradient><radialGradient id="l" cx=".75" cy=".2" r=".8"><stop offset="0" stop-color="#fff" stop-opacity=".5"/><stop offset="1" stop-color="#fff" stop-opacity="0"/></radialGradient></defs><rect width="100%" height="100%" fill="url(#g)"/><rect width="100%" height="100%" fill="url(#l)"/>${body}</svg>`;
const jpeg = (name, svg) => sharp(Buffer.from(svg)).jpeg({ quality: 80, mozjpeg: true }).toFile(`${OUT}/${name}`);
const AUTUMN = ['#f3b562', '#b5452c'],
  SEA = ['#9bd3d0', '#1f5c74'],
  ROSE = ['#f7c6bd', '#a8445b'],
  NIGHT = ['#5f6fa8', '#1b2142'],
  LEAF = ['#cfe2a6', '#4d7a3a'];
await jpeg('autumn-blend.jpg', scene(1200, 628, AUTUMN, beans(1200, 628, 90, 7) + cup(470, 250, 1.35, '#fffaf2')));
await jpeg('roastery-square.jpg', scene(800, 800, LEAF, beans(800, 800, 70, 21) + cup(260, 350, 1.3, '#e9edf3')));
await jpeg('cold-brew.jpg', scene(1200, 628, SEA, cup(240, 270, 1.1, '#ffffff') + cup(660, 250, 1.35, '#f2d7a7')));
await jpeg('gift-card.jpg', scene(1200, 628, ROSE, beans(1200, 628, 40, 3) + cup(500, 250, 1.3, '#fff1f1')));
await jpeg('loyalty.jpg', scene(800, 320, NIGHT, cup(120, 130, 0.85, '#f6e7c8') + cup(420, 130, 0.85, '#dfe6ff')));
await jpeg('banner.jpg', scene(300, 250, AUTUMN, cup(75, 95, 0.68, '#fffaf2')));
// frames of a cup that steams: a GIF, and videos
const frames = async (dir, w, h, n, colours, body) => {
  const folder = join(work, dir);
  mkdirSync(folder);
  for (let i = 0; i < n; i++)
    await sharp(Buffer.from(scene(w, h, colours, body(i / n))))
      .png({ compressionLevel: 1 })
      .toFile(`${folder}/${String(i).padStart(3, '0')}.png`);
};
await frames('gif', 480, 270, 20, AUTUMN, (t) => cup(170, 120, 0.62, '#fffaf2', t));
execFileSync('ffmpeg', [
  '-y',
  '-loglevel',
  'error',
  '-framerate',
  '10',
  '-i',
  join(work, 'gif/%03d.png'),
  '-vf',
  'split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=bayer:bayer_scale=4',
  `${OUT}/steam.gif`,
]);
await frames(
  'vid',
  1280,
  720,
  48,
  SEA,
  (t) =>
    cup(330 + Math.sin(t * 2 * Math.PI) * 60, 290, 1.5, '#ffffff', t) +
    cup(800 - Math.sin(t * 2 * Math.PI) * 40, 320, 1.2, '#f2d7a7', t),
);
const h264 = [
  '-c:v',
  'libx264',
  '-preset',
  'veryslow',
  '-crf',
  '30',
  '-pix_fmt',
  'yuv420p',
  '-movflags',
  '+faststart',
  '-map_metadata',
  '-1',
  '-fflags',
  '+bitexact',
];
execFileSync('ffmpeg', [
  '-y',
  '-loglevel',
  'error',
  '-stream_loop',
  '1',
  '-framerate',
  '16',
  '-i',
  join(work, 'vid/%03d.png'),
  '-f',
  'lavfi',
  '-i',
  'sine=frequency=330:duration=6',
  '-filter:a',
  'volume=0.05',
  '-shortest',
  '-c:a',
  'aac',
  '-b:a',
  '32k',
  ...h264,
  `${OUT}/cold-brew.mp4`,
]);
await frames('pre', 1280, 720, 32, NIGHT, (t) => cup(540, 300, 1.5, '#f6e7c8', t) + beans(1280, 720, 30, 11));
execFileSync('ffmpeg', [
  '-y',
  '-loglevel',
  'error',
  '-stream_loop',
  '2',
  '-framerate',
  '16',
  '-i',
  join(work, 'pre/%03d.png'),
  ...h264,
  `${OUT}/in-stream.mp4`,
]);

rmSync(work, { recursive: true });
