import type { ImageFacts } from './image-probe.js';
import type { Size } from './image-format.rules.js';
import type { MediaKind } from './media-kind.js';
import type { VideoFacts } from './media-limits.js';

/** Tasks of the media reader process and their results. */
export interface Readings {
  image: { task: { size: number; kind: MediaKind }; found: ImageFacts };
  video: { task: { size: number }; found: VideoFacts };
  /** Converts an image to a JPEG of this size. */
  frame: { task: Size & { bytes: number }; found: Uint8Array };
  /** Creates a blank JPEG of this size. */
  neutral: { task: Size; found: Uint8Array };
}

export type Task = { [K in keyof Readings]: { what: K } & Readings[K]['task'] }[keyof Readings];

/** Messages to the media reader process. */
export type ToReader = { kind: 'read'; task: Task } | { kind: 'bytes'; id: number; bytes?: Uint8Array };

/** Messages from the media reader process. */
export type FromReader =
  | { kind: 'range'; id: number; start: number; end: number }
  | { kind: 'found'; found: unknown }
  /** `why` is an error message for the client. */
  | { kind: 'refused'; why: string };
