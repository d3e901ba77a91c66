import { crc32, deflateSync } from 'node:zlib';

type Color = readonly [red: number, green: number, blue: number];

/** A PNG of a landscape: a sky, a sun, and hills in a color of their own, so that pictures can be told apart. */
export function landscape(width: number, height: number, hill: Color): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  const sun = { x: width * 0.7, y: height * 0.32, r: Math.min(width, height) * 0.11 };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const down = y / height;
      const horizon = 0.62 + 0.1 * Math.sin((x / width) * 5) + 0.03 * Math.sin((x / width) * 17);
      const near = horizon + 0.16 + 0.06 * Math.sin((x / width) * 7 + 2);
      const inSun = (x - sun.x) ** 2 + (y - sun.y) ** 2 < sun.r ** 2;
      const shade = down > near ? 0.62 : down > horizon ? 1 : 0;
      const color: Color = shade
        ? [hill[0] * shade, hill[1] * shade, hill[2] * shade]
        : inSun
          ? [255, 236, 190]
          : [150 + 90 * down, 190 + 40 * down, 225];
      rows.set(color.map(Math.round), y * (1 + width * 3) + 1 + x * 3);
    }
  }
  return png(width, height, rows);
}

function png(width: number, height: number, rows: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

export const HILLS = {
  green: [72, 120, 78],
  red: [150, 74, 62],
  blue: [66, 96, 140],
  gold: [170, 130, 60],
  violet: [110, 82, 132],
} satisfies Record<string, Color>;

/** Two seconds of a yellow square that moves to the right: MP4, H.264, 160 by 90. */
export const FILM = Buffer.from(
  'AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAANpbW9vdgAAAGxtdmhkAAAAAAAAAAAAAAAAAAAD6AAAB9AAAQAAAQAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAArh0cmFrAAAAXHRraGQAAAADAAAAAAAAAAAAAAABAAAAAAAAB9AAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAKAAAABaAAAAAAAkZWR0cwAAABxlbHN0AAAAAAAAAAEAAAfQAAAQAAABAAAAAAIwbWRpYQAAACBtZGhkAAAAAAAAAAAAAAAAAAAoAAAAUABVxAAAAAAALWhkbHIAAAAAAAAAAHZpZGUAAAAAAAAAAAAAAABWaWRlb0hhbmRsZXIAAAAB221pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAAZtzdGJsAAAAw3N0c2QAAAAAAAAAAQAAALNhdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAKAAWgBIAAAASAAAAAAAAAABDExhdmMgbGlieDI2NAAAAAAAAAAAAAAAAAAAAAAAAAAAGP//AAAAOWF2Y0MBZAAM/+EAG2dkAAyscgRCjfkwEQAAAwABAAADAAoPFCmEYAEAB2joQ4E0siz9+PgAAAAAEHBhc3AAAAABAAAAAQAAABRidHJ0AAAAAAAAApAAAAKQAAAAGHN0dHMAAAAAAAAAAQAAAAoAAAgAAAAAFHN0c3MAAAAAAAAAAQAAAAEAAAA4Y3R0cwAAAAAAAAAFAAAAAQAAEAAAAAABAABQAAAAAAEAACAAAAAAAwAAAAAAAAAEAAAIAAAAABxzdHNjAAAAAAAAAAEAAAABAAAACgAAAAEAAAA8c3RzegAAAAAAAAAAAAAACgAAAC4AAAAOAAAADQAAAA0AAAANAAAADQAAAA0AAAANAAAADQAAAA0AAAAUc3RjbwAAAAAAAAABAAADmQAAAD11ZHRhAAAANW1ldGEAAAAAAAAAIWhkbHIAAAAAAAAAAG1kaXJhcHBsAAAAAAAAAAAAAAAACGlsc3QAAAAIZnJlZQAAAKxtZGF0AAAAKmWIgQACf/2Cd4FA3YmXGEL8I5HxHSoo6EwEu2eriwwxeOjrACzgB6B8nwAAAApBmgktiH//ALaAAAAACUGeEIcQS/8S0QAAAAkBnhgmiH//F3AAAAAJAZ4YRoh//xdxAAAACQGeGGaIf/8XcQAAAAkBnhitSH//F3EAAAAJAZ4YzUh//xdxAAAACQGeGO1If/8XcAAAAAkBnhkNSH//F3A=',
  'base64',
);
