import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output } from 'mediabunny';
import sharp from 'sharp';

export { bmp } from '../../../scripts/proofs/support/bmp.js';

/** Bytes of media, made when a test needs them. */
const picture = (width: number, height: number, background = '#1d7fd1') =>
  sharp({ create: { width, height, channels: 3, background } });

export const jpeg = (width = 640, height = 360): Promise<Buffer> => picture(width, height).jpeg().toBuffer();
export const png = (width = 640, height = 360): Promise<Buffer> => picture(width, height).png().toBuffer();
export const webp = (width = 640, height = 360): Promise<Buffer> => picture(width, height).webp().toBuffer();

/** A picture of which nothing can be left out: as many bytes as there is noise in it. */
export const noise = (width: number, height: number): Promise<Buffer> =>
  sharp({
    create: { width, height, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  })
    .jpeg({ quality: 92 })
    .toBuffer();

/** A GIF with so many frames, each of its own colour. */
export async function gif(width = 320, height = 180, frames = 3): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3 * frames);
  for (let frame = 0; frame < frames; frame++) {
    pixels.fill((frame * 37) % 256, frame * width * height * 3, (frame + 1) * width * height * 3);
  }
  return sharp(pixels, { raw: { width, height: height * frames, channels: 3, pageHeight: height } as never })
    .gif({ delay: Array.from({ length: frames }, () => 80), loop: 0, effort: 1 })
    .toBuffer();
}

interface VideoShape {
  width?: number;
  height?: number;
  seconds?: number;
  rotation?: 0 | 90 | 180 | 270;
  /** Where the description stands: behind the media unless given. */
  fastStart?: boolean | 'fragmented';
  /** The bytes of a frame. */
  frameBytes?: number;
  framesPerSecond?: number;
}

/** Sequence and picture parameter sets of H.264, as an `avcC` box has them. */
const AVCC = Buffer.from('0142c01effe1000d6742c01e95a014016e9b8080808101000468ce3c80', 'hex');

/** An MP4 whose boxes are right; what its frames show is nothing that a decoder knows. */
export async function mp4({
  width = 640,
  height = 360,
  seconds = 2,
  rotation = 0,
  fastStart = false,
  frameBytes = 200,
  framesPerSecond = 10,
}: VideoShape = {}): Promise<Buffer> {
  const target = new BufferTarget();
  const format = new Mp4OutputFormat({
    fastStart: fastStart === 'fragmented' ? 'fragmented' : fastStart ? 'in-memory' : false,
  });
  const output = new Output({ format, target });
  const source = new EncodedVideoPacketSource('avc');
  output.addVideoTrack(source, { rotation });
  await output.start();
  const config = { codec: 'avc1.42c01e', codedWidth: width, codedHeight: height, description: new Uint8Array(AVCC) };
  const frames = Math.round(seconds * framesPerSecond);
  for (let frame = 0; frame < frames; frame++) {
    const bytes = new Uint8Array(frameBytes).fill(frame % 251);
    new DataView(bytes.buffer).setUint32(0, frameBytes - 4);
    bytes[4] = frame === 0 ? 0x65 : 0x41;
    const isKey = frame % framesPerSecond === 0;
    const packet = new EncodedPacket(bytes, isKey ? 'key' : 'delta', frame / framesPerSecond, 1 / framesPerSecond);
    await source.add(packet, { decoderConfig: config });
  }
  await output.finalize();
  return Buffer.from(target.buffer!);
}
